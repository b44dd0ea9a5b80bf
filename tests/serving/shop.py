"""A shop behind the whole line: the real chat over the real store, and engines that can fail."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from pipeline.chat import Chat, ChatConfig
from pipeline.engine import Chunk, Engine, GenerationRequest
from pipeline.finder import Finder
from pipeline.prompt import PromptBuilder
from pipeline.records import Records
from pipeline.replying.replies import Replies
from pipeline.reuse.account import Books
from serving.engines.scripted import ScriptedConfig, ScriptedEngine
from serving.services import Services
from serving.sessions import RedisSessions, SessionConfig
from tests.serving.server import events, post

ASK = {"message": "Does the linen shirt come in black?"}
FOREVER = 3600.0


@dataclass
class Shop:
    """What does not change from one test to the next."""

    base: Services
    records: Records
    finder: Finder
    prompts: PromptBuilder

    def services(
        self,
        script: ScriptedConfig | None = None,
        engine: Engine | None = None,
        max_tokens: int = 48,
        books: Books | None = None,
    ) -> Services:
        """Services whose engine follows `script`, or is `engine`."""
        redis = self.base.redis
        engine = engine or ScriptedEngine(script)
        sessions = RedisSessions(redis, SessionConfig())
        config = ChatConfig(max_tokens=max_tokens)
        chat = Chat(
            self.records,
            self.finder,
            Replies.beside(self.prompts),
            self.prompts,
            engine,
            sessions,
            config,
            books=books,
        )
        return replace(self.base, chat=chat, engine=engine)


class GatedEngine(ScriptedEngine):
    """Says its first token, and the rest when `gate` is opened."""

    def __init__(self, config: ScriptedConfig) -> None:
        super().__init__(config)
        self.gate = asyncio.Event()

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        async with aclosing(super().generate(request)) as chunks:
            async for chunk in chunks:
                yield chunk
                await self.gate.wait()


async def ask(port: int, **more: object) -> list[tuple[str, Any]]:
    """The events of one whole answer."""
    async with post(port, "/chat", {**ASK, **more}) as reply:
        assert reply.status == 200
        return events(await reply.rest())


async def until_running(services: Services, requests: int) -> None:
    """Return when the engine works on so many; fails after the second that it may take."""
    async with asyncio.timeout(1):
        while (await services.engine.stats()).running != requests:  # noqa: ASYNC110  no event
            await asyncio.sleep(0.001)
