"""Servers that answer exactly the bytes they are told to, at exactly the read boundaries."""

import json
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import httpx2 as httpx

from pipeline.engine import Chunk, GenerationRequest
from serving.engines.openai import OpenAIConfig, OpenAIEngine
from serving.engines.stream import Decode

MODELS = {"data": [{"id": "a-model", "owned_by": "vllm"}, {"id": "another"}]}
REQUEST = GenerationRequest("r", (1, 2, 3), max_tokens=9)
STREAM = {"content-type": "text/event-stream"}


class Pieces(httpx.AsyncByteStream):
    """A body that arrives in these pieces, then ends or breaks."""

    def __init__(self, pieces: Iterable[bytes], broken: Exception | None = None) -> None:
        self.pieces = list(pieces)
        self.broken = broken
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            yield piece
        if self.broken is not None:
            raise self.broken

    async def aclose(self) -> None:
        self.closed = True


class Server(httpx.AsyncBaseTransport):
    """Lists `models`, then gives `answer(body)` to every completion; keeps what it was asked."""

    def __init__(
        self, answer: Callable[[dict[str, Any]], httpx.Response], models: Any = MODELS
    ) -> None:
        self.answer = answer
        self.models = models
        self.asked: list[dict[str, Any]] = []
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if request.method == "GET":
            return httpx.Response(200, json=self.models)
        body = json.loads(await request.aread())
        self.asked.append(body)
        return self.answer(body)


def sse(*events: Any, done: bool = True) -> bytes:
    """Events as they stand on the wire; what is a string stands as it is."""
    lines = [e if isinstance(e, str) else f"data: {json.dumps(e)}\n\n" for e in events]
    return "".join([*lines, "data: [DONE]\n\n" if done else ""]).encode()


def said(text: str, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One event of a completion."""
    return {"choices": [{"index": 0, "text": text, "finish_reason": finish}], **more}


def streaming(body: bytes, *, size: int | None = None, broken: Exception | None = None) -> Server:
    """A server that streams `body`, in pieces of `size` bytes."""
    step = size or max(1, len(body))
    pieces = [body[at : at + step] for at in range(0, len(body), step)]
    return Server(lambda _: httpx.Response(200, headers=STREAM, stream=Pieces(pieces, broken)))


async def engine_at(server: Server, decode: Decode | None = None, **config: Any) -> OpenAIEngine:
    """A started client of `server`."""
    engine = OpenAIEngine(OpenAIConfig("http://test", decode=decode, **config), server)
    await engine.start()
    return engine


async def chunks_of(server: Server, **config: Any) -> list[Chunk]:
    """A whole stream from `server`."""
    engine = await engine_at(server, **config)
    return [chunk async for chunk in engine.generate(REQUEST)]


async def text_of(server: Server, **config: Any) -> str:
    """A whole answer from `server`."""
    return "".join(chunk.text for chunk in await chunks_of(server, **config))
