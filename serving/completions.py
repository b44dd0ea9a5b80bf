"""Answers in OpenAI's format: the chunks of a stream, and a whole completion."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.types import Done, Event, Failure, Finish, Timing, TokenCounts
from serving.errors import ApiError, openai_error
from serving.sse import frame

FINISH_REASON: Mapping[Finish, str] = {
    "stop": "stop",
    "length": "length",
    "abort": "stop",
    "error": "stop",
    "not_carried": "stop",
}
DONE_FRAME = b"data: [DONE]\n\n"


def usage(tokens: TokenCounts | None) -> dict[str, object]:
    """Token counts; zeros where the engine was not asked."""
    if tokens is None:
        return {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    told: dict[str, object] = {
        "prompt_tokens": tokens.prompt,
        "completion_tokens": tokens.completion,
        "total_tokens": tokens.prompt + tokens.completion,
    }
    if tokens.cached is not None:
        told["prompt_tokens_details"] = {"cached_tokens": tokens.cached}
    return told


def late_error(error: ApiError) -> bytes:
    """The frames that end a stream whose headers have left; official clients raise on them."""
    return frame(openai_error(error)) + DONE_FRAME


@dataclass(slots=True)
class Ending:
    """How an answer ended, gathered from its events."""

    finish: Finish = "error"
    tokens: TokenCounts | None = None
    failure: Failure | None = None

    def note(self, event: Event) -> None:
        """Look at one event; tokens pass unnoticed."""
        match event:
            case Failure():
                self.failure = event
            case Timing():
                self.tokens = event.tokens
            case Done():
                self.finish = event.finish

    def check(self) -> None:
        """Raise `ApiError` if it failed; a flaw beside a whole answer is not a failure."""
        if self.finish == "error" and self.failure is not None:
            failure = self.failure
            raise ApiError(failure.code, failure.message, retry_after=failure.retry_after)


@dataclass(slots=True)
class Completion:
    """What every part of one answer repeats. `with_usage`: the stream's last chunk has counts."""

    answer_id: str
    model: str
    with_usage: bool = False
    created: int = field(default_factory=lambda: int(time.time()))
    _begun: bool = False

    def piece(self, text: str) -> bytes:
        """A frame with a piece of the answer; the first one says who speaks."""
        return self._chunk({"content": text}, None)

    def end(self, finish: Finish, tokens: TokenCounts | None) -> bytes:
        """The frames that close the stream."""
        last = self._chunk({}, FINISH_REASON[finish])
        if self.with_usage:
            head = self._head("chat.completion.chunk")
            last += frame({**head, "choices": [], "usage": usage(tokens)})
        return last + DONE_FRAME

    def whole(self, text: str, finish: Finish, tokens: TokenCounts | None) -> dict[str, object]:
        """The answer in one object."""
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {
            "index": 0,
            "message": message,
            "logprobs": None,
            "finish_reason": FINISH_REASON[finish],
        }
        return {**self._head("chat.completion"), "choices": [choice], "usage": usage(tokens)}

    def _chunk(self, delta: dict[str, str], finish_reason: str | None) -> bytes:
        if not self._begun:
            self._begun = True
            delta = {"role": "assistant", "content": "", **delta}
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        told: dict[str, object] = {**self._head("chat.completion.chunk"), "choices": [choice]}
        if self.with_usage:
            told["usage"] = None
        return frame(told)

    def _head(self, kind: str) -> dict[str, object]:
        return {
            "id": f"chatcmpl-{self.answer_id}",
            "object": kind,
            "created": self.created,
            "model": self.model,
        }
