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
from pipeline.warming.jobs import Ids, Job, Report, Why, compute, next_piece
from pipeline.warming.pages import Pages, PageStatus
from pipeline.warming.shelf import Shelf, ShelfStatus
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
        self._engine, self._shelf, self._pages = engine, shelf, pages
        self._ledger, self._pace, self._idle = ledger, pace, idle
        self._turns, self._report = turns, report
        self._config = config or WarmerConfig()
        self._awake = asyncio.Event()
        self._begun: Job | None = None
        self._failures = 0
        self._is_resting = False
        self._others = 0
        self._heard_at = self._noted_at = float("-inf")
        self._verified_at = time.monotonic()
        self._new: Why = "shelf"
        self.is_paused = False

    @property
    def computed(self) -> int:
        """Tokens that the engine computed, as far as is known, for whoever shares it."""
        return self._ledger.computed + self._others

    def status(self) -> ShelfStatus:
        """How far the shelf is."""
        return self._shelf.status()

    def open_page(self, ids: Ids) -> PageStatus:
        """A shopper may soon ask about what begins with `ids`."""
        if self.is_paused or self._is_resting:
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
        await self._hear()
        if self._ledger.is_warm(self._shelf.first().ids):
            await self._do(self._shelf.first())  # whether the engine still has it
        for entry in [entry for entry in self._shelf.entries() if entry.place is None]:
            job = Job("start", entry.key, entry.ids)
            while not self._ledger.is_warm(entry.ids):
                await self._do(job)

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
                    await self._rest(error)
        finally:
            self._drop_begun()
            await asyncio.shield(self._turns.close())

    async def _step(self) -> bool:
        """Do one piece of something; whether there was anything to do."""
        await self._hear()
        if self.is_paused or not self._has_work():
            self._drop_begun()
            return False
        await self._idle.wait()
        job = await self._next()
        if job is None:
            return False
        await self._do(job)
        return True

    def _note(self, note: Callable[[ShelfStatus], None]) -> None:
        """Now and then: looking at all of the shelf takes longer than the telling is worth."""
        if time.monotonic() - self._noted_at >= _NOTES_S:
            self._noted_at = time.monotonic()
            note(self.status())

    def _has_work(self) -> bool:
        return (self._pages.next() or self._of_shelf()) is not None

    def _of_shelf(self) -> Job | None:
        if self._is_in_doubt():
            return self._shelf.first()
        return self._shelf.cold() or self._shelf.aging(self.computed)

    def _is_in_doubt(self) -> bool:
        """Whether the engine may have lost everything: it failed, or it is not ours alone."""
        if self._failures:
            return True
        every = self._config.verify_s
        return every is not None and time.monotonic() - self._verified_at > every

    async def _next(self) -> Job | None:
        if self.is_paused:
            return None
        if (page := self._pages.next()) is not None:
            return page
        if not await self._turns.mine():
            return None
        job = self._of_shelf()
        return replace(job, why=self._new) if job is not None and job.why == "shelf" else job

    async def _do(self, job: Job) -> None:
        """The next piece of `job`. Raises `EngineError`."""
        if self._begun is not None and self._begun.ids != job.ids:
            self._drop_begun()
        self._begun = job
        piece = next_piece(job.ids, self._ledger, self._config.piece_tokens)
        expected = self._ledger.reusable(piece)
        try:
            done = await compute(self._engine, piece, expected)
        except EngineError:
            self._begun = None
            self._pages.done(job.ids)
            self._report.warmup(job.why, "failed")
            raise
        self._failures, self._verified_at = 0, time.monotonic()
        if expected and not done.cached:
            await self._forget()
        self._ledger.add(piece, done.cached)
        self._report.warmup_tokens(done.uncached)
        if done.seconds is not None:
            self._pace.observe(done.uncached, done.seconds)
        if self._ledger.is_warm(job.ids):
            await self._finish(job)

    async def _finish(self, job: Job) -> None:
        self._begun = None
        self._pages.done(job.ids)
        self._report.warmup(job.why, "done")
        entry = self._shelf.find(job) if job.why != "page" else None
        if entry is not None:
            entry.was_warm, entry.used = True, self.computed
            await self._turns.tell(entry.key, entry.digest)

    def _drop_begun(self) -> None:
        """What was begun is not gone on with: something else came before it, or it has changed."""
        begun, self._begun = self._begun, None
        if begun is None or begun.why == "page":
            return  # an opened page may be gone on with, and is counted when it leaves the queue
        is_warm = self._ledger.is_warm(begun.ids)
        self._report.warmup(begun.why, "done" if is_warm else "interrupted")

    async def _hear(self) -> None:
        """Take over what the others who share the engine have warmed."""
        if time.monotonic() - self._heard_at < self._config.look_s:
            return
        self._heard_at = time.monotonic()
        told = await self._turns.told(self._ledger.computed)
        self._others += told.computed
        for entry in self._shelf.entries() if told.digests else ():
            if told.digests.get(entry.key) == entry.digest and not self._shelf.is_warm(entry):
                self._ledger.add(entry.ids, len(entry.ids))
                entry.was_warm, entry.used = True, self.computed

    async def _forget(self) -> None:
        """The engine has nothing of what it was known to have: it was started anew."""
        self._ledger.clear()
        await self._turns.forget()

    async def _rest(self, error: EngineError) -> None:
        """After a failure, leave the engine alone for a while."""
        config = self._config
        seconds = min(config.rest_s * 2**self._failures, config.longest_rest_s)
        self._failures += 1
        log.info("warming rests for %g s: %s", seconds, error)
        self._is_resting = True
        await asyncio.sleep(seconds)
        self._is_resting = False

    async def _sleep(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._awake.wait()
        self._awake.clear()
