"""The limit on silence, and prompts that were cut inside a character (failure case 14)."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from pipeline.engine import EngineError
from serving.engines.stream import Decode, until_silent, without_cut_character

TEXT = "Hello 你好🌍"


class Source:
    """Gives `items`, then hangs; tells whether it was ended."""

    def __init__(self, items: Sequence[int]) -> None:
        self.items = items
        self.ended = False

    async def stream(self) -> AsyncGenerator[int, None]:
        try:
            for item in self.items:
                yield item
            await asyncio.Event().wait()
        finally:
            self.ended = True


async def test_silence_ends_the_stream_and_its_source() -> None:
    source = Source([1, 2])
    stream = until_silent(source.stream(), 0.01)
    assert [await anext(stream), await anext(stream)] == [1, 2]
    with pytest.raises(EngineError, match=r"no token for 0\.01 s") as caught:
        await anext(stream)
    assert caught.value.code == "engine_silent"
    assert source.ended


async def test_the_time_that_the_consumer_takes_is_not_silence() -> None:
    async def two() -> AsyncGenerator[int, None]:
        yield 1
        yield 2

    got = []
    async for item in until_silent(two(), 0.01):
        await asyncio.sleep(0.03)
        got.append(item)
    assert got == [1, 2]


async def test_cancelling_the_consumer_ends_the_source() -> None:
    source = Source([])
    waiting = asyncio.create_task(anext(until_silent(source.stream(), 60)))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert source.ended


def as_bytes(ids: Sequence[int]) -> str:
    """A tokenizer whose tokens are bytes, each bad sequence one U+FFFD."""
    return bytes(ids).decode("utf-8", "replace")


def as_runs(ids: Sequence[int]) -> str:
    """A tokenizer with byte fallback: one bad byte spoils its whole run of them."""
    try:
        return bytes(ids).decode("utf-8")
    except UnicodeDecodeError:
        return "\ufffd" * len(ids)


@pytest.mark.parametrize("decode", [as_bytes, as_runs])
@pytest.mark.parametrize("length", range(len(TEXT.encode()) + 1))
def test_a_prompt_loses_only_the_character_it_was_cut_in(decode: Decode, length: int) -> None:
    ids = tuple(TEXT.encode())[:length]
    kept = without_cut_character(ids, decode)
    assert bytes(kept).decode("utf-8") == TEXT.encode()[:length].decode("utf-8", "ignore")


def test_bytes_that_are_no_text_at_all_are_left_alone() -> None:
    ids = tuple(b"\xff\xff\xff\xff\xff")
    assert without_cut_character(ids, as_bytes) == ids


def test_no_prompt_is_no_prompt() -> None:
    assert without_cut_character((), as_bytes) == ()
