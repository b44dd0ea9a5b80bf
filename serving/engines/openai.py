"""Any OpenAI-compatible server over HTTP: vLLM, SGLang, TensorRT-LLM, llama-server and others.

Text completions, not chats: the prompt is built here, as token ids where the server takes them
(vLLM does, and then its prefix cache sees the very blocks that were made stable), as text
otherwise. Cached tokens and the queue's time are told only at the end of a stream.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import httpx2 as httpx

from pipeline.engine import Chunk, EngineError, EngineStats, GenerationRequest
from serving.engines.completion import DONE, Completion, error_text
from serving.engines.dialect import ANY, VLLM, Dialect
from serving.engines.stream import Decode, until_silent, without_cut_character
from serving.engines.vllm_metrics import read_stats

_REFUSALS = frozenset({400, 404, 405, 415, 422})
"""Statuses by which servers refuse a field, or a form of the prompt, that they do not know."""
_BUSY = frozenset({429, 503})
_KEEPALIVE_S = 3.0
"""Shorter than uvicorn's 5 s, so that no request meets a connection that is just being closed."""
_DRAIN_S = 0.25
_STATS_S = 0.1
"""For which the server's load is taken to be what it was."""
_NO_STATS_S = 5.0
"""Before a server that did not tell its load is asked for it again."""


@dataclass(frozen=True, slots=True)
class OpenAIConfig:
    """The server at `url`, with or without `/v1`. `model` None takes the first that it lists.

    `decode` gives the text of token ids, for servers that take none; without it such a server is
    an error. Seconds: an answer is given up after `silence_s` without a token.
    """

    url: str
    model: str | None = None
    api_key: str | None = None
    decode: Decode | None = None
    connect_s: float = 5.0
    check_s: float = 5.0
    silence_s: float = 60.0


class OpenAIEngine:
    """A client of one server; connections are kept and used again. One event loop."""

    name = "openai"

    def __init__(
        self, config: OpenAIConfig, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        """`transport` stands in for the network where exact read boundaries matter."""
        self.config = config
        self._transport = transport
        self._client: httpx.AsyncClient | None = None
        self._model = config.model or ""
        self._dialect = ANY[0]
        self._others: tuple[Dialect, ...] = ()
        self._stats = EngineStats()
        self._stats_until = float("-inf")

    async def start(self) -> None:
        """Ask which models there are; a server that calls itself vLLM is spoken to as one."""
        if self._client is None:
            self._client = self._connect()
        models = await self._models()
        if not self._model and not models:
            raise EngineError("engine_failed", f"{self.config.url} serves no model")
        self._model = self._model or str(models[0]["id"])
        is_vllm = any(model.get("owned_by") == "vllm" for model in models)
        known = VLLM if is_vllm else ANY
        self._dialect = known[0]
        self._others = tuple(d for d in known[1:] if d.ids or self.config.decode)

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        """Stream text as it comes; the last chunk has no text, only the counts and the reason.

        Ending it closes the connection, by which the server learns that nobody listens.
        """
        if self.config.decode is not None:
            ids = without_cut_character(request.token_ids, self.config.decode)
            request = replace(request, token_ids=ids)
        completion = Completion(len(request.token_ids))
        try:
            events = until_silent(self._events(request), self.config.silence_s)
            async with aclosing(events):
                async for data in events:
                    if chunk := completion.read(data):
                        yield chunk
        finally:
            self._stats_until = min(self._stats_until, time.monotonic())
        yield completion.end()

    async def check(self) -> None:
        """Raise `EngineError` unless the server lists its models now."""
        await self._models()

    async def stats(self) -> EngineStats:
        """What a vLLM server tells at /metrics, as of a moment ago; OpenAI's interface tells
        nothing."""
        if self._dialect.vllm and time.monotonic() >= self._stats_until:
            self._stats = await self._read_stats() or EngineStats()
            known = self._stats != EngineStats()
            self._stats_until = time.monotonic() + (_STATS_S if known else _NO_STATS_S)
        return self._stats

    async def _read_stats(self) -> EngineStats | None:
        try:
            response = await self._running().get("../metrics", timeout=self.config.check_s)
            return read_stats(response.text) if response.is_success else None
        except (httpx.HTTPError, ValueError):
            return None

    async def close(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _connect(self) -> httpx.AsyncClient:
        """No limit on reading, which comments would satisfy: silence is counted in events."""
        key = self.config.api_key
        return httpx.AsyncClient(
            base_url=self.config.url.rstrip("/").removesuffix("/v1") + "/v1/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(None, connect=self.config.connect_s),
            limits=httpx.Limits(max_keepalive_connections=64, keepalive_expiry=_KEEPALIVE_S),
            transport=self._transport,
        )

    async def _events(self, request: GenerationRequest) -> AsyncGenerator[str, None]:
        """The data of every event. Read to the end, so that the connection can be used again."""
        with _translated():
            response = await self._send(request)
            try:
                events = aiter(httpx.EventSource(response))
                async for event in events:
                    yield event.data
                    if event.data.strip() == DONE:
                        break
                with suppress(TimeoutError):
                    async with asyncio.timeout(_DRAIN_S):
                        async for _ in events:
                            pass
            finally:
                await response.aclose()

    async def _send(self, request: GenerationRequest) -> httpx.Response:
        """The answer's head, in the first dialect that the server accepts, kept from then on."""
        body = self._dialect.payload(request, self._model, self.config.decode)
        response = await self._post(body)
        if response.is_success:
            return response
        refused = response.status_code in _REFUSALS
        error = await _failure(response)
        for dialect in self._others if refused else ():
            other = dialect.payload(request, self._model, self.config.decode)
            if other == body:
                continue
            body = other
            response = await self._post(body)
            if response.is_success:
                self._dialect = dialect
                self._others = ()
                return response
            await response.aclose()
        raise error

    async def _post(self, body: dict[str, Any]) -> httpx.Response:
        client = self._running()
        request = client.build_request("POST", "completions", json=body)
        return await client.send(request, stream=True)

    async def _models(self) -> list[dict[str, Any]]:
        with _translated():
            response = await self._running().get("models", timeout=self.config.check_s)
            if not response.is_success:
                raise await _failure(response)
        try:
            return list(response.json()["data"])
        except (ValueError, KeyError, TypeError):
            raise EngineError(
                "engine_failed", f"{response.url} does not list models as OpenAI does"
            ) from None

    def _running(self) -> httpx.AsyncClient:
        if self._client is None:
            raise EngineError("engine_failed", "the engine's client is not started")
        return self._client


@contextmanager
def _translated() -> Generator[None, None, None]:
    """What the network raises, as the contract's errors."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise EngineError("engine_silent", f"no answer in time ({type(error).__name__})") from error
    except httpx.HTTPError as error:
        text = " ".join(str(error).split()) or type(error).__name__
        raise EngineError("engine_failed", text) from error


async def _failure(response: httpx.Response) -> EngineError:
    """The error that an answer without success means; closes it."""
    try:
        await response.aread()
        text = error_text(response.json())
    except (ValueError, httpx.HTTPError):
        text = response.reason_phrase
    finally:
        await response.aclose()
    code = response.status_code
    return EngineError(
        "engine_busy" if code in _BUSY else "engine_failed", f"the server said {code}: {text}"
    )
