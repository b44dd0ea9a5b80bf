"""What a process knows of its engine's prefix cache, from the moment it has started."""

from dataclasses import dataclass

from pipeline.engine import Engine, EngineError
from pipeline.reuse.account import Books
from pipeline.reuse.ledger import Ledger
from pipeline.reuse.pace import Pace
from serving.settings import Settings
from serving.startup import StartError

BLOCK_TOKENS = 16
"""Of a cache that tells nothing of itself."""
_LEAST_BLOCKS = 16384


@dataclass(frozen=True, slots=True)
class EngineCache:
    """What is known of one engine's prefix cache and of its speed; all who ask it share this."""

    books: Books
    pace: Pace
    cache_tokens: int | None

    @classmethod
    async def of(cls, engine: Engine, settings: Settings) -> "EngineCache":
        """Of an engine that has started. The ledger remembers more than the cache holds."""
        try:
            stats = await engine.stats()
        except EngineError as error:
            raise StartError(f"the engine does not answer: {error}") from error
        size = stats.block_tokens or settings.block_size or BLOCK_TOKENS
        blocks = max(_LEAST_BLOCKS, 2 * (stats.cache_tokens or 0) // size)
        return cls(Books(Ledger(size, blocks)), Pace(), stats.cache_tokens)
