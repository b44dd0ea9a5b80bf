"""Processes are killed in the middle: nothing acknowledged is lost, nothing half done is seen."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from catalog.import_records import ImportBusyError, ImportRecord
from catalog.imports import Importer, ImporterConfig
from catalog.store import CatalogStore
from catalog.worker import BROKEN_OFF, TAKEN, run_in_process
from serving.embedded_redis import EmbeddedRedis, EmbeddedRedisConfig
from tests.catalog.make import product, variant
from tests.catalog.test_changes import following
from tests.catalog.uploads import receive, table
from tests.catalog.waiting import until

SHORT = ImporterConfig(lease_s=0.2)
MANY = 12_000


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[EmbeddedRedis]:
    """A Redis of its own that a test may kill."""
    server = EmbeddedRedis(EmbeddedRedisConfig(tmp_path / "redis"))
    await server.start()
    yield server
    await server.close()


async def _kill(server: EmbeddedRedis) -> None:
    """kill -9, and start it again on the same folder."""
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    with suppress(Exception):
        await server.close()
    await server.start()


def _large() -> str:
    return table(*(f"P{n},P{n},Lamp {n},5,1" for n in range(MANY)))


async def _applying(redis_url: str, import_id: str) -> Process:
    """A worker that applies the import."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "catalog.worker", stdin=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    job = f'{{"redis": "{redis_url}", "import_id": "{import_id}", "action": "apply", "actor": ""}}'
    process.stdin.write(job.encode() + b"\n")
    await process.stdin.drain()
    return process


async def _under_way(importer: Importer, import_id: str) -> None:
    """Wait until the import has begun to compare or store, or is over."""

    async def under_way() -> bool:
        record = await importer.records.get(import_id)
        ended = record.state not in ("received", "storing")
        return record.phase in ("comparing", "storing") or ended

    await until(under_way)


async def _broken_off(
    redis_url: str, redis: Redis, importer: Importer, signal_number: int
) -> tuple[str, int]:
    """An import into a shop that has only "Z", whose worker got the signal before it was done, and
    the worker's exit code.

    On a busy machine the signal may come too late: then all is forgotten, and done again.
    """
    for _ in range(10):
        await redis.flushdb()
        await CatalogStore(redis).put([product("Z", variant("Z-1"))], actor="ann")
        import_id = await receive(importer, _large())
        process = await _applying(redis_url, import_id)
        await _under_way(importer, import_id)
        with suppress(ProcessLookupError):
            process.send_signal(signal_number)
        async with asyncio.timeout(20):
            exit_code = await process.wait()
        if (await importer.records.get(import_id)).state != "applied":
            return import_id, exit_code
    raise AssertionError("every import was done before its worker got the signal")


async def _left_alone(importer: Importer, redis: Redis, import_id: str) -> ImportRecord:
    """The import, when nobody works on it any more."""

    async def left_alone() -> bool:
        record = await importer.records.get(import_id)
        return record.state != "storing" or record.interrupted(
            _now(await redis.time()), SHORT.lease_s
        )

    await until(left_alone)
    return await importer.records.get(import_id)


async def test_a_worker_applies_previews_and_undoes(redis_url: str, redis: Redis) -> None:
    store = CatalogStore(redis)
    importer = Importer(redis, store)
    import_id = await receive(importer, table("A,A-1,Lamp,5,3"))
    assert await run_in_process(redis_url, import_id, "preview") == 0
    assert (await importer.records.get(import_id)).rows.created == 1
    assert await run_in_process(redis_url, import_id, "apply") == 0
    assert (await importer.records.get(import_id)).state == "applied"
    assert await run_in_process(redis_url, import_id, "undo", actor="bob") == 0
    assert (await importer.records.get(import_id)).undone_by == "bob"
    assert await run_in_process(redis_url, "nothing", "apply") == TAKEN


async def test_kill_9_in_the_middle_of_an_import_leaves_the_catalogue_and_can_be_resumed(
    redis_url: str, redis: Redis
) -> None:
    store = CatalogStore(redis)
    importer = Importer(redis, store, SHORT)
    import_id, _ = await _broken_off(redis_url, redis, importer, signal.SIGKILL)
    record = await importer.records.get(import_id)
    assert record.state == "storing"
    assert await store.versions() == {"Z": 1}
    with pytest.raises(ImportBusyError):
        await Importer(redis, store).undo(import_id, actor="ann")
    assert (await _left_alone(importer, redis, import_id)).state == "storing"
    assert (await importer.apply(import_id)).state == "applied"
    assert len(await store.versions()) == MANY + 1
    assert await redis.hlen(store.keys.records) == MANY + 1


async def test_a_worker_that_is_told_to_end_says_so_and_leaves_nothing(
    redis_url: str, redis: Redis
) -> None:
    store = CatalogStore(redis)
    importer = Importer(redis, store)
    import_id, exit_code = await _broken_off(redis_url, redis, importer, signal.SIGTERM)
    assert exit_code == BROKEN_OFF
    record = await importer.records.get(import_id)
    assert (record.state, record.error_code) == ("failed", "interrupted")
    assert await store.versions() == {"Z": 1}
    assert await redis.hlen(store.keys.records) == 1
    assert (await importer.apply(import_id)).products.created == MANY


def _now(time: tuple[int, int]) -> float:
    return time[0] + time[1] / 1e6


async def test_kill_9_of_redis_in_the_middle_of_an_import(server: EmbeddedRedis) -> None:
    async with Redis.from_url(server.url, socket_timeout=60) as redis:
        store = CatalogStore(redis)
        importer = Importer(redis, store, SHORT)
        await store.put([product("Z", variant("Z-1"))], actor="ann")
        import_id = await receive(importer, _large())
        applying = asyncio.create_task(importer.apply(import_id))
        await _under_way(importer, import_id)
        acknowledged = await store.put([product("Y", variant("Y-1"))], actor="ann")
        await _kill(server)
        with suppress(RedisError, OSError):
            await applying
        assert (await store.versions())["Y"] == acknowledged
        assert len(await store.versions()) in (2, MANY + 2)
        record = await _left_alone(importer, redis, import_id)
        if record.state != "applied":
            assert (await importer.apply(import_id)).state == "applied"
        assert len(await store.versions()) == MANY + 2


async def test_every_acknowledged_write_outlives_kill_9_of_redis(server: EmbeddedRedis) -> None:
    async with Redis.from_url(server.url, socket_timeout=60) as redis:
        store = CatalogStore(redis)
        acknowledged: dict[str, int] = {}

        async def edit(name: str) -> None:
            for number in range(10_000):
                version = await store.put([product(name, price=str(number))], actor=name)
                acknowledged[name] = version

        edits = [asyncio.create_task(edit(name)) for name in "abcd"]

        async def enough() -> bool:
            return len(acknowledged) == 4 and min(acknowledged.values()) > 40

        await until(enough)
        await _kill(server)
        for task in edits:
            task.cancel()
        await asyncio.gather(*edits, return_exceptions=True)
        stored = await store.versions()
        assert all(stored[name] >= version for name, version in acknowledged.items())
        assert max(stored.values()) == await store.version()


async def test_a_feed_follows_on_after_redis_was_restarted(server: EmbeddedRedis) -> None:
    async with Redis.from_url(server.url, socket_timeout=60) as redis:
        store = CatalogStore(redis)
        await store.put([product("a", price="1")], actor="ann")
        async with following(store) as replica:
            for price in ("2", "3"):
                await _kill(server)
                version = await store.put([product("a", price=price)], actor="ann")
                await replica.reached(version)
                assert replica.prices == {"a": price}
