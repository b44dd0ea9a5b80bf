"""The scripted engine counts its cache, its queue and its slots honestly."""

import asyncio

import pytest

from pipeline.engine import GenerationRequest
from serving.engines.scripted import ScriptedConfig, ScriptedEngine


def request(*ids: int, salt: str | None = None) -> GenerationRequest:
    return GenerationRequest("r", ids, max_tokens=2, cache_salt=salt)


async def cached(engine: ScriptedEngine, *ids: int) -> int | None:
    return [chunk async for chunk in engine.generate(request(*ids))][-1].cached_tokens


async def test_only_whole_blocks_from_the_start_are_cached() -> None:
    engine = ScriptedEngine(ScriptedConfig(block_size=4))
    assert await cached(engine, 1, 2, 3, 4, 5, 6, 7, 8, 9) == 0
    assert await cached(engine, 1, 2, 3, 4, 5, 6, 7, 8, 9) == 8
    assert await cached(engine, 1, 2, 3, 4, 0, 6, 7, 8, 9) == 4
    assert await cached(engine, 0, 2, 3, 4, 5, 6, 7, 8, 9) == 0


async def test_a_prompt_is_never_cached_to_its_last_token() -> None:
    engine = ScriptedEngine(ScriptedConfig(block_size=4))
    await cached(engine, 1, 2, 3, 4, 5, 6, 7, 8)
    assert await cached(engine, 1, 2, 3, 4, 5, 6, 7, 8) == 4


async def test_the_oldest_blocks_leave_a_full_cache() -> None:
    engine = ScriptedEngine(ScriptedConfig(block_size=2, cache_blocks=2))
    await cached(engine, 1, 2, 3)
    await cached(engine, 4, 5, 6)
    await cached(engine, 7, 8, 9)
    assert await cached(engine, 4, 5, 6) == 2
    assert await cached(engine, 1, 2, 3) == 0


async def test_no_more_run_than_there_are_slots_and_the_others_wait() -> None:
    engine = ScriptedEngine(ScriptedConfig("word " * 100, token_s=0.001, max_num_seqs=2))
    streams = [engine.generate(GenerationRequest(str(n), (1,), 100)) for n in range(5)]
    firsts = [asyncio.create_task(anext(stream)) for stream in streams]
    done, waiting = await asyncio.wait(firsts, timeout=1, return_when=asyncio.FIRST_COMPLETED)
    stats = await engine.stats()
    assert (stats.running, stats.waiting) == (2, 3)
    assert len(done) + len(waiting) == 5
    for first in waiting:
        first.cancel()
    await asyncio.wait(firsts)
    for stream in streams:
        await stream.aclose()
    assert (await engine.stats()).running == 0


@pytest.mark.parametrize("size", range(1, 11))
async def test_characters_cut_between_tokens_come_whole(size: int) -> None:
    """Failure case 13: wherever "你好🌍" is cut, nothing is lost and nothing is replaced."""
    engine = ScriptedEngine(ScriptedConfig("你好🌍", token_bytes=size))
    chunks = [chunk async for chunk in engine.generate(GenerationRequest("r", (1,), 99))]
    assert "".join(chunk.text for chunk in chunks) == "你好🌍"
    assert all(chunk.text for chunk in chunks[:-1])
