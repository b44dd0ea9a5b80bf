"""Gateways that share an engine's URL take turns in warming it, by way of their Redis.

A lock with a time to live says whose turn it is; when its holder dies, another goes on. A hash
says which prefixes were warmed, so that all know, and how many tokens were computed for all. It
is gone some minutes after the last one wrote: whoever comes later warms anew, which costs little
where the engine still has it.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from redis.asyncio import Redis
from redis.exceptions import LockError, RedisError

from catalog.keys import text
from pipeline.warming.turns import Told

log = logging.getLogger(__name__)

T = TypeVar("T")

KEY_PREFIX = "hotshelf:warming:"
_COMPUTED = "computed"
"""The field that counts tokens; all others are heads and members, which have a colon."""


@dataclass(frozen=True, slots=True)
class TurnsConfig:
    """`turn_s`: after which another goes on, if the one whose turn it is does not prolong it.

    `known_s`: how long the record is kept. `timeout_s`: for one exchange with Redis.
    """

    turn_s: float = 10.0
    known_s: int = 600
    timeout_s: float = 1.0


class SharedTurns:
    """`pipeline.warming.turns.Turns` of all who use the engine at `url`. One event loop."""

    def __init__(self, redis: Redis, url: str, config: TurnsConfig | None = None) -> None:
        self._redis = redis
        self._config = config or TurnsConfig()
        name = KEY_PREFIX + sha256(url.encode()).hexdigest()[:16]
        self._record = f"{name}:warm"
        self._lock = redis.lock(
            f"{name}:turn", timeout=self._config.turn_s, blocking=False, thread_local=False
        )
        self._is_mine = False
        self._prolonged_at = 0.0
        self._counted = 0
        self._total: int | None = None

    async def mine(self) -> bool:
        """Take the lock, or keep it; without Redis nobody has it."""
        if self._is_mine and time.monotonic() - self._prolonged_at < self._config.turn_s / 3:
            return True
        was_mine, self._is_mine = self._is_mine, False
        self._prolonged_at = time.monotonic()
        taking = self._keep() if was_mine else self._lock.acquire()
        self._is_mine = await self._in_time(taking, otherwise=False)
        return self._is_mine

    async def _keep(self) -> bool:
        try:
            return bool(await self._lock.reacquire())
        except LockError:  # it ran out meanwhile
            return bool(await self._lock.acquire())

    async def told(self, computed: int) -> Told:
        """Add what is new of `computed`, and read what all did."""
        return await self._in_time(self._exchange(computed), otherwise=Told())

    async def tell(self, key: str, digest: str) -> None:
        """Write it into the record."""
        await self._in_time(self._write(key, digest), otherwise=None)

    async def forget(self) -> None:
        """Empty the record."""
        await self._in_time(self._redis.delete(self._record), otherwise=0)

    async def close(self) -> None:
        """Give the lock back."""
        if self._is_mine:
            self._is_mine = False
            await self._in_time(self._lock.release(), otherwise=None)

    async def _exchange(self, computed: int) -> Told:
        new = computed - self._counted
        async with self._redis.pipeline() as batch:
            if new:
                batch.hincrby(self._record, _COMPUTED, new)
                batch.expire(self._record, self._config.known_s)
            batch.hgetall(self._record)
            read = (await batch.execute())[-1]
        self._counted = computed
        known = {text(name): text(value) for name, value in read.items()}
        total = int(known.pop(_COMPUTED, "0"))
        return Told(known, self._of_others(total, new))

    def _of_others(self, total: int, own: int) -> int:
        """What others added to the count, which begins anew when the record is gone."""
        before, self._total = self._total, total
        if before is None:
            return 0
        return max(total - own - (before if total >= before else 0), 0)

    async def _write(self, key: str, digest: str) -> None:
        async with self._redis.pipeline() as batch:
            batch.hset(self._record, key, digest)
            batch.expire(self._record, self._config.known_s)
            await batch.execute()

    async def _in_time(self, work: Awaitable[T], otherwise: T) -> T:
        """What `work` comes to; what fails in Redis, or cannot be read, is left as it was."""
        try:
            async with asyncio.timeout(self._config.timeout_s):
                return await work
        except (RedisError, OSError, ValueError) as error:  # TimeoutError is an OSError
            log.info("warming is not shared at present: %r", error)
            return otherwise
