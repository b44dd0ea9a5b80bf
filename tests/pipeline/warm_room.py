"""A warmer with all around it: the real prompts, and an engine whose prefix cache is seen."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace

from catalog.product import Locale, Product
from catalog.traffic import Member, Place
from pipeline.engine import Chunk, EngineStats, GenerationRequest
from pipeline.prompt import PromptBuilder
from pipeline.records import Records
from pipeline.reuse.ledger import Ledger
from pipeline.reuse.pace import Pace
from pipeline.warming.idle import Idle, IdleConfig
from pipeline.warming.jobs import Ids, Outcome, Why
from pipeline.warming.pages import Pages
from pipeline.warming.shelf import Shelf
from pipeline.warming.turns import Alone
from pipeline.warming.warmer import Warmer, WarmerConfig
from serving.admission import Admission, AdmissionConfig
from serving.engines.scripted import ScriptedConfig, ScriptedEngine

BLOCK = 16
QUICK = WarmerConfig(piece_tokens=64, look_s=0.01, rest_s=0.005, longest_rest_s=0.02)


@dataclass(frozen=True)
class Piece:
    """One request that the engine had."""

    ids: Ids
    cached: int
    priority: int

    @property
    def uncached(self) -> int:
        return len(self.ids) - self.cached


class WatchedEngine(ScriptedEngine):
    """Notes every request; `during` is called while one is being worked on.

    It says that it works on as many `others` beside its own.
    """

    def __init__(self, config: ScriptedConfig | None = None) -> None:
        super().__init__(config or ScriptedConfig(block_size=BLOCK))
        self.pieces: list[Piece] = []
        self.during: Callable[[], None] = lambda: None
        self.others = 0

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        async with aclosing(super().generate(request)) as chunks:
            async for chunk in chunks:
                if chunk.completion_tokens == 1:
                    cached = chunk.cached_tokens or 0
                    self.pieces.append(Piece(request.token_ids, cached, request.priority))
                    self.during()
                yield chunk

    async def stats(self) -> EngineStats:
        own = await super().stats()
        return replace(own, running=(own.running or 0) + self.others)

    async def ask(self, ids: Ids) -> int:
        """A shopper's request; how many of its tokens were cached."""
        request = GenerationRequest("shopper", ids, max_tokens=1)
        async with aclosing(super().generate(request)) as chunks:
            return (await anext(chunks)).cached_tokens or 0


class Counts:
    """Counts what was warmed."""

    def __init__(self) -> None:
        self.warmups: list[tuple[Why, Outcome]] = []
        self.tokens = 0

    def warmup(self, why: Why, outcome: Outcome) -> None:
        self.warmups.append((why, outcome))

    def warmup_tokens(self, tokens: int) -> None:
        self.tokens += tokens


@dataclass
class Room:
    """A warmer and what it works with; `cache_tokens` is what it takes the engine's cache for."""

    prompts: PromptBuilder
    products: Iterable[Product]
    engine: WatchedEngine = field(default_factory=WatchedEngine)
    cache_tokens: int | None = None
    config: WarmerConfig = QUICK
    now: Callable[[], float] = field(default=lambda: 0.0)

    def __post_init__(self) -> None:
        self.records = Records()
        self.records.replace(self.products, 1)
        self.ledger, self.pace, self.counts = Ledger(BLOCK), Pace(), Counts()
        self.shoppers = Admission(AdmissionConfig())
        self.pages = Pages(self.ledger, self.counts, now=self.now)
        self.shelf = Shelf(self.records, self.prompts, self.ledger, self.cache_tokens)
        self.warmer = Warmer(
            self.engine,
            self.shelf,
            self.pages,
            self.ledger,
            self.pace,
            Idle(self.shoppers, self.engine, IdleConfig(settle_s=0.001, look_s=0.001)),
            Alone(),
            self.counts,
            self.config,
        )

    def put(self, *ids: str, locale: Locale = "en") -> None:
        """These products are on the shelf now."""
        self.shelf.use(tuple(Member(Place(name, locale), 1.0, False) for name in ids))
        self.warmer.wake()

    def prefix(self, product_id: str, locale: Locale = "en") -> Ids:
        """What its prompts begin with."""
        product = self.records.get(product_id)
        assert product is not None
        return self.prompts.prefix(product, locale)

    def about(self, product_id: str) -> list[Piece]:
        """The engine's requests about one product, by what they have beyond the head."""
        head, prefix = self.prompts.heads()["en"], self.prefix(product_id)
        return [
            piece
            for piece in self.engine.pieces
            if len(piece.ids) > len(head) + BLOCK and piece.ids[:-1] == prefix[: len(piece.ids) - 1]
        ]

    @asynccontextmanager
    async def warming(self) -> AsyncGenerator[None, None]:
        """The warmer runs meanwhile."""
        task = asyncio.create_task(self.warmer.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait({task})
            assert task.cancelled(), task.exception()

    async def until_warm(self) -> None:
        """Return when all of the shelf is; fails after some seconds."""
        await until(lambda: self.shelf.cold() is None)

    async def look_twice(self) -> None:
        """Return when the warmer has had time to begin something, ten times over.

        Too short a time would miss a fault, and fail nothing that is right.
        """
        await asyncio.sleep(10 * self.config.look_s)


async def until(true: Callable[[], bool]) -> None:
    """Return as soon as `true` says so; fails after some seconds."""
    async with asyncio.timeout(5):
        while not true():  # noqa: ASYNC110  what is watched has no event to wait for
            await asyncio.sleep(0.001)
