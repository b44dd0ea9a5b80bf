"""Whether nobody is waiting for the engine, so that it may be given other work."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from pipeline.engine import Engine


class Shoppers(Protocol):
    """Whoever is to be answered by this process: `serving.admission.Admission`."""

    @property
    def is_quiet(self) -> bool:
        """Whether none is being answered and none waits."""
        ...

    @property
    def arrivals(self) -> int:
        """How many came since the start."""
        ...

    async def quiet(self) -> None:
        """Return when none is being answered and none waits."""
        ...


@dataclass(frozen=True, slots=True)
class IdleConfig:
    """`settle_s` after the last shopper; `look_s` between looks at a busy engine."""

    settle_s: float = 0.02
    look_s: float = 0.02


class Idle:
    """Idle moments of one engine, as this process sees them."""

    def __init__(
        self, shoppers: Shoppers, engine: Engine, config: IdleConfig | None = None
    ) -> None:
        self._shoppers, self._engine = shoppers, engine
        self._config = config or IdleConfig()
        self._settled_at = -1

    async def wait(self) -> None:
        """Return in an idle moment; what is begun must be short. Raises `EngineError`."""
        while True:
            await asyncio.sleep(0)  # requests that have arrived are seen
            await self._settle()
            if not await self._works():
                if self._shoppers.is_quiet:
                    return
                continue
            await asyncio.sleep(self._config.look_s)

    async def _settle(self) -> None:
        """Nobody is there, and nobody came for a while; that while passes once for each."""
        while not (self._shoppers.is_quiet and self._settled_at == self._shoppers.arrivals):
            await self._shoppers.quiet()
            came = self._shoppers.arrivals
            await asyncio.sleep(self._config.settle_s)
            if self._shoppers.arrivals == came:
                self._settled_at = came

    async def _works(self) -> bool:
        """Whether the engine has work, whoever's; what it does not tell counts as none."""
        stats = await self._engine.stats()
        return bool(stats.running or stats.waiting)
