"""An engine that follows a script: fixed text, chosen delays, chosen failures.

For demonstrations, and for tests of load and of faults. It counts its slots, its queue and its
prefix cache honestly, so that what stands before it can be tested; it says nothing about speed.
"""

import asyncio
import time
from codecs import getincrementaldecoder
from collections import OrderedDict
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from pipeline.engine import (
    Chunk,
    EngineError,
    EngineStats,
    EngineTimes,
    FinishReason,
    GenerationRequest,
)

FIRST_ID = 1_000_000
"""The id of its first token; the others follow. No vocabulary goes so far."""


@dataclass(frozen=True, slots=True)
class ScriptedConfig:
    """`text` is said token by token, a word and its blank at a time, `token_s` seconds apart.

    With `token_bytes` its tokens are that many bytes each, so that characters are cut as byte
    level tokenizers cut them. `fail_at` and `hang_at` name the token (0 is the first) before
    which it breaks or falls silent; silence becomes an error after `silence_s`. `busy` refuses
    everything.
    """

    text: str = "Yes, we have it in stock."
    token_bytes: int | None = None
    first_token_s: float = 0.0
    token_s: float = 0.0
    fail_at: int | None = None
    hang_at: int | None = None
    silence_s: float = 60.0
    busy: bool = False
    max_num_seqs: int = 256
    block_size: int = 32
    cache_blocks: int = 100_000


def pieces(text: str) -> list[str]:
    """`text` as an engine would stream it: words with the blank in front, characters in CJK."""
    parts: list[str] = []
    for character in text:
        if parts and character.isascii() and not character.isspace() and parts[-1].isascii():
            parts[-1] += character
        else:
            parts.append(character)
    return parts


class ScriptedEngine:
    """Says its script to everyone. One event loop."""

    name = "scripted"

    def __init__(self, config: ScriptedConfig | None = None) -> None:
        self.config = config or ScriptedConfig()
        self._slots = asyncio.Semaphore(self.config.max_num_seqs)
        self._running = 0
        self._waiting = 0
        self._blocks: OrderedDict[int, None] = OrderedDict()

    async def start(self) -> None:
        """Nothing to start."""

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        """The script, cut at `request.max_tokens` and at its stop strings."""
        if self.config.busy:
            raise EngineError("engine_busy", "the engine takes no more work now")
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        self._running += 1
        try:
            async for chunk in self._say(request):
                yield chunk
        finally:
            self._running -= 1
            self._slots.release()

    async def check(self) -> None:
        """Raise `EngineError` when the script says that it is busy."""
        if self.config.busy:
            raise EngineError("engine_busy", "the engine takes no more work now")

    async def stats(self) -> EngineStats:
        """Slots and queue as they are."""
        used = len(self._blocks) / self.config.cache_blocks
        size, blocks = self.config.block_size, self.config.cache_blocks
        return EngineStats(self._running, self._waiting, used, size, size * blocks)

    async def close(self) -> None:
        """Nothing to free."""

    def reset_prefix_cache(self) -> None:
        """Forget every prefix."""
        self._blocks.clear()

    async def _say(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        scheduled_at = time.monotonic()
        cached = self._touch(request)
        tokens, finish = self._script(request)
        decoder = getincrementaldecoder("utf-8")("ignore")
        times: EngineTimes | None = None
        for number, token in enumerate(tokens):
            await self._pause(number)
            times = times or EngineTimes(scheduled_at, time.monotonic())
            text = decoder.decode(token)
            last = number == len(tokens) - 1
            if text or last:
                yield Chunk(
                    text,
                    number + 1,
                    len(request.token_ids),
                    cached,
                    times,
                    finish if last else None,
                )

    def _script(self, request: GenerationRequest) -> tuple[list[bytes], FinishReason]:
        text = self.config.text
        ends = [text.find(stop) for stop in request.stop if stop in text]
        said = self._tokens(text[: min(ends)] if ends else text)
        later = range(1, len(said))  # an answer says something
        stops = [place for place in later if FIRST_ID + place in request.stop_token_ids]
        said = said[: stops[0]] if stops else said
        if len(said) > request.max_tokens:
            return said[: request.max_tokens], "length"
        return said or [b""], "stop"

    def _tokens(self, text: str) -> list[bytes]:
        size, data = self.config.token_bytes, text.encode()
        if size is None:
            return [piece.encode() for piece in pieces(text)]
        return [data[at : at + size] for at in range(0, len(data), size)]

    async def _pause(self, number: int) -> None:
        await asyncio.sleep(self.config.token_s if number else self.config.first_token_s)
        if number == self.config.hang_at:
            await asyncio.sleep(self.config.silence_s)
            raise EngineError("engine_silent", f"no token for {self.config.silence_s:g} s")
        if number == self.config.fail_at:
            raise EngineError("engine_failed", f"the script fails at token {number}")

    def _touch(self, request: GenerationRequest) -> int:
        """Put the prompt's full blocks into the prefix cache; how many tokens were there."""
        size, ids = self.config.block_size, request.token_ids
        cached, unbroken, prefix = 0, True, hash(request.cache_salt)
        for at in range(0, len(ids) - size + 1, size):
            prefix = hash((prefix, ids[at : at + size]))
            unbroken = unbroken and prefix in self._blocks
            if unbroken and at + size < len(ids):
                cached += size
            self._blocks[prefix] = None
            self._blocks.move_to_end(prefix)
        while len(self._blocks) > self.config.cache_blocks:
            self._blocks.popitem(last=False)
        return cached
