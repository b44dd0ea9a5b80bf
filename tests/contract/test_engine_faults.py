"""How engines fail: always by an `EngineError` with its code, never by a stream that hangs."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import replace

import pytest

from pipeline.engine import Chunk, Engine, EngineError, GenerationRequest
from serving.engines.openai import OpenAIConfig, OpenAIEngine
from serving.engines.scripted import ScriptedConfig, ScriptedEngine
from serving.engines.scripted_server import create_app
from serving.engines.vllm import VllmEngine
from tests.contract.subjects import Subject, serving

Faulty = Callable[[ScriptedConfig], AbstractAsyncContextManager[tuple[Engine, ScriptedEngine]]]
"""An engine under test that behaves as the script says, and the scripted one that it stands on."""

REQUEST = GenerationRequest("fault", tuple(range(40)), max_tokens=8)


@asynccontextmanager
async def alone(config: ScriptedConfig) -> AsyncGenerator[tuple[Engine, ScriptedEngine], None]:
    engine = ScriptedEngine(config)
    yield engine, engine


@asynccontextmanager
async def over_http(config: ScriptedConfig) -> AsyncGenerator[tuple[Engine, ScriptedEngine], None]:
    """The server never gives up a silence; its client does."""
    engine = ScriptedEngine(replace(config, silence_s=3600))
    async with serving(create_app(engine)) as url:
        client = OpenAIEngine(OpenAIConfig(url, silence_s=config.silence_s))
        await client.start()
        yield client, engine
        await client.close()


@pytest.fixture(params=[alone, over_http])
def faulty(request: pytest.FixtureRequest) -> Faulty:
    """Both ways."""
    kind: Faulty = request.param
    return kind


async def failing(engine: Engine, chunks: list[Chunk]) -> EngineError:
    """The error that the stream ends with; what came before it goes into `chunks`."""
    with pytest.raises(EngineError) as caught:
        await _take(engine, chunks)
    return caught.value


async def _take(engine: Engine, chunks: list[Chunk]) -> None:
    async for chunk in engine.generate(REQUEST):
        chunks.append(chunk)  # noqa: PERF401  what came before an error must be kept


async def test_an_error_at_token_3_comes_after_3_chunks(faulty: Faulty) -> None:
    chunks: list[Chunk] = []
    async with faulty(ScriptedConfig("one two three four five", fail_at=3)) as (engine, _):
        assert (await failing(engine, chunks)).code == "engine_failed"
    assert "".join(chunk.text for chunk in chunks) == "one two three"
    assert [chunk.finish_reason for chunk in chunks] == [None] * 3


@pytest.mark.parametrize("token", [0, 3])
async def test_silence_is_engine_silent_and_frees_the_slot(faulty: Faulty, token: int) -> None:
    chunks: list[Chunk] = []
    config = ScriptedConfig("one two three four five", hang_at=token, silence_s=0.5)
    async with faulty(config) as (engine, scripted):
        assert (await failing(engine, chunks)).code == "engine_silent"
        await Subject(engine, (), (), 0, 0, scripted.stats).until_idle()
    assert len(chunks) == token


async def test_an_engine_that_refuses_is_busy(faulty: Faulty) -> None:
    async with faulty(ScriptedConfig(busy=True)) as (engine, _):
        assert (await failing(engine, [])).code == "engine_busy"


async def test_a_client_that_leaves_lets_the_next_one_in(faulty: Faulty) -> None:
    config = ScriptedConfig("word " * 1000, token_s=0.005, max_num_seqs=1)
    async with faulty(config) as (engine, scripted), asyncio.timeout(2):
        async with aclosing(engine.generate(replace(REQUEST, max_tokens=1000))) as leaving:
            await anext(leaving)
            following = asyncio.create_task(anext(engine.generate(REQUEST)))
            await Subject(engine, (), (), 0, 0, scripted.stats).until_running(2)
            assert (await scripted.stats()).running == 1
        assert (await following).text == "word"


async def test_a_client_that_leaves_the_queue_takes_no_slot(faulty: Faulty) -> None:
    config = ScriptedConfig("word " * 1000, token_s=0.005, max_num_seqs=1)
    async with faulty(config) as (engine, scripted), asyncio.timeout(2):
        subject = Subject(engine, (), (), 0, 0, scripted.stats)
        async with aclosing(engine.generate(replace(REQUEST, max_tokens=1000))) as first:
            await anext(first)
            queued = asyncio.create_task(anext(engine.generate(REQUEST)))
            await subject.until_running(2)
            queued.cancel()
            with pytest.raises(asyncio.CancelledError):
                await queued
        await subject.until_idle()


@pytest.mark.engine
async def test_vllm_that_says_nothing_in_time_is_silent(vllm: Subject) -> None:
    assert isinstance(vllm.engine, VllmEngine)
    impatient = VllmEngine(replace(vllm.engine.config, silence_s=0.0001))
    impatient.llm = vllm.engine.llm
    with pytest.raises(EngineError, match="no token for") as caught:
        await anext(impatient.generate(vllm.request()))
    assert caught.value.code == "engine_silent"
    await vllm.until_idle()


@pytest.mark.engine
async def test_vllm_that_fell_silent_is_asked_before_it_is_trusted(vllm: Subject) -> None:
    assert isinstance(vllm.engine, VllmEngine)
    recovering = VllmEngine(replace(vllm.engine.config, silence_s=0.0001))
    recovering.llm = vllm.engine.llm
    with pytest.raises(EngineError):
        await anext(recovering.generate(vllm.request()))
    with pytest.raises(EngineError) as caught:
        await recovering.check()
    assert caught.value.code == "engine_silent"
    recovering.config = vllm.engine.config
    await recovering.check()


async def test_a_prompt_that_the_model_cannot_hold_is_an_error(real_subject: Subject) -> None:
    with pytest.raises(EngineError) as caught:
        await real_subject.chunks(token_ids=real_subject.prompt * 100)
    assert caught.value.code == "engine_failed"
    assert await real_subject.text()
