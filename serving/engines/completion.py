"""Reads the events of a streamed text completion, whatever server sends them, into chunks."""

import json
from typing import Any

from pipeline.engine import Chunk, EngineError, EngineTimes, FinishReason

DONE = "[DONE]"
_FINISH: dict[str, FinishReason] = {"length": "length", "abort": "abort"}
"""All else ("stop", "eos_token", "stop_sequence"...) is a stop."""
_BUSY = (429, 503, "429", "503")


class Completion:
    """One stream so far. Counts are the server's where it tells them, else one per piece."""

    def __init__(self, prompt_tokens: int) -> None:
        self._prompt_tokens = prompt_tokens
        self._completion_tokens = 0
        self._cached_tokens: int | None = None
        self._queue_seconds: float | None = None
        self._finish: str | None = None
        self._held = ""
        self._done = False

    def read(self, data: str) -> Chunk | None:
        """The chunk in one event's data, if it has text. Raises `EngineError` for an error."""
        if data.strip() == DONE:
            self._done = True
            return None
        event = _parse(data)
        _raise_if_error(event)
        try:
            text = self._read_choices(event.get("choices") or [])
            self._read_counts(event.get("usage"), event.get("metrics"))
        except (AttributeError, KeyError, TypeError):
            raise _unreadable(data) from None
        return self._chunk(text) if text else None

    def end(self) -> Chunk:
        """The last chunk. Raises `EngineError` if the stream broke off before it was complete."""
        if self._finish is None and not self._done:
            raise EngineError("engine_failed", "the engine's server closed the stream early")
        if self._finish == "error":
            raise EngineError("engine_failed", "the engine's server ended the answer with an error")
        return self._chunk("", _FINISH.get(self._finish or "stop", "stop"))

    def _chunk(self, text: str, finish: FinishReason | None = None) -> Chunk:
        queue = self._queue_seconds
        return Chunk(
            text,
            self._completion_tokens,
            self._prompt_tokens,
            self._cached_tokens,
            EngineTimes(queue_seconds=queue) if queue is not None else None,
            finish,
        )

    def _read_choices(self, choices: list[dict[str, Any]]) -> str:
        if not choices:
            return ""
        self._finish = choices[0].get("finish_reason") or self._finish
        text = choices[0].get("text") or ""
        self._completion_tokens += bool(text)
        return self._whole(text)

    def _whole(self, text: str) -> str:
        """`text` without half a surrogate pair at its end, which waits for its other half."""
        text = self._held + text
        cut = "\ud800" <= text[-1:] <= "\udbff"
        self._held = text[-1:] if cut else ""
        text = text[: -1 if cut else None]
        return text if text.isascii() else _joined(text)

    def _read_counts(self, usage: Any, metrics: Any) -> None:
        if isinstance(usage, dict):
            self._prompt_tokens = usage.get("prompt_tokens") or self._prompt_tokens
            self._completion_tokens = usage.get("completion_tokens") or self._completion_tokens
            details = usage.get("prompt_tokens_details") or {}
            self._cached_tokens = _count(details.get("cached_tokens", self._cached_tokens))
        if isinstance(metrics, dict) and metrics.get("queue_time_ms") is not None:
            self._queue_seconds = metrics["queue_time_ms"] / 1e3


def _count(told: object) -> int | None:
    """What is no count is as if it were not told."""
    if not isinstance(told, int) or isinstance(told, bool) or told < 0:
        return None
    return told


def _parse(data: str) -> dict[str, Any]:
    try:
        event = json.loads(data)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise _unreadable(data)
    return event


def _unreadable(data: str) -> EngineError:
    return EngineError("engine_failed", f"the engine's server sent no completion: {data[:80]!r}")


def _raise_if_error(event: dict[str, Any]) -> None:
    """An error object in mid-stream, in OpenAI's form or in vLLM's older flat one."""
    error = event.get("error") or (event if event.get("object") == "error" else None)
    if error:
        code = error.get("code") if isinstance(error, dict) else None
        raise EngineError("engine_busy" if code in _BUSY else "engine_failed", error_text(event))


def error_text(body: Any) -> str:
    """What an error body says, in one line."""
    error = body.get("error", body) if isinstance(body, dict) else body
    text = error.get("message") or error.get("detail") if isinstance(error, dict) else error
    return " ".join(str(text or "no reason given").split())[:300]


def _joined(text: str) -> str:
    """Surrogate pairs joined; a lone surrogate, which no text can hold, becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
