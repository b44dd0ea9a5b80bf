"""What breaks, and who leaves: told to whoever is still there, and nothing left behind."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from redis.asyncio import Redis

from serving.embedded_redis import EmbeddedRedis, EmbeddedRedisConfig
from serving.engines.scripted import ScriptedConfig
from serving.services import HttpConfig
from serving.sessions import RedisSessions, SessionConfig
from serving.sse import KEEP_ALIVE, StreamConfig
from tests.serving.server import connected, events, post, request_bytes, serving, until
from tests.serving.shop import ASK, FOREVER, GatedEngine, Shop, ask, until_running


async def test_an_engine_that_breaks_at_token_three_is_told_and_the_next_request_works(
    shop: Shop,
) -> None:
    services = shop.services(ScriptedConfig(text="one two three four", fail_at=3))
    async with serving(services) as port:
        for _ in range(2):
            told = await ask(port)
            names = [name for name, _ in told]
            assert names == ["sources", *["token"] * 3, "error", "timing", "done"]
            assert dict(told)["error"]["code"] == "engine_failed"
            assert dict(told)["done"]["finish_reason"] == "error"
    await until_running(services, 0)
    assert services.admission.in_use == 0


async def test_an_engine_that_stays_silent_is_filled_with_comments_and_given_up(
    shop: Shop,
) -> None:
    script = ScriptedConfig(text="one two three", hang_at=1, silence_s=0.2)
    http = HttpConfig(stream=StreamConfig(heartbeat_s=0.02))
    async with (
        serving(replace(shop.services(script), http=http)) as port,
        post(port, "/chat", ASK) as reply,
    ):
        body = await reply.rest()
    assert KEEP_ALIVE in reply.chunks
    assert dict(events(body))["error"]["code"] == "engine_silent"
    assert events(body)[-1][0] == "done"


@pytest.mark.parametrize(
    "script",
    [
        ScriptedConfig(text="one two", first_token_s=FOREVER),
        ScriptedConfig(text="one two", hang_at=1, silence_s=FOREVER),
    ],
    ids=["before the first token", "in mid-answer"],
)
async def test_a_client_that_leaves_frees_the_engines_slot_despite_heartbeats(
    shop: Shop, script: ScriptedConfig
) -> None:
    http = HttpConfig(stream=StreamConfig(heartbeat_s=0.01, hold_s=0.01))
    services = replace(shop.services(script), http=http)
    async with serving(services) as port:
        for path, body in (
            ("/chat", ASK),
            ("/v1/chat/completions", {"prompt": ASK["message"], "stream": True}),
        ):
            async with post(port, path, body) as reply:
                await until_running(services, 1)
                while await reply.chunk() != KEEP_ALIVE:
                    pass
                reply.reset()
                await until_running(services, 0)
                await until(lambda: services.admission.in_use == 0)


async def test_what_was_said_before_the_client_left_is_kept_and_marked(shop: Shop) -> None:
    script = ScriptedConfig(text="one two three", hang_at=2, silence_s=FOREVER)
    services = shop.services(script)
    async with serving(services) as port, post(port, "/chat", ASK) as reply:
        session_id = events(await reply.chunk())[0][1]["session_id"]
        await reply.chunk()
        await reply.chunk()
        reply.reset()
        await until(lambda: services.admission.in_use == 0)
    [turn] = await RedisSessions(services.redis, SessionConfig()).history(session_id)
    assert (turn.answer, turn.finish) == ("one two", "abort")


async def test_many_clients_that_leave_at_any_moment_leave_nothing_behind(shop: Shop) -> None:
    services = shop.services(ScriptedConfig(text="word " * 40, token_s=0.001))
    async with serving(services) as port:

        async def one(chunks: int) -> None:
            async with connected(port) as (reader, writer):
                writer.write(request_bytes("/chat", ASK))
                for _ in range(chunks):
                    await reader.readline()
                writer.transport.abort()

        for _ in range(5):
            await asyncio.gather(*(one(n) for n in range(4)))
        await until(lambda: services.admission.in_use == services.admission.waiting == 0)
        await until_running(services, 0)
        assert (await ask(port))[-1][1]["finish_reason"] == "stop"


@pytest.fixture
async def own_redis(tmp_path: Path) -> AsyncIterator[EmbeddedRedis]:
    """A redis-server that a test may kill."""
    server = EmbeddedRedis(EmbeddedRedisConfig(tmp_path / "redis"))
    await server.start()
    yield server
    await server.close()


async def test_a_store_lost_in_mid_answer_flags_it_and_all_is_well_after_its_return(
    shop: Shop, own_redis: EmbeddedRedis
) -> None:
    engine = GatedEngine(ScriptedConfig(text="one two three"))
    engine.gate.set()
    async with Redis.from_url(own_redis.url) as redis:
        services = replace(shop, base=replace(shop.base, redis=redis)).services(engine=engine)
        async with serving(services) as port:
            before = await ask(port)
            session_id = before[0][1]["session_id"]

            engine.gate.clear()
            async with post(port, "/chat", ASK) as reply:
                assert events(await reply.chunk())[0][0] == "sources"
                await kill(own_redis)
                engine.gate.set()
                told = events(await reply.rest())
            assert "".join(d["text"] for n, d in told if n == "token") == "one two three"
            assert dict(told)["error"]["code"] == "store_unavailable"
            assert told[-1][1]["finish_reason"] == "stop"

            told = await ask(port, session_id=session_id)
            assert [name for name, _ in told] == ["error", "done"]
            assert told[0][1]["code"] == "store_unavailable"
            assert told[0][1]["retry_after"] >= 1

            await own_redis.start()
            assert (await ask(port))[-1][1]["finish_reason"] == "stop"
            assert [name for name, _ in await ask(port, session_id=session_id)][-1] == "done"
    assert services.admission.in_use == 0


async def kill(server: EmbeddedRedis) -> None:
    """End it as a crash does, and return when it is gone."""
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    await server.close()
