"""Keeps the hot shelf in the engine's prefix cache, in idle moments, a short piece at a time.

A shopper who arrives during an engine's step waits for it, whatever its priority. So nothing is
begun while anyone is there, and each step computes few tokens; between two, everything is
decided anew: an opened page first, then what is not warm, heads before members and those in
their order, then what was used longest ago. The ledger remembers how far each prefix is.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from catalog.traffic import Place
from pipeline.engine import Engine, EngineError
from pipeline.reuse.ledger import Ledger
from pipeline.reuse.pace import Pace
from pipeline.warming.idle import Idle
from pipeline.warming.jobs import Ids, Job, Report, Why
from pipeline.warming.others import Others
from pipeline.warming.pages import Pages, PageStatus
from pipeline.warming.pieces import Pieces
from pipeline.warming.shelf import Shelf, ShelfStatus
from pipeline.warming.trust import Trust
from pipeline.warming.turns import Turns

log = logging.getLogger(__name__)

_NOTES_S = 0.5
"""Between two that tell how far the start is."""


@dataclass(frozen=True, slots=True)
class WarmerConfig:
    """`piece_tokens`: computed in one step at most, but one block at least.

    `look_s`: how often the shelf is looked at while there is nothing to do, and others are asked
    what they did. After a failure of the engine it rests for `rest_s`, twice as long after each
    further one, at most `longest_rest_s`. `verify_s`: how often an engine that may be started anew
    by others is asked whether it still has the heads.
    """

    piece_tokens: int = 64
    look_s: float = 1.0
    rest_s: float = 1.0
    longest_rest_s: float = 30.0
    verify_s: float | None = None


class Warmer:
    """One for each engine that a process uses. One event loop."""

    def __init__(
        self,
        engine: Engine,
        shelf: Shelf,
        pages: Pages,
        ledger: Ledger,
        pace: Pace,
        idle: Idle,
        turns: Turns,
        report: Report,
        config: WarmerConfig | None = None,
    ) -> None:
        config = config or WarmerConfig()
        self._shelf, self._pages, self._ledger = shelf, pages, ledger
        self._idle, self._turns, self._config = idle, turns, config
        self._others = Others(shelf, ledger, turns, config.look_s)
        self._trust = Trust(config.rest_s, config.longest_rest_s, config.verify_s)
        self._pieces = Pieces(
            engine, shelf, pages, ledger, pace, turns, report,
            self._others, self._trust, config.piece_tokens,
        )  # fmt: skip
        self._awake = asyncio.Event()
        self._noted_at = float("-inf")
        self._new: Why = "shelf"
        self.is_paused = False

    @property
    def computed(self) -> int:
        """Tokens that the engine computed, as far as is known, for whoever shares it."""
        return self._others.computed

    def status(self) -> ShelfStatus:
        """How far the shelf is."""
        return self._shelf.status()

    def open_page(self, ids: Ids) -> PageStatus:
        """A shopper may soon ask about what begins with `ids`."""
        if self.is_paused or self._trust.is_resting:
            return "busy"
        status = self._pages.open(ids)
        self.wake()
        return status

    def used(self, place: Place) -> None:
        """An answer has just used the prefix of `place`."""
        self._shelf.used(place, self.computed)

    def wake(self) -> None:
        """There may be something to do."""
        self._awake.set()

    async def warm_heads(self) -> None:
        """The static heads, before anyone is there. Raises `EngineError`."""
        await self._others.hear()
        if self._ledger.is_warm(self._shelf.first().ids):
            await self._pieces.do(self._shelf.first())  # whether the engine still has it
        for entry in [entry for entry in self._shelf.entries() if entry.place is None]:
            job = Job("start", entry.key, entry.ids)
            while not self._ledger.is_warm(entry.ids):
                await self._pieces.do(job)

    async def start(self, limit_s: float, note: Callable[[ShelfStatus], None]) -> None:
        """Warm the shelf for `limit_s` seconds at most, telling `note` how far it is."""
        self._new = "start"
        try:
            async with asyncio.timeout(limit_s):
                while not self.is_paused and self._shelf.cold() is not None:
                    self._note(note)
                    if not await self._step():
                        await self._sleep(self._config.look_s / 10)
        except (TimeoutError, EngineError) as error:
            log.info("the shelf is not all warm at the start: %r", error)
        finally:
            self._new = "shelf"
            note(self.status())

    async def run(self) -> None:
        """Warm what is to be warmed, until cancelled."""
        try:
            while True:
                try:
                    if not await self._step():
                        await self._sleep(self._config.look_s)
                except EngineError as error:
                    await self._trust.rest(error)
        finally:
            self._pieces.drop_begun()
            await asyncio.shield(self._turns.close())

    async def _step(self) -> bool:
        """Do one piece of something; whether there was anything to do."""
        await self._others.hear()
        if self.is_paused or not self._has_work():
            self._pieces.drop_begun()
            return False
        await self._idle.wait()
        job = await self._next()
        if job is None:
            return False
        await self._pieces.do(job)
        return True

    def _note(self, note: Callable[[ShelfStatus], None]) -> None:
        """Now and then: looking at all of the shelf takes longer than the telling is worth."""
        if time.monotonic() - self._noted_at >= _NOTES_S:
            self._noted_at = time.monotonic()
            note(self.status())

    def _has_work(self) -> bool:
        return (self._pages.next() or self._of_shelf()) is not None

    def _of_shelf(self) -> Job | None:
        if self._trust.is_in_doubt():
            return self._shelf.first()
        return self._shelf.cold() or self._shelf.aging(self.computed)

    async def _next(self) -> Job | None:
        if self.is_paused:
            return None
        if (page := self._pages.next()) is not None:
            return page
        if not await self._turns.mine():
            return None
        job = self._of_shelf()
        return replace(job, why=self._new) if job is not None and job.why == "shelf" else job

    async def _sleep(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._awake.wait()
        self._awake.clear()
