"""A client that measures: one question, the clock started as it is sent."""

import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx


class AnswerError(Exception):
    """The server refused, failed, or ended its answer without a word."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Times are seconds since the request was sent; `stages_ms` is what the server says."""

    text: str
    ttft: float
    total: float
    stages_ms: dict[str, float] = field(default_factory=dict)
    server_ttft_ms: float | None = None
    tokens: dict[str, Any] = field(default_factory=dict)
    sources: list[dict[str, Any]] = field(default_factory=list)
    tpot_ms: float | None = None


async def sse(response: httpx.Response) -> AsyncIterator[tuple[str, str]]:
    """(event, data) pairs of a server-sent event stream; comments are passed over."""
    event, data = "message", ""
    async for line in response.aiter_lines():
        if line.startswith("event:"):
            event = line[6:].strip()
        elif line.startswith("data:"):
            data += line[5:].removeprefix(" ")
        elif not line and data:
            yield event, data
            event, data = "message", ""


async def ask_chat(client: httpx.AsyncClient, url: str, body: dict[str, Any]) -> Answer:
    """POST /chat. Raises `AnswerError` on a refusal, an error event or an empty answer."""
    started = time.perf_counter()
    text, ttft = "", 0.0
    events: dict[str, Any] = {}
    async with client.stream("POST", f"{url}/chat", json=body) as response:
        if response.status_code != 200:
            raise AnswerError(f"{response.status_code}: {(await response.aread()).decode()}")
        async for event, data in sse(response):
            if event == "token":
                ttft = ttft or time.perf_counter() - started
                text += json.loads(data)["text"]
            else:
                events[event] = json.loads(data)
    total = time.perf_counter() - started
    if "error" in events or not text:
        raise AnswerError(str(events.get("error", "no text")))
    timing = events["timing"]
    return Answer(
        text,
        ttft,
        total,
        timing["stages_ms"],
        timing["ttft_ms"],
        timing["tokens"],
        events["sources"]["products"],
        timing["tpot_ms"],
    )


async def ask_engine(client: httpx.AsyncClient, url: str, body: dict[str, Any]) -> Answer:
    """POST /v1/completions of an OpenAI-compatible engine, streaming. Raises `AnswerError`."""
    started = time.perf_counter()
    text, ttft = "", 0.0
    usage: dict[str, Any] = {}
    async with client.stream("POST", f"{url}/v1/completions", json=body) as response:
        if response.status_code != 200:
            raise AnswerError(f"{response.status_code}: {(await response.aread()).decode()}")
        async for _, data in sse(response):
            if data == "[DONE]":
                break
            piece = json.loads(data)
            usage = piece.get("usage") or usage
            for choice in piece["choices"]:
                if choice["text"].strip():
                    ttft = ttft or time.perf_counter() - started
                text += choice["text"]
    if not text:
        raise AnswerError("no text")
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    tokens = {"prompt": usage.get("prompt_tokens"), "cached": cached}
    return Answer(text, ttft, time.perf_counter() - started, tokens=tokens)
