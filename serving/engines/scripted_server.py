"""The scripted engine behind OpenAI's text completions, with what vLLM adds to them.

For tests of clients and of whole gateways behind a URL, and for load tests on one machine:
`python -m serving.engines.scripted_server --port 8001 --first-ms 50 --token-ms 10`.
"""

import argparse
import json
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Literal

import uvicorn
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from pipeline.engine import Chunk, EngineError, GenerationRequest
from serving.engines.scripted import ScriptedConfig, ScriptedEngine

MODEL = "scripted"
_STATUS = {"engine_busy": 503, "engine_failed": 500, "engine_silent": 504}


class StreamOptions(BaseModel):
    """OpenAI's, and vLLM's `continuous_usage_stats`."""

    include_usage: bool = False
    continuous_usage_stats: bool = False


class Body(BaseModel):
    """A text completion. Unknown fields are refused, as strict servers do."""

    model_config = ConfigDict(extra="forbid")

    model: str = MODEL
    prompt: list[int] | str
    max_tokens: int = Field(16, ge=1)
    temperature: float = Field(1.0, ge=0)
    stop: list[str] | str = []
    stop_token_ids: list[int] = []
    min_tokens: Literal[0, 1] = 1
    stream: bool = False
    stream_options: StreamOptions = StreamOptions()
    cache_salt: str | None = None
    priority: int = 0
    request_id: str = ""

    def request(self) -> GenerationRequest:
        """What the engine is asked; a prompt of text counts as one token per byte."""
        prompt = self.prompt.encode() if isinstance(self.prompt, str) else self.prompt
        return GenerationRequest(
            request_id=self.request_id,
            token_ids=tuple(prompt),
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            stop=(self.stop,) if isinstance(self.stop, str) else tuple(self.stop),
            stop_token_ids=tuple(self.stop_token_ids),
            priority=self.priority,
            cache_salt=self.cache_salt,
        )


class Completions:
    """The two routes of one engine."""

    def __init__(self, engine: ScriptedEngine) -> None:
        self._engine = engine

    async def models(self, _: Request) -> Response:
        """One model, which says that it is served by something like vLLM."""
        model = {"id": MODEL, "object": "model", "owned_by": "vllm"}
        return JSONResponse({"object": "list", "data": [model]})

    async def metrics(self, _: Request) -> Response:
        """Its load and its cache, by the names that vLLM has for them."""
        stats = await self._engine.stats()
        size, blocks = stats.block_tokens, self._engine.config.cache_blocks
        lines = (
            f"vllm:num_requests_running {stats.running}",
            f"vllm:num_requests_waiting {stats.waiting}",
            f"vllm:kv_cache_usage_perc {stats.kv_usage}",
            f'vllm:cache_config_info{{block_size="{size}",num_gpu_blocks="{blocks}"}} 1',
        )
        return PlainTextResponse("".join(f"{line}\n" for line in lines))

    async def complete(self, request: Request) -> Response:
        """Stream, or answer whole; what fails before the first token is a status."""
        try:
            body = Body.model_validate_json(await request.body())
        except ValidationError as error:
            return _error(400, str(error))
        try:
            await self._engine.check()
            if body.stream:
                return StreamingResponse(self._stream(body), media_type="text/event-stream")
            chunks = [chunk async for chunk in self._engine.generate(body.request())]
        except EngineError as error:
            return _error(_STATUS[error.code], str(error))
        text = "".join(chunk.text for chunk in chunks)
        return JSONResponse(_event(text, chunks[-1]) | {"usage": _usage(chunks[-1])})

    async def _stream(self, body: Body) -> AsyncGenerator[str, None]:
        arrived, last = time.monotonic(), None
        try:
            async with aclosing(self._engine.generate(body.request())) as chunks:
                async for chunk in chunks:
                    last = chunk
                    event = _event(chunk.text, chunk)
                    if body.stream_options.continuous_usage_stats:
                        event["usage"] = _usage(chunk)
                    yield _sse(event)
        except EngineError as error:
            yield _sse({"error": {"message": str(error), "code": _STATUS[error.code]}})
        if last is not None and body.stream_options.include_usage:
            metrics = {"queue_time_ms": _queue_ms(last, arrived)}
            yield _sse({"choices": [], "usage": _usage(last), "metrics": metrics})
        yield "data: [DONE]\n\n"


def create_app(engine: ScriptedEngine) -> Starlette:
    """An ASGI application that serves `engine`."""
    routes = Completions(engine)
    return Starlette(
        routes=[
            Route("/metrics", routes.metrics),
            Route("/v1/models", routes.models),
            Route("/v1/completions", routes.complete, methods=["POST"]),
        ]
    )


def _event(text: str, chunk: Chunk) -> dict[str, Any]:
    choice = {"index": 0, "text": text, "finish_reason": chunk.finish_reason}
    return {"object": "text_completion", "model": MODEL, "choices": [choice]}


def _usage(chunk: Chunk) -> dict[str, Any]:
    prompt, completion = chunk.prompt_tokens or 0, chunk.completion_tokens
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": chunk.cached_tokens},
    }


def _queue_ms(chunk: Chunk, arrived: float) -> float | None:
    scheduled_at = chunk.times.scheduled_at if chunk.times else None
    return None if scheduled_at is None else (scheduled_at - arrived) * 1e3


def _sse(event: dict[str, Any]) -> str:
    return f"data: {json.dumps(event, ensure_ascii=False)}\n\n"


def _error(status: int, message: str) -> Response:
    return JSONResponse({"error": {"message": message, "code": status}}, status)


def main(arguments: list[str] | None = None) -> None:
    """Serve on the loopback address until interrupted."""
    parser = argparse.ArgumentParser(prog="serving.engines.scripted_server", description=__doc__)
    parser.add_argument("--port", type=int, default=8001)
    parser.add_argument("--text", default=ScriptedConfig().text, help="what it says to everyone")
    parser.add_argument("--first-ms", type=float, default=0.0, help="before the first token")
    parser.add_argument("--token-ms", type=float, default=0.0, help="between two tokens")
    parser.add_argument("--slots", type=int, default=256, help="answers that it works on at once")
    given = parser.parse_args(arguments)
    config = ScriptedConfig(
        given.text,
        first_token_s=given.first_ms / 1e3,
        token_s=given.token_ms / 1e3,
        max_num_seqs=given.slots,
    )
    uvicorn.run(create_app(ScriptedEngine(config)), port=given.port, log_level="warning")


if __name__ == "__main__":
    main()
