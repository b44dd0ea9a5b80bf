"""Gateways of one shop over one Redis, each with its own records, index and change feed.

Their engine notes what it is asked.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import httpx

from catalog.changes import CatalogChange, ChangeFeed
from catalog.redis_client import connect
from catalog.store import CatalogStore
from pipeline.chat import Chat, ChatConfig
from pipeline.encoder import Encoder
from pipeline.engine import Chunk, GenerationRequest
from pipeline.finding import make_finder
from pipeline.prompt import PromptBuilder
from pipeline.records import Records
from pipeline.refresh import Refresher
from pipeline.replying.replies import Replies
from pipeline.retriever import Retriever
from serving.catalog_services import CatalogServices
from serving.engines.scripted import ScriptedEngine
from serving.sessions import RedisSessions, SessionConfig
from tests.pipeline.fakes import LetterModel
from tests.serving.conftest import services_on
from tests.serving.server import events, serving


class NotingEngine(ScriptedEngine):
    """Remembers every prompt."""

    def __init__(self) -> None:
        super().__init__()
        self.prompts: list[tuple[int, ...]] = []

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        self.prompts.append(request.token_ids)
        async for chunk in super().generate(request):
            yield chunk


@dataclass
class Gateway:
    """One process of the shop."""

    client: httpx.AsyncClient
    token: str
    records: Records
    refresher: Refresher
    engine: NotingEngine

    async def ask(self, **body: object) -> dict[str, Any]:
        """The `sources` event of an answer."""
        reply = await self.client.post("/chat", json=body)
        assert reply.status_code == 200, reply.text
        told: dict[str, Any] = dict(events(reply.content))["sources"]
        return told

    async def reaches(self, reply: httpx.Response, within_s: float = 1) -> None:
        """Return when it answers from what `reply` acknowledged; fails if that is not so soon."""
        async with asyncio.timeout(within_s):
            while self.records.version < int(reply.headers["x-catalog-version"]):  # noqa: ASYNC110
                await asyncio.sleep(0.001)


@asynccontextmanager
async def gateway(redis_url: str, prompts: PromptBuilder) -> AsyncIterator[Gateway]:
    """One that runs until the block is left; its client may import."""
    async with AsyncExitStack() as stack:
        redis = connect(redis_url)
        stack.push_async_callback(redis.aclose)
        store = CatalogStore(redis)
        start = await store.load()
        records = Records()
        records.replace(start.products, start.version)
        encoder = Encoder(LetterModel())
        stack.push_async_callback(encoder.close)
        retriever = Retriever(encoder, records)
        await retriever.rebuild()
        refresher = Refresher(records, retriever)
        stack.push_async_callback(refresher.close)

        async def apply(change: CatalogChange) -> None:
            refresher.apply(change.upserts, change.removed, change.version)

        feed = asyncio.create_task(ChangeFeed(store, apply).run(start))
        stack.push_async_callback(asyncio.wait, {feed})
        stack.callback(feed.cancel)
        engine = NotingEngine()
        sessions = RedisSessions(redis, SessionConfig())
        catalog = CatalogServices.on(redis, redis_url)
        stack.push_async_callback(catalog.jobs.close)
        token = await catalog.tokens.create(f"importer-{id(catalog)}", "import")
        services = replace(
            services_on(redis, redis_url),
            chat=Chat(
                records,
                await make_finder(prompts.templates, records, retriever),
                Replies.beside(prompts),
                prompts,
                engine,
                sessions,
                ChatConfig(),
            ),
            engine=engine,
            records=records,
            catalog=catalog,
            encoding=refresher,
        )
        port = await stack.enter_async_context(serving(services))
        client = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}",
            headers={"Authorization": f"Bearer {token}"},
            verify=False,
            timeout=20,
        )
        yield Gateway(await stack.enter_async_context(client), token, records, refresher, engine)
