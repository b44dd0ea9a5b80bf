"""`POST /chat/warm` over real sockets, and what the shelf says of itself."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from redis.asyncio import Redis

from catalog.pins import Pins
from catalog.product import Locale, Product
from pipeline.prompt import PromptBuilder
from pipeline.types import Turn
from pipeline.warming.jobs import Ids
from serving.access import Access, AccessConfig
from serving.engines.scripted import ScriptedConfig, ScriptedEngine
from serving.services import Services
from serving.sessions import RedisSessions, SessionConfig
from tests.serving.desk import BLOCK, Desk, opened, ready
from tests.serving.fakes import shirt
from tests.serving.server import post, serving, until


async def test_an_opened_page_is_queued_then_warm(desk: Desk, prompts: PromptBuilder) -> None:
    engine = ScriptedEngine(ScriptedConfig(block_size=BLOCK))
    services, shelf = await desk.services(engine)
    async with serving(services) as port:
        assert await opened(port, sku="SH-WHT") == (202, {"status": "queued"})
        ids = prompts.prefix(shirt(), "en")
        await until(lambda: shelf.warmer.open_page(ids) == "warm")
        assert await opened(port, sku="shirt", locale="en") == (202, {"status": "warm"})
        assert await opened(port, sku="shirt", locale="zh") == (202, {"status": "queued"})
        chinese = prompts.prefix(shirt(), "zh")
        await until(lambda: shelf.warmer.open_page(chinese) == "warm")
    text = services.metrics.exposition().decode()
    assert 'hotshelf_warmups_total{outcome="done",why="page"} 2.0' in text
    assert shelf.traffic.unwritten <= 0.75


async def test_a_conversation_goes_on_from_where_it_is(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = RedisSessions(desk.redis, SessionConfig())
    await sessions.append("s1", Turn("有白色的吗？", "有。", ("shirt",)))
    services, _ = await desk.services()
    asked: list[tuple[Locale, int]] = []
    prefix = desk.shop.prompts.prefix

    def noted(product: Product, locale: Locale, turns: Sequence[Turn] = ()) -> Ids:
        asked.append((locale, len(turns)))
        return prefix(product, locale, turns)

    async with serving(services) as port:
        monkeypatch.setattr(desk.shop.prompts, "prefix", noted)
        assert (await opened(port, sku="shirt", session_id="s1"))[0] == 202
        assert (await opened(port, sku="shirt", session_id="unknown"))[0] == 202
        monkeypatch.undo()
    assert asked == [("zh", 1), ("en", 0)]


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ({"sku": "nothing"}, 404, "sku_unknown", "sku"),
        ({}, 422, "invalid_request", "sku"),
        ({"sku": ""}, 422, "invalid_request", "sku"),
        ({"sku": 7}, 422, "invalid_request", "sku"),
        ({"sku": "shirt", "locale": "fr"}, 422, "invalid_request", "locale"),
        ({"sku": "shirt", "page": 1}, 422, "invalid_request", "page"),
        (b"{", 400, "invalid_json", None),
        (b'"' + b"x" * 600_000 + b'"', 413, "body_too_large", None),
    ],
)
async def test_wrong_requests_are_told_what_is_wrong(
    services: Services, body: object, status: int, code: str, field: str | None
) -> None:
    async with serving(services) as port, post(port, "/chat/warm", body) as reply:
        assert reply.status == status
        error = (await reply.json())["error"]
    assert (error["code"], error.get("field")) == (code, field)


async def test_it_needs_a_key_where_chat_does(services: Services) -> None:
    guarded = replace(services, access=Access(AccessConfig(("secret",))))
    async with serving(guarded) as port:
        assert (await opened(port, sku="shirt"))[0] == 401
        async with post(
            port, "/chat/warm", {"sku": "shirt"}, authorization="Bearer secret"
        ) as reply:
            assert reply.status == 202


async def test_a_conversation_and_an_address_may_ask_so_often(desk: Desk) -> None:
    services, _ = await desk.services(warm_per_session=2, warm_per_address=5)
    async with serving(services) as port:
        seen = [(await opened(port, sku="shirt", session_id="s1"))[0] for _ in range(3)]
        assert seen == [202, 202, 429]
        async with post(port, "/chat/warm", {"sku": "shirt", "session_id": "s1"}) as reply:
            assert 1 <= int(reply.headers["retry-after"]) <= 60
            assert (await reply.json())["error"]["code"] == "too_many_requests"
        seen = [(await opened(port, sku="shirt"))[0] for _ in range(2)]
        assert seen == [202, 429]


async def test_without_redis_it_is_allowed(desk: Desk) -> None:
    async with Redis(port=1) as nowhere:
        services, shelf = await desk.services(redis=nowhere)
        async with serving(services) as port:
            assert (await opened(port, sku="shirt", session_id="s1"))[0] == 202
            assert shelf.traffic.unwritten > 0


async def test_where_requests_wait_there_is_no_moment_for_a_page(desk: Desk) -> None:
    services, _ = await desk.services()
    permits = [await services.admission.acquire() for _ in range(2)]
    waiting = asyncio.ensure_future(services.admission.acquire())
    async with serving(services) as port:
        await until(lambda: services.admission.waiting == 1)
        assert await opened(port, sku="shirt") == (202, {"status": "busy"})
    for permit in (*permits, await _released(permits, waiting)):
        permit.release()


async def _released(permits: list[Any], waiting: "asyncio.Future[Any]") -> Any:
    permits[0].release()
    return await waiting


async def test_a_pinned_product_is_warm_before_it_is_ready(
    desk: Desk, prompts: PromptBuilder
) -> None:
    await Pins(desk.redis).pin("shirt", actor="ann")
    engine = ScriptedEngine(ScriptedConfig(block_size=BLOCK))
    services, _ = await desk.services(engine)
    async with serving(services) as port:
        assert await ready(port) == {"status": "ready", "shelf": {"members": 1, "warm": 1}}
        text = services.metrics.exposition().decode()
    assert "hotshelf_shelf_members 1.0" in text
    assert "hotshelf_shelf_warm 1.0" in text
    assert 'hotshelf_warmups_total{outcome="done",why="start"} 3.0' in text


async def test_it_is_ready_though_the_shelf_is_not_warm_yet(desk: Desk) -> None:
    await Pins(desk.redis).pin("shirt", actor="ann")
    services, _ = await desk.services(warm_start_s=0.0, warming=False)
    async with serving(services) as port:
        assert await ready(port) == {"status": "ready", "shelf": {"members": 1, "warm": 0}}


async def test_a_question_brings_its_product_onto_the_shelf(desk: Desk) -> None:
    services, shelf = await desk.services()
    async with serving(services) as port:
        async with post(port, "/chat", {"message": "Is it linen?", "sku": "shirt"}) as reply:
            assert b"event: done" in await reply.rest()
        async with asyncio.timeout(5):
            while shelf.status().warm == 0:  # noqa: ASYNC110  written within a second
                await asyncio.sleep(0.01)
    assert shelf.status().members == 1


async def test_stopping_ends_the_warming_at_once(desk: Desk) -> None:
    engine = ScriptedEngine(ScriptedConfig(block_size=BLOCK))
    _, shelf = await desk.services(engine)
    engine.config = ScriptedConfig(block_size=BLOCK, first_token_s=3600)
    assert shelf.warmer.open_page(desk.shop.prompts.prefix(shirt(), "en")) == "queued"
    async with asyncio.timeout(5):
        while (await engine.stats()).running == 0:  # noqa: ASYNC110  no event tells
            await asyncio.sleep(0.001)
    shelf.stop()
    async with asyncio.timeout(1):
        while (await engine.stats()).running:  # noqa: ASYNC110  no event tells
            await asyncio.sleep(0.001)
