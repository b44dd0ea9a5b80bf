"""A Redis of its own for every test of the catalogue."""

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from catalog.store import CatalogStore


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
