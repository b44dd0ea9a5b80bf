"""An engine that is watched: what each prompt found cached, by books of its own."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from uuid import uuid4

from pipeline.engine import Chunk, EngineStats, GenerationRequest
from pipeline.reuse.ledger import Ledger
from serving.engines.vllm import VllmEngine

ENDLESS = 1 << 30
WARM = 10


@dataclass(frozen=True, slots=True)
class Prefilled:
    """One prompt, in tokens. `reusable`: in full blocks that were computed before."""

    prompt: int
    cached: int
    reusable: int


@dataclass(slots=True)
class WatchedEngine:
    """`engine`, with the shoppers' prompts noted since the last `reset`, warm-ups left out."""

    engine: VllmEngine
    prompts: list[Prefilled] = field(default_factory=list)
    warmed: int = 0
    books: Ledger = field(default_factory=lambda: Ledger(1))
    name: str = "watched"

    async def start(self) -> None:
        """Start it; its blocks are known from then on."""
        await self.engine.start()
        await self.reset()

    async def reset(self) -> None:
        """Empty its prefix cache."""
        if not await self.engine.llm.reset_prefix_cache():
            raise RuntimeError("the prefix cache is in use")
        stats = await self.engine.stats()
        self.books = Ledger(stats.block_tokens or 1, ENDLESS)
        self.prompts, self.warmed = [], 0

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        """As the engine does."""
        ids, reusable = request.token_ids, self.books.reusable(request.token_ids)
        generated: list[int] = []
        cached: int | None = None
        async for chunk in self.engine.generate(request):
            if cached is None:
                cached = chunk.cached_tokens or 0
                self.books.add(ids, cached)
                self._note(request, cached, reusable)
            generated += chunk.token_ids
            yield chunk
        self.books.add((*ids, *generated[:-1]), len(ids))

    def _note(self, request: GenerationRequest, cached: int, reusable: int) -> None:
        if request.priority:
            self.warmed += len(request.token_ids) - cached
        else:
            self.prompts.append(Prefilled(len(request.token_ids), cached, reusable))

    async def warm(self, ids: tuple[int, ...]) -> None:
        """Have `ids` computed and kept."""
        request = GenerationRequest(uuid4().hex, ids, 1, priority=WARM)
        async for _ in self.generate(request):
            pass

    async def check(self) -> None:
        """As the engine."""
        await self.engine.check()

    async def stats(self) -> EngineStats:
        """As the engine."""
        return await self.engine.stats()

    async def close(self) -> None:
        """As the engine."""
        await self.engine.close()
