"""`hotshelf serve` as a process: it answers, and takes everything down that it started."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from redis.asyncio import Redis

from catalog.store import CatalogStore
from serving.embedded_redis import EmbeddedRedis, EmbeddedRedisConfig, running_url
from serving.engines.scripted import ScriptedConfig, ScriptedEngine
from serving.engines.scripted_server import create_app
from tests.contract.subjects import serving
from tests.serving.command import running, started, until_said
from tests.serving.fakes import shirt
from tests.serving.server import events

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
async def data_dir(tmp_path: Path) -> Path:
    """A data folder whose catalogue holds one garment: the demo shop takes longer to encode."""
    folder = tmp_path / "data"
    redis = EmbeddedRedis(EmbeddedRedisConfig(folder / "redis"))
    await redis.start()
    async with Redis.from_url(redis.url) as client:
        await CatalogStore(client).put([shirt()], actor="test")
    await redis.close()
    return folder


@pytest.fixture
async def settings(data_dir: Path, model_dir: Path) -> AsyncIterator[dict[str, str]]:
    """An engine elsewhere, the real tokenizer, a Redis of our own."""
    engine = ScriptedEngine(ScriptedConfig("It is linen."))
    async with serving(create_app(engine)) as url:
        yield {
            "HOTSHELF_ENGINE_URL": url,
            "HOTSHELF_DATA_DIR": str(data_dir),
            "HOTSHELF_MODEL": str(model_dir),
        }


async def answer(url: str) -> str:
    """What it says to a question about the garment, found by search."""
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        reply = await client.post("/chat", json={"message": "Does the linen shirt come in black?"})
    names = [name for name, _ in events(reply.content)]
    data = dict(events(reply.content))
    assert (names[0], names[-1]) == ("sources", "done")
    assert data["sources"]["products"][0]["id"] == shirt().id
    return "".join(event["text"] for name, event in events(reply.content) if name == "token")


async def test_it_answers_and_a_signal_ends_it_with_its_redis(
    tmp_path: Path, settings: dict[str, str], data_dir: Path
) -> None:
    async with running(tmp_path, **settings) as hotshelf:
        assert any(line.startswith("✓ Warming the static heads") for line in hotshelf.said)
        said = await until_said(hotshelf.process, "/v1/chat/completions")
        assert [line.split()[2] for line in said if line.startswith("curl -N")] == [
            f"{hotshelf.url}/chat",
            f"{hotshelf.url}/v1/chat/completions",
        ]
        assert await answer(hotshelf.url) == "It is linen."
        assert running_url(data_dir / "redis") is not None
        assert await hotshelf.end(signal.SIGTERM) == 0
    assert running_url(data_dir / "redis") is None


async def test_its_redis_ends_when_it_is_killed(
    tmp_path: Path, settings: dict[str, str], data_dir: Path
) -> None:
    async with running(tmp_path, **settings) as hotshelf:
        assert await hotshelf.end(signal.SIGKILL) == -signal.SIGKILL
    assert running_url(data_dir / "redis") is None


async def test_several_processes_share_one_port_and_end_together(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    async with running(tmp_path, HOTSHELF_WORKERS="2", **settings) as hotshelf:
        assert len(hotshelf.children) == 3  # two workers and Redis
        assert await answer(hotshelf.url) == "It is linen."
        assert await hotshelf.end(signal.SIGINT) == 0


async def test_a_worker_that_dies_ends_the_whole_with_a_line(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    async with running(tmp_path, HOTSHELF_WORKERS="2", **settings) as hotshelf:
        worker = next(c for c in hotshelf.children if "worker" in c.cmdline())
        os.kill(worker.pid, signal.SIGKILL)
        assert await hotshelf.ended() == 1
        assert hotshelf.process.stderr is not None
        (line,) = (await hotshelf.process.stderr.read()).decode().splitlines()
    assert f"gateway process {worker.pid} ended by itself (status -9)" in line


async def test_a_signal_breaks_off_the_start(
    tmp_path: Path, settings: dict[str, str], data_dir: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as never_answers:
        settings["HOTSHELF_ENGINE_URL"] = f"http://127.0.0.1:{never_answers.getsockname()[1]}"
        async with started(tmp_path, **settings) as process:
            await until_said(process, "  Engine")
            process.send_signal(signal.SIGTERM)
            _, stderr = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 128 + signal.SIGTERM
    assert stderr.decode() == "hotshelf: stopped by SIGTERM before it was ready\n"
    assert running_url(data_dir / "redis") is None


async def test_an_engine_that_is_not_there_is_one_line(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as once:
        settings["HOTSHELF_ENGINE_URL"] = f"http://127.0.0.1:{once.getsockname()[1]}"
    async with started(tmp_path, **settings) as process:
        _, stderr = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 1
    (line,) = stderr.decode().splitlines()
    assert line.startswith("hotshelf: the engine did not start: ")


@pytest.mark.engine
async def test_the_real_engine_ends_with_it(
    tmp_path: Path, data_dir: Path, model_dir: Path
) -> None:
    settings = {"HOTSHELF_DATA_DIR": str(data_dir), "HOTSHELF_MODEL": str(model_dir)}
    async with running(tmp_path, **settings) as hotshelf:
        assert any("EngineCore" in child.name() for child in hotshelf.children)
        assert await answer(hotshelf.url)
        assert await hotshelf.end(signal.SIGTERM) == 0
        assert hotshelf.process.stderr is not None
        assert (await hotshelf.process.stderr.read()).decode() == ""
