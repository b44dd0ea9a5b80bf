"""vLLM with the real model: characters of several tokens, and a core that dies."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from pipeline.engine import Chunk, Engine, EngineError, GenerationRequest
from serving.engines.vllm import VllmConfig, VllmEngine

pytestmark = [
    pytest.mark.engine,
    pytest.mark.filterwarnings("ignore"),  # PyTorch deprecates parts of itself that it uses
]

GOOSE = "🪿"
"""An emoji that the bundled model has no token for: four tokens, one for each byte."""
GREETING = "你好🌍"


def ask(ids: list[int], max_tokens: int = 16) -> GenerationRequest:
    return GenerationRequest("vllm-test", tuple(ids), max_tokens)


async def texts(engine: Engine, request: GenerationRequest) -> list[str]:
    return [chunk.text async for chunk in engine.generate(request)]


@pytest.fixture
def tokenizer(vllm_engine: Engine) -> Any:
    assert isinstance(vllm_engine, VllmEngine)
    return vllm_engine.llm.get_tokenizer()


def bytes_as_ids(tokenizer: Any, text: str) -> list[int]:
    """`text` spelled with the tokens of single bytes."""
    return [tokenizer.convert_tokens_to_ids(f"<0x{byte:02X}>") for byte in text.encode()]


async def test_a_character_of_several_tokens_comes_whole(
    vllm_engine: Engine, tokenizer: Any
) -> None:
    """Failure case 13: the answer is cut at every token, also inside its characters."""
    prompt = tokenizer.encode(f"Repeat: {GOOSE * 12}")
    whole = "".join(await texts(vllm_engine, ask(prompt, 12)))
    assert GOOSE in whole
    for length in range(1, 13):
        pieces = await texts(vllm_engine, ask(prompt, length))
        assert whole.startswith("".join(pieces))
        assert not any("\ufffd" in piece for piece in pieces)


@pytest.mark.parametrize("length", range(1, len(GREETING.encode()) + 1))
async def test_a_prompt_cut_inside_a_character_is_not_repeated(
    vllm_engine: Engine, tokenizer: Any, length: int
) -> None:
    """Failure case 14: no prompt in the answer, and no U+FFFD for what the cut left over."""
    start = "The zebra said hello and then"
    ids = tokenizer.encode(start) + bytes_as_ids(tokenizer, GREETING)[:length]
    said = "".join(await texts(vllm_engine, ask(ids, 6)))
    assert "zebra said" not in said
    assert "\ufffd" not in said


async def exhausted(stream: AsyncGenerator[Chunk, None]) -> None:
    """Wait for the end, but not for ever."""
    async with asyncio.timeout(10):
        async for _ in stream:
            pass


def core_of(engine: VllmEngine) -> int:
    [process] = engine.llm.engine_core.resources.engine_manager.processes
    return int(process.pid)


def children() -> set[int]:
    """Every process that descends from this one."""
    found: set[int] = set()
    parents = [os.getpid()]
    while parents:
        task = Path(f"/proc/{parents.pop()}/task")
        for kids in task.glob("*/children"):
            new = set(map(int, kids.read_text().split())) - found
            found |= new
            parents += new
    return found


async def gone(before: set[int]) -> None:
    """Return once there are no more processes than `before`, but for Python's own tracker."""
    async with asyncio.timeout(10):
        while any(b"resource_tracker" not in command(pid) for pid in children() - before):  # noqa: ASYNC110  no event tells
            await asyncio.sleep(0.05)


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b"resource_tracker"


@pytest.mark.timeout(300)
async def test_a_core_that_dies_fails_every_stream_and_leaves_nothing_behind(
    model_dir: Path,
) -> None:
    before = children()
    engine = VllmEngine(VllmConfig(str(model_dir), kv_cache_gib=0.1, max_num_seqs=4))
    await engine.start()
    async with (
        aclosing(engine.generate(ask([2, 100], 400))) as first,
        aclosing(engine.generate(ask([2, 200], 400))) as second,
    ):
        await anext(first)
        await anext(second)
        os.kill(core_of(engine), signal.SIGKILL)
        for stream in (first, second):
            with pytest.raises(EngineError) as caught:
                await exhausted(stream)
            assert caught.value.code == "engine_failed"
    for failing in (engine.check(), anext(engine.generate(ask([2])))):
        with pytest.raises(EngineError) as caught:
            await failing
        assert caught.value.code == "engine_failed"
    await engine.close()
    await engine.close()
    await gone(before)


async def test_a_start_that_is_given_up_leaves_nothing_behind(
    model_dir: Path, vllm_engine: Engine
) -> None:
    before = children()
    engine = VllmEngine(VllmConfig(str(model_dir), kv_cache_gib=0.1))
    starting = asyncio.create_task(engine.start())
    while not any(b"spawn_main" in command(pid) for pid in children() - before):  # noqa: ASYNC110  no event tells
        await asyncio.sleep(0.05)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await engine.close()
    await gone(before)
    await vllm_engine.check()
    assert await texts(vllm_engine, ask([2, 100], 2)), "another engine was ended with it"


async def test_a_model_that_does_not_exist_is_one_clear_line(tmp_path: Path) -> None:
    engine = VllmEngine(VllmConfig(str(tmp_path / "nothing")))
    with pytest.raises(EngineError) as caught:
        await engine.start()
    assert "nothing" in str(caught.value)
    assert "\n" not in str(caught.value)
