"""What the pipeline asks of an engine. Implementations are in `serving/engines`.

The contract, held by `tests/contract/test_engine.py` for every implementation:
- `generate` streams text in the order it was made, never half a character, never U+FFFD for
  a character that was only cut between two tokens;
- the last chunk, and only it, has a `finish_reason`;
- ending, closing or cancelling the iteration frees the slot at once;
- a failure is an `EngineError`, whatever the engine raised.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Literal, Protocol

FinishReason = Literal["stop", "length", "abort", "error"]


class EngineError(Exception):
    """The engine could not go on. `code` is the /chat error code."""

    def __init__(
        self, code: Literal["engine_failed", "engine_silent", "engine_busy"], message: str
    ):
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One prompt. `token_ids` are of the tokenizer that the prompt was built with.

    The first token is none of `stop_token_ids`, wherever the engine can be told so.
    """

    request_id: str
    token_ids: tuple[int, ...]
    max_tokens: int
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    stop_token_ids: tuple[int, ...] = ()
    priority: int = 0
    cache_salt: str | None = None


@dataclass(frozen=True, slots=True)
class EngineTimes:
    """When things happened, in seconds of `time.monotonic`; None where the engine cannot tell."""

    scheduled_at: float | None = None
    first_token_at: float | None = None
    queue_seconds: float | None = None
    """Told by a remote engine at the end, as a duration."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of the stream. Counts are totals so far; `cached_tokens` is None where unknown."""

    text: str
    completion_tokens: int
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    times: EngineTimes | None = None
    finish_reason: FinishReason | None = None
    token_ids: tuple[int, ...] = ()
    """Generated since the last chunk; empty where the engine does not tell."""


@dataclass(frozen=True, slots=True)
class EngineStats:
    """Load of the engine now, and its prefix cache: tokens in a block, and in all. None where it
    cannot tell."""

    running: int | None = None
    waiting: int | None = None
    kv_usage: float | None = None
    block_tokens: int | None = None
    cache_tokens: int | None = None


class Engine(Protocol):
    """A streaming text generator with a prefix cache."""

    name: str

    async def start(self) -> None:
        """Make it ready to answer; raises `EngineError` if it cannot be."""
        ...

    def generate(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        """Stream the continuation of `request.token_ids`."""
        ...

    async def check(self) -> None:
        """Raise `EngineError` unless it would answer now."""
        ...

    async def stats(self) -> EngineStats:
        """Its load now."""
        ...

    async def close(self) -> None:
        """Free everything it holds. Safe to call twice."""
        ...
