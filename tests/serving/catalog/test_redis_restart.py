"""Redis dies and comes back: every gateway follows on, and its answers know what it missed."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from catalog.redis_client import connect
from catalog.store import CatalogStore
from pipeline.prompt import PromptBuilder
from serving.embedded_redis import EmbeddedRedis, EmbeddedRedisConfig
from tests.catalog.make import product
from tests.serving.catalog.conftest import SHIRT
from tests.serving.catalog.gateways import Gateway, gateway

ASKED = {"message": "How much is the linen shirt?", "sku": "SH-BLK"}


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[EmbeddedRedis]:
    """A Redis of its own, which holds a shirt."""
    server = EmbeddedRedis(EmbeddedRedisConfig(tmp_path / "redis"))
    await server.start()
    redis = connect(server.url)
    await CatalogStore(redis).put([SHIRT], actor="setup")
    await redis.aclose()
    yield server
    await server.close()


async def killed(server: EmbeddedRedis) -> None:
    """kill -9; it is gone when this returns."""
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    with suppress(Exception):
        await server.close()


async def price_of(shop: Gateway) -> str:
    told = await shop.ask(**ASKED)
    return str(told["products"][0]["variants"][0]["price"]["amount"])


async def test_prices_that_change_after_each_restart_are_in_the_next_answers(
    server: EmbeddedRedis, prompts: PromptBuilder
) -> None:
    async with gateway(server.url, prompts) as here, gateway(server.url, prompts) as there:
        for price in ("12.34", "56.78"):
            await killed(server)
            await server.start()
            path = "/catalog/variants/SH-BLK"
            reply = await here.client.patch(path, json={"price": price})
            assert reply.status_code == 200, reply.text
            for each in (here, there):
                await each.reaches(reply, within_s=20)
                assert await price_of(each) == price


async def test_what_was_changed_before_a_gateway_found_redis_again_is_not_missed(
    server: EmbeddedRedis, prompts: PromptBuilder
) -> None:
    async with gateway(server.url, prompts) as shop:
        assert await price_of(shop) == "30.00"
        await killed(server)
        refused = await shop.client.patch("/catalog/variants/SH-BLK", json={"price": "1.00"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "store_unavailable")
        assert shop.records.version == 1
        await server.start()
        redis = connect(server.url)
        store = CatalogStore(redis)
        await store.put([product("mug", title="Mug")], actor="another")
        (shirt,) = [p for p in (await store.load()).products if p.id == "shirt"]
        assert shirt.variants == SHIRT.variants
        await store.delete(["shirt"], actor="another")
        await redis.aclose()
        async with asyncio.timeout(20):
            while shop.records.version < 3:  # noqa: ASYNC110  another process wrote it
                await asyncio.sleep(0.01)
        gone = await shop.client.post("/chat", json=ASKED)
        assert (gone.status_code, gone.json()["error"]["code"]) == (404, "sku_unknown")
        await shop.refresher.settled()
        found = await shop.ask(message="How much is the mug?")
        assert [source["id"] for source in found["products"]] == ["mug"]
