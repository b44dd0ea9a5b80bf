"""A prefix that the engine should have computed, and the next piece of it."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, Protocol
from uuid import uuid4

from pipeline.engine import Chunk, Engine, GenerationRequest
from pipeline.reuse.ledger import Ledger

Ids = tuple[int, ...]
Why = Literal["start", "shelf", "change", "touch", "page"]
Outcome = Literal["done", "interrupted", "failed"]

WARM_PRIORITY = 10
"""Behind every shopper, whose priority is 0."""


class Report(Protocol):
    """Who is told what was warmed."""

    def warmup(self, why: Why, outcome: Outcome) -> None:
        """A prefix: all of it, or no more of it."""
        ...

    def warmup_tokens(self, tokens: int) -> None:
        """So many were computed."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """`key` names what the prefix is of; it is one job for as long as `ids` are the same."""

    why: Why
    key: str
    ids: Ids


@dataclass(frozen=True, slots=True)
class Computed:
    """What one piece took. `seconds` of prefill, None where the engine does not tell."""

    cached: int
    uncached: int
    seconds: float | None


def whole_blocks(ids: Sequence[int], block_tokens: int) -> int:
    """How many of `ids` are in full blocks: what an engine keeps."""
    return len(ids) // block_tokens * block_tokens


def next_piece(ids: Ids, ledger: Ledger, most: int) -> Ids:
    """What to have computed next: at most `most` tokens in new blocks, one block at least, and one
    token more. A prompt is never reused whole, and an engine may keep no more blocks than the same
    prompt could reuse (vLLM's default, where layers have sliding windows).

    Where all of it is known, that is the least that uses every block.
    """
    size, whole = ledger.block_tokens, whole_blocks(ids, ledger.block_tokens)
    known = ledger.reusable((*ids, 0))
    end = min(known + max(most // size, 1) * size, whole)
    return (*ids[:end], *(ids[end:] or ids[-1:])[:1])


async def compute(engine: Engine, ids: Ids, expected: int = 0) -> Computed:
    """Have the engine compute and keep the KV blocks of `ids`. Raises `EngineError`.

    `expected` tokens are taken to be cached where the engine does not tell.
    """
    request = GenerationRequest(
        request_id=f"warm-{uuid4().hex}", token_ids=ids, max_tokens=1, priority=WARM_PRIORITY
    )
    first: Chunk | None = None
    last: Chunk | None = None
    async with aclosing(engine.generate(request)) as chunks:
        async for chunk in chunks:
            first, last = first or chunk, chunk
    cached = last.cached_tokens if last else None
    cached = expected if cached is None else cached
    return Computed(cached, max(len(ids) - cached, 0), _seconds(first))


def digest(ids: Sequence[int]) -> str:
    """The same for the same ids, in every process."""
    return sha256(" ".join(map(str, ids)).encode()).hexdigest()[:24]


def _seconds(first: Chunk | None) -> float | None:
    """Of prefill, by the engine's own clock."""
    times = first.times if first else None
    if times is None or times.first_token_at is None or times.scheduled_at is None:
        return None
    return times.first_token_at - times.scheduled_at
