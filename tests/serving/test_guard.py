"""The guard behind both routes: no wrong price leaves, and the counter says so."""

import json
from dataclasses import replace

import httpx

from pipeline.chat import Chat, ChatConfig
from pipeline.guarding.guard import Guards
from pipeline.replying.replies import Replies
from serving.engines.scripted import ScriptedConfig, ScriptedEngine
from serving.services import Services
from serving.sessions import RedisSessions, SessionConfig
from tests.serving.server import serving
from tests.serving.shop import Shop, ask


def guarded(shop: Shop, text: str) -> Services:
    """Services whose engine says `text`, with the guard's counts in their metrics."""
    engine = ScriptedEngine(ScriptedConfig(text=text))
    sessions = RedisSessions(shop.base.redis, SessionConfig())
    guards = Guards(shop.base.metrics.guarded)
    replies = Replies.beside(shop.prompts)
    config = ChatConfig(max_tokens=48)
    chat = Chat(shop.records, shop.finder, replies, shop.prompts, engine, sessions, config, guards)
    return replace(shop.base, engine=engine, chat=chat)


async def replaced(client: httpx.AsyncClient, kind: str) -> float:
    name = f'hotshelf_guard_total{{kind="{kind}",outcome="replaced"}} '
    lines = (await client.get("/metrics")).text.splitlines()
    return next(float(line.removeprefix(name)) for line in lines if line.startswith(name))


async def test_chat_sends_the_records_price(shop: Shop) -> None:
    services = guarded(shop, "The price is $12.34. It is linen.")
    async with (
        serving(services) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        before = await replaced(client, "amount")
        told = await ask(port, message="How much is the white one?", sku="SH-WHT")
        text = "".join(data["text"] for name, data in told if name == "token")
        assert (
            text == "The price is — The white price is $19.90 (reduced from $30.00). It is linen."
        )
        assert await replaced(client, "amount") == before + 1
    assert [name for name, _ in told if name != "token"] == ["sources", "timing", "done"]
    assert told[-1][1]["finish_reason"] == "stop"


async def test_the_openai_route_sends_the_records_stock(shop: Shop) -> None:
    services = guarded(shop, "Yes, black is in stock. Buy it!")
    body = {"messages": [{"role": "user", "content": "Does the linen shirt come in black?"}]}
    async with (
        serving(services) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        before = await replaced(client, "availability")
        whole = (await client.post("/v1/chat/completions", json=body)).json()
        message = whole["choices"][0]["message"]["content"]
        assert message == "Black is out of stock. In stock: white. Buy it!"
        streamed = await client.post("/v1/chat/completions", json={**body, "stream": True})
        pieces = [
            json.loads(line.removeprefix("data: "))
            for line in streamed.text.splitlines()
            if line.startswith("data: {")
        ]
        told = (piece["choices"][0]["delta"].get("content") or "" for piece in pieces)
        assert "".join(told) == message
        assert await replaced(client, "availability") == before + 2


async def test_every_label_is_there_from_the_start(shop: Shop) -> None:
    async with (
        serving(shop.base) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        text = (await client.get("/metrics")).text
    for kind in ("amount", "availability"):
        for outcome in ("passed", "replaced"):
            assert f'hotshelf_guard_total{{kind="{kind}",outcome="{outcome}"}}' in text
