"""Does a job of warming piece by piece, and keeps account of what became of it."""

from pipeline.engine import Engine, EngineError
from pipeline.reuse.ledger import Ledger
from pipeline.reuse.pace import Pace
from pipeline.warming.jobs import Job, Report, compute, next_piece
from pipeline.warming.others import Others
from pipeline.warming.pages import Pages
from pipeline.warming.shelf import Shelf
from pipeline.warming.trust import Trust
from pipeline.warming.turns import Turns


class Pieces:
    """`tokens`: computed in one piece at most, but one block at least. One event loop."""

    def __init__(
        self,
        engine: Engine,
        shelf: Shelf,
        pages: Pages,
        ledger: Ledger,
        pace: Pace,
        turns: Turns,
        report: Report,
        others: Others,
        trust: Trust,
        tokens: int,
    ) -> None:
        self._engine, self._shelf, self._pages = engine, shelf, pages
        self._ledger, self._pace = ledger, pace
        self._turns, self._report = turns, report
        self._others, self._trust, self._tokens = others, trust, tokens
        self._begun: Job | None = None

    async def do(self, job: Job) -> None:
        """The next piece of `job`. Raises `EngineError`."""
        if self._begun is not None and self._begun.ids != job.ids:
            self.drop_begun()
        self._begun = job
        piece = next_piece(job.ids, self._ledger, self._tokens)
        expected = self._ledger.reusable(piece)
        try:
            done = await compute(self._engine, piece, expected)
        except EngineError:
            self._begun = None
            self._pages.done(job.ids)
            self._report.warmup(job.why, "failed")
            raise
        self._trust.worked()
        if expected and not done.cached:
            await self._forget()
        self._ledger.add(piece, done.cached)
        self._report.warmup_tokens(done.uncached)
        if done.seconds is not None:
            self._pace.observe(done.uncached, done.seconds)
        if self._ledger.is_warm(job.ids):
            await self._finish(job)

    def drop_begun(self) -> None:
        """What was begun is not gone on with: something else came before it, or it has changed."""
        begun, self._begun = self._begun, None
        if begun is None or begun.why == "page":
            return  # an opened page may be gone on with, and is counted when it leaves the queue
        is_warm = self._ledger.is_warm(begun.ids)
        self._report.warmup(begun.why, "done" if is_warm else "interrupted")

    async def _finish(self, job: Job) -> None:
        self._begun = None
        self._pages.done(job.ids)
        self._report.warmup(job.why, "done")
        entry = self._shelf.find(job) if job.why != "page" else None
        if entry is not None:
            entry.was_warm, entry.used = True, self._others.computed
            await self._turns.tell(entry.key, entry.digest)

    async def _forget(self) -> None:
        """The engine has nothing of what it was known to have: it was started anew."""
        self._ledger.clear()
        await self._turns.forget()
