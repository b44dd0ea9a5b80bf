"""What every engine's stream needs: a limit on silence, and prompts that end on a character."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import TypeVar

from pipeline.engine import EngineError

T = TypeVar("T")
Decode = Callable[[Sequence[int]], str]

_CUT = "\ufffd"
_BYTES = 4
"""A character has at most four bytes, so a cut one at most three."""
_TAIL = 8
"""Tokens enough to see whether the last character is whole."""


async def until_silent(stream: AsyncGenerator[T, None], seconds: float) -> AsyncGenerator[T, None]:
    """The items of `stream`, which is closed at the end whatever happens.

    Raises `EngineError` (engine_silent) when none came for `seconds`. The limit is no task per
    item: it cancels the wait, and the stream sees that as its consumer leaving.
    """
    async with aclosing(stream):
        while True:
            try:
                async with asyncio.timeout(seconds):
                    item = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise EngineError("engine_silent", f"no token for {seconds:g} s") from None
            yield item


def without_cut_character(ids: tuple[int, ...], decode: Decode) -> tuple[int, ...]:
    """`ids` without the bytes of a last character that is not whole.

    A tokenizer of bytes can be cut inside a character. An engine that decodes from such a place
    repeats the prompt or shows U+FFFD, and half a character is of no use to a model.
    """
    if not decode(ids[-_TAIL:]).endswith(_CUT):
        return ids
    for end in range(len(ids), max(-1, len(ids) - _BYTES), -1):
        if not decode(ids[:end]).endswith(_CUT):
            return ids[:end]
    return ids
