"""A real uvicorn on a loopback port, and a client that sees every chunk as it arrives."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from serving.app import create_app
from serving.services import Services


class _Server(uvicorn.Server):
    """Leaves the test run's signal handlers alone."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


@asynccontextmanager
async def serving(services: Services, graceful_s: int = 5) -> AsyncIterator[int]:
    """The application on a port of its own, until the block is left.

    Answers that run on get `graceful_s` seconds more.
    """
    async with serving_app(create_app(services), graceful_s) as port:
        yield port


@asynccontextmanager
async def serving_app(app: ASGIApp, graceful_s: int = 5) -> AsyncIterator[int]:
    """Any application, likewise."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan="off",
        log_level="critical",
        timeout_graceful_shutdown=graceful_s,
    )
    server = _Server(config)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield int(listener.getsockname()[1])
    finally:
        server.should_exit = True
        await running


@dataclass
class Reply:
    """A response whose head has arrived; its body is read chunk by chunk."""

    status: int
    headers: dict[str, str]
    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter
    chunks: list[bytes] = field(default_factory=list)

    async def chunk(self) -> bytes:
        """The next chunk, as soon as it is here; empty at the end of the body."""
        size = int(await self._reader.readline(), 16)
        data = await self._reader.readexactly(size)
        await self._reader.readexactly(2)
        self.chunks.append(data)
        return data

    async def rest(self) -> bytes:
        """All that is still to come, heartbeats too."""
        got = b""
        while piece := await self.chunk():
            got += piece
        return got

    async def json(self) -> Any:
        """The body of an answer with a length."""
        return json.loads(await self._reader.readexactly(int(self.headers["content-length"])))

    def reset(self) -> None:
        """Leave at once, as a closed tab does."""
        self._writer.transport.abort()


@asynccontextmanager
async def post(port: int, path: str, body: object, **headers: str) -> AsyncGenerator[Reply, None]:
    """Send `body` (as JSON, unless it is bytes) and wait for the head of the answer."""
    async with connected(port) as (reader, writer):
        writer.write(request_bytes(path, body, **headers))
        yield await _head(reader, writer)


@asynccontextmanager
async def connected(
    port: int,
) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter], None]:
    """A bare connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def request_bytes(path: str, body: object, **headers: str) -> bytes:
    """A request as it stands on the wire."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"POST {path} HTTP/1.1", "Host: test", f"Content-Length: {len(data)}"]
    given = {"content-type": "application/json"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines += [f"{name}: {value}" for name, value in given.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


async def _head(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Reply:
    status = int((await reader.readline()).split()[1])
    headers = {}
    while line := (await reader.readline()).strip():
        name, _, value = line.decode().partition(":")
        headers[name.lower()] = value.strip()
    return Reply(status, headers, reader, writer)


async def until(true: Callable[[], bool]) -> None:
    """Return as soon as `true` says so; fails after the second that a client's leaving may take."""
    async with asyncio.timeout(1):
        while not true():  # noqa: ASYNC110  what is watched has no event to wait for
            await asyncio.sleep(0.001)


def events(body: bytes) -> list[tuple[str, Any]]:
    """The (name, data) pairs of a whole event stream, comments left out."""
    found = []
    for block in body.decode().split("\n\n"):
        fields = dict(
            line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":")
        )
        if fields:
            found.append((fields.get("event", ""), json.loads(fields["data"])))
    return found
