"""What the engine contract is tested on: an engine, what it is asked, and what its server does."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import uvicorn

from pipeline.engine import Chunk, Engine, EngineStats, GenerationRequest

_NUMBERS = count()


@dataclass(frozen=True)
class Subject:
    """One engine. `stats` is asked of what really generates, which a client of it cannot tell.

    Both prompts have two full blocks or more, and make it say eight tokens or more.
    `first_token_id` is the first token after `prompt`; `stop_token_id` is another one of the first
    eight.
    """

    engine: Engine
    prompt: tuple[int, ...]
    other_prompt: tuple[int, ...]
    first_token_id: int
    stop_token_id: int
    stats: Callable[[], Awaitable[EngineStats]]

    def request(self, **changes: Any) -> GenerationRequest:
        """A request of its own for `prompt`, eight tokens long."""
        request = GenerationRequest(f"contract-{next(_NUMBERS)}", self.prompt, max_tokens=8)
        return replace(request, **changes)

    async def chunks(self, **changes: Any) -> list[Chunk]:
        """A whole stream."""
        return [chunk async for chunk in self.engine.generate(self.request(**changes))]

    async def text(self, **changes: Any) -> str:
        """A whole answer."""
        return "".join(chunk.text for chunk in await self.chunks(**changes))

    async def until_idle(self) -> None:
        """Return once nothing runs or waits; fails after a second."""
        async with asyncio.timeout(1):
            while (now := await self.stats()).running or now.waiting:  # noqa: ASYNC110  no event tells
                await asyncio.sleep(0.005)

    async def until_running(self, requests: int) -> None:
        """Return once so many run or wait."""
        while True:
            now = await self.stats()
            if (now.running or 0) + (now.waiting or 0) >= requests:
                return
            await asyncio.sleep(0.005)


class _Server(uvicorn.Server):
    """Leaves the test run's signal handlers alone."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


@asynccontextmanager
async def serving(app: Any) -> AsyncGenerator[str, None]:
    """The URL of `app` behind a real uvicorn on a loopback port."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = _Server(uvicorn.Config(app, lifespan="off", log_level="critical", ws="none"))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running
