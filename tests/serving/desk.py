"""A gateway's services with a hot shelf, made as at a start."""

import asyncio
import json
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any

from redis.asyncio import Redis

from pipeline.engine import Engine
from serving.engine_cache import EngineCache
from serving.engines.scripted import ScriptedConfig, ScriptedEngine
from serving.services import Services
from serving.sessions import RedisSessions, SessionConfig
from serving.settings import Settings
from serving.shelf import Beside, HotShelf, hot_shelf
from serving.startup import Silent
from tests.serving.server import post
from tests.serving.shop import Shop

BLOCK = 16


@dataclass
class Desk:
    """Makes them; what it made is closed when `stack` is."""

    shop: Shop
    stack: AsyncExitStack
    redis: Redis

    async def services(
        self, engine: Engine | None = None, redis: Redis | None = None, **settings: Any
    ) -> tuple[Services, HotShelf]:
        """Around `engine`, or a scripted one; with `redis` instead of the tests'."""
        engine = engine or ScriptedEngine(ScriptedConfig(block_size=BLOCK))
        chosen, redis = Settings(**settings), redis or self.redis
        cache = await EngineCache.of(engine, chosen)
        services = self.shop.services(engine=engine, books=cache.books)
        beside = Beside(
            engine,
            cache,
            self.shop.records,
            self.shop.prompts,
            redis,
            RedisSessions(redis, SessionConfig()),
            services.admission,
            services.metrics,
        )
        shelf = await self.stack.enter_async_context(hot_shelf(chosen, beside, Silent()))
        return replace(services, shelf=shelf), shelf


async def opened(port: int, **body: object) -> tuple[int, Any]:
    """What a page-open is answered with."""
    async with post(port, "/chat/warm", body) as reply:
        return reply.status, await reply.json()


async def ready(port: int) -> Any:
    """What /readyz says, which must be 200."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /readyz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    assert b" 200 " in head.splitlines()[0]
    return json.loads(body)
