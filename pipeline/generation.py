"""One prompt's way through the engine, as the request sees it: text, counts, and stage marks."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Protocol

from pipeline.engine import Chunk, Engine, EngineError, EngineTimes, GenerationRequest
from pipeline.prompting.parts import Ids
from pipeline.reuse.account import Account
from pipeline.timing import StageTimings
from pipeline.types import Finish, TokenCounts


class Check(Protocol):
    """Lets a text through piece by piece, as it may be sent; see `pipeline/guarding/guard.py`."""

    def feed(self, piece: str) -> str:
        """What may be sent now."""
        ...

    def end(self) -> str:
        """What is left when the text has ended."""
        ...


class Generation:
    """Runs `request`; marks `queue` and `prefill` when the first chunk tells their times.

    `text` is what was given out so far, after `check`, and not what the engine said. `account` is
    told what the engine had cached and what it generated.
    `close` must be awaited, whatever happened: it frees the engine's slot.
    """

    def __init__(
        self,
        engine: Engine,
        request: GenerationRequest,
        timings: StageTimings,
        check: Check,
        account: Account | None = None,
    ) -> None:
        self._stream = engine.generate(request)
        self._request = request
        self._timings = timings
        self._check = check
        self._account = account
        self._generated: list[int] = []
        self._said = ""
        self._first: asyncio.Future[Chunk] | None = None
        self._last: Chunk | None = None
        self.text = ""
        self.finish: Finish = "abort"

    def start(self) -> None:
        """Put it into the engine's queue now; the engine works while the caller does."""
        self._first = asyncio.ensure_future(anext(self._stream))

    async def texts(self) -> AsyncGenerator[str, None]:
        """Pieces of the answer, none empty, no blanks in front. Raises `EngineError`."""
        begun = False
        try:
            async for chunk in self._chunks():
                said = chunk.text if begun else chunk.text.lstrip()
                begun = begun or bool(said)
                self._said += said
                if piece := self._checked(said, ends=chunk.finish_reason is not None):
                    yield piece
        except EngineError:
            self.finish = "error"
            if piece := self._checked("", ends=True):
                yield piece
            raise

    def _checked(self, said: str, *, ends: bool) -> str:
        piece = self._check.feed(said) + (self._check.end() if ends else "")
        self.text += piece
        return piece

    @property
    def answered(self) -> bool:
        """Whether the engine said anything at all, be it no text."""
        return self._last is not None

    def counts(self, trimmed: int) -> TokenCounts:
        """Tokens so far; `trimmed` is how many the prompt lost to its budget."""
        last = self._last
        return TokenCounts(
            prompt=len(self._request.token_ids),
            cached=self._cached(last) if last else None,
            trimmed=trimmed,
            completion=last.completion_tokens if last else 0,
            reuse=self._account.reuse if self._account else None,
        )

    @property
    def said_ids(self) -> Ids | None:
        """The ids that the engine generated for `text`, a blank in front perhaps, without the one
        that ended it; None where it does not tell, or where `check` sent something else."""
        if not self._generated or self._said != self.text:
            return None
        ends = self._generated[-1] in self._request.stop_token_ids
        return tuple(self._generated[: -1 if ends else None])

    async def close(self) -> None:
        """Stop it where it is, if it has not ended. Safe to call twice."""
        if self._first is not None and not self._first.done():
            self._first.cancel()
            await asyncio.wait({self._first})
        await self._stream.aclose()
        if self._account is not None and self._generated:
            self._account.ended(tuple(self._generated))

    async def _chunks(self) -> AsyncGenerator[Chunk, None]:
        if self._first is None:
            self.start()
        try:
            assert self._first is not None  # set by start(); told to the type checker
            chunk = await self._first
            self._mark_first(chunk.times)
            if self._account is not None:
                self._account.answered(self._cached(chunk))
            while True:
                self._last = chunk
                self._generated += chunk.token_ids
                if chunk.finish_reason is not None:
                    self._mark_last(chunk)
                yield chunk
                if chunk.finish_reason is not None:
                    return
                chunk = await anext(self._stream)
        except StopAsyncIteration:
            raise EngineError("engine_failed", "the engine's stream broke off") from None

    def _cached(self, chunk: Chunk) -> int | None:
        """No more than the prompt has, whatever a server says."""
        cached = chunk.cached_tokens
        return None if cached is None else min(cached, len(self._request.token_ids))

    def _mark_first(self, times: EngineTimes | None) -> None:
        if times is not None and times.scheduled_at is not None:
            self._timings.mark("queue", at=times.scheduled_at)
        self._timings.mark("prefill", at=times.first_token_at if times is not None else None)

    def _mark_last(self, chunk: Chunk) -> None:
        self.finish = chunk.finish_reason or "stop"
        if chunk.times is not None and chunk.times.queue_seconds is not None:
            self._timings.split("prefill", "queue", chunk.times.queue_seconds)
