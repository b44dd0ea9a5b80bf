"""What operators ask, and what they are told."""

import socket
from dataclasses import replace

import httpx
from redis.asyncio import Redis

from pipeline.engine import EngineError
from pipeline.records import Records
from serving.engines.scripted import ScriptedConfig, ScriptedEngine
from serving.services import Services
from tests.serving.server import serving


class StoppedEngine(ScriptedEngine):
    """An engine that would not answer."""

    async def check(self) -> None:
        raise EngineError("engine_failed", "it has stopped")


async def get(services: Services, path: str) -> httpx.Response:
    async with serving(services) as port, httpx.AsyncClient() as client:
        return await client.get(f"http://127.0.0.1:{port}{path}")


async def test_it_is_ready_when_every_part_is(services: Services) -> None:
    reply = await get(services, "/readyz")
    shelf = {"members": 0, "warm": 0}
    assert (reply.status_code, reply.json()) == (200, {"status": "ready", "shelf": shelf})


async def test_what_is_not_ready_is_named(services: Services) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    async with Redis(port=port) as nowhere:
        engine = StoppedEngine(ScriptedConfig())
        broken = replace(services, engine=engine, redis=nowhere, records=Records())
        reply = await get(broken, "/readyz")
    error = reply.json()["error"]
    assert (reply.status_code, error["code"]) == (503, "not_ready")
    assert set(error["not_ready"]) == {"engine", "redis", "catalogue"}
    assert error["not_ready"]["engine"] == "it has stopped"
    assert "redis: " in error["message"]


async def test_it_is_healthy_though_nothing_else_is(services: Services) -> None:
    broken = replace(services, engine=StoppedEngine(ScriptedConfig()), records=Records())
    assert (await get(broken, "/healthz")).json() == {"status": "ok"}


async def test_the_front_page_lists_routes_that_exist(client: httpx.AsyncClient) -> None:
    here = (await client.get("/")).json()["here"]
    described = (await client.get("/openapi.json")).json()["paths"]
    for line in here:
        method, path = line.split()
        assert path == "/openapi.json" or method.lower() in described[path]


async def test_openapi_describes_the_bodies(client: httpx.AsyncClient) -> None:
    paths = (await client.get("/openapi.json")).json()["paths"]
    for path, field in (("/chat", "message"), ("/v1/chat/completions", "messages")):
        body = paths[path]["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert field in body["properties"]
        assert "$ref" not in str(body)
