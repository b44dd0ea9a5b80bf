"""`hotshelf serve` as a process: its first token, its log, and imports that outlive a kill -9."""

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from redis.asyncio import Redis

from benchmarks.shopify_file import write_shopify_file
from catalog.store import CatalogStore
from serving.embedded_redis import EmbeddedRedis, EmbeddedRedisConfig
from serving.engines.scripted import ScriptedConfig, ScriptedEngine
from serving.engines.scripted_server import create_app
from tests.contract.subjects import serving
from tests.serving.command import Running, running
from tests.serving.fakes import shirt

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
async def settings(tmp_path: Path, model_dir: Path) -> AsyncIterator[dict[str, str]]:
    """An engine elsewhere, and a data folder whose catalogue holds one garment."""
    folder = tmp_path / "data"
    server = EmbeddedRedis(EmbeddedRedisConfig(folder / "redis"))
    await server.start()
    async with Redis.from_url(server.url) as redis:
        await CatalogStore(redis).put([shirt()], actor="test")
    await server.close()
    async with serving(create_app(ScriptedEngine(ScriptedConfig("Yes.")))) as engine:
        yield {
            "HOTSHELF_ENGINE_URL": engine,
            "HOTSHELF_DATA_DIR": str(folder),
            "HOTSHELF_MODEL": str(model_dir),
            "HOTSHELF_LOG_LEVEL": "debug",
        }


def token_of(hotshelf: Running) -> str | None:
    """The token that it printed, if it did."""
    words = [word for line in hotshelf.said for word in line.split()]
    return next((word for word in words if word.startswith("hotshelf_")), None)


def client_of(hotshelf: Running, token: str) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.AsyncClient(base_url=hotshelf.url, headers=headers, timeout=30, verify=False)


async def until(client: httpx.AsyncClient, path: str, *statuses: str) -> Any:
    """The import, once it has one of `statuses`."""
    async with asyncio.timeout(120):
        while True:
            found = (await client.get(path)).json()
            if found["status"] in statuses:
                return found
            await asyncio.sleep(0.02)


async def log_of(hotshelf: Running) -> str:
    """All that it wrote, once it has ended."""
    assert hotshelf.process.stderr is not None
    assert hotshelf.process.stdout is not None
    rest = await hotshelf.process.stdout.read() + await hotshelf.process.stderr.read()
    return rest.decode()


async def test_the_first_token_is_shown_once_and_no_token_is_ever_logged(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    async with running(tmp_path, **settings) as hotshelf:
        token = token_of(hotshelf)
        assert token is not None
        async with client_of(hotshelf, token) as client:
            replies = [
                await client.get("/catalog/products"),
                await client.patch("/catalog/variants/SH-BLK", json={"price": 1.5}),
                await client.get(f"/catalog/products/{token}"),
                await client.get("/catalog/products", headers={"Authorization": f"Basic {token}"}),
                await client.get("/catalog/products", headers={"Authorization": token + "x"}),
                await client.post("/catalog/imports", content=b"nothing,known\n1,2\n"),
            ]
            assert [reply.status_code for reply in replies] == [200, 422, 404, 401, 401, 202]
            await until(client, replies[-1].headers["location"], "failed")
        assert await hotshelf.end(signal.SIGTERM) == 0
        assert token not in await log_of(hotshelf)
    assert not any(
        token.encode() in path.read_bytes()
        for path in Path(settings["HOTSHELF_DATA_DIR"]).rglob("*")
        if path.is_file()
    )
    async with running(tmp_path, **settings) as again:
        assert token_of(again) is None
        async with client_of(again, token) as client:
            assert (await client.get("/catalog/products")).status_code == 200


async def test_an_import_outlives_a_server_that_is_killed(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    file = tmp_path / "shop.csv"
    write_shopify_file(file, 6_000)
    async with running(tmp_path, **settings) as hotshelf:
        token = token_of(hotshelf)
        assert token is not None
        async with client_of(hotshelf, token) as client:
            sent = await client.post(
                "/catalog/imports", params={"currency": "USD"}, content=file.read_bytes()
            )
            path = sent.headers["location"]
            await until(client, path, "applying")
        workers = psutil.Process(hotshelf.process.pid).children(recursive=True)
        assert any("catalog.worker" in worker.cmdline() for worker in workers)
        hotshelf.children[:] = workers
        assert await hotshelf.end(signal.SIGKILL) == -signal.SIGKILL
    async with running(tmp_path, **settings) as again, client_of(again, token) as client:
        assert (await client.get("/catalog/products")).json()["total"] == 1
        broken = await until(client, path, "interrupted", "failed", "applied")
        assert broken["status"] != "applied"
        assert (await client.post(f"{path}/apply")).status_code == 202
        done = await until(client, path, "applied", "failed", "refused")
        assert (done["status"], done["rows"]["refused"]) == ("applied", 0)
        page = (await client.get("/catalog/products", params={"limit": 1})).json()
        assert done["products"]["created"] > 500
        assert page["catalog_version"] >= done["version"]
        assert (await client.post(f"{path}/undo")).status_code == 202
        await until(client, path, "undone")
        assert await again.end(signal.SIGTERM) == 0
