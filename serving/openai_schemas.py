"""The body of `POST /v1/chat/completions`, as far as it can be honoured.

What has no effect here is accepted only in the value that asks for none; everything else is
refused by name, so that nobody relies on what does not happen.
"""

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from pipeline.types import Turn
from serving.errors import ApiError
from serving.schemas import Limits, check_message
from serving.text import clean_text

NEUTRAL: Mapping[str, tuple[object, ...]] = {
    "n": (1,),
    "top_p": (1,),
    "presence_penalty": (0,),
    "frequency_penalty": (0,),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "logit_bias": ({},),
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "parallel_tool_calls": (True, False),
    "response_format": ({"type": "text"},),
    "modalities": (["text"],),
    "store": (False,),
    "seed": (),
    "audio": (),
    "prediction": (),
    "web_search_options": (),
    "reasoning_effort": (),
    "verbosity": (),
}
"""OpenAI's fields that are not supported, with the values that ask for nothing; null does too."""

UNUSED = ("user", "metadata", "safety_identifier", "prompt_cache_key", "service_tier")
"""OpenAI's fields that would not change an answer: accepted in any value."""

_MESSAGE_EXTRAS = ("refusal", "annotations", "audio", "function_call", "tool_calls", "reasoning")
"""What official clients send back with an assistant's message; only empty values are accepted."""


def _text_of(content: object) -> object:
    """The text of a message's content: a string, or a list of text parts."""
    if not isinstance(content, list):
        return content
    texts: list[str] = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        text = part.get("text") if isinstance(part, dict) else None
        if kind != "text" or not isinstance(text, str):
            raise ValueError("has a part that is not text: send {'type': 'text', 'text': '...'}")
        texts.append(text)
    return "".join(texts)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Message(_Strict):
    """One message. System and developer messages are read and not used; see docs/openai.md."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Annotated[str, BeforeValidator(_text_of), AfterValidator(clean_text)]
    name: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_empty_extras(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        for extra in _MESSAGE_EXTRAS:
            if data.get(extra):
                raise ValueError(f"{extra} is not supported: send text")
        return {name: value for name, value in data.items() if name not in _MESSAGE_EXTRAS}


class StreamOptions(_Strict):
    """`include_usage`: a last chunk with the counts."""

    include_usage: bool = False
    include_obfuscation: Literal[False] = False


def _stops(stop: object) -> object:
    return [stop] if isinstance(stop, str) else stop


StopText = Annotated[str, Field(min_length=1, max_length=64)]


class CompletionRequest(_Strict):
    """A conversation whose last user message is the question."""

    messages: Annotated[list[Message], Field(min_length=1, max_length=1_000)] | None = Field(
        None, description="The conversation; the last message is the user's question."
    )
    prompt: str | None = Field(None, description="One user message, instead of `messages`.")
    model: str | None = Field(None, description="Any; the answer names the one that ran.")
    stream: bool | None = Field(None, description="Whether to send chunks as they are made.")
    stream_options: StreamOptions | None = Field(
        None, description="`include_usage`: counts in a last chunk without choices."
    )
    max_tokens: Annotated[int, Field(ge=1)] | None = Field(
        None, description="The longest answer, in tokens."
    )
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = Field(
        None, description="The same; it goes before `max_tokens`."
    )
    temperature: Annotated[float, Field(ge=0, le=2)] | None = Field(
        None, description="From 0, the default, to 2."
    )
    stop: Annotated[list[StopText], Field(max_length=4), BeforeValidator(_stops)] | None = Field(
        None, description="A text, or up to 4, each of at most 64 characters, to end before."
    )


def without_unsupported(data: object) -> object:
    """`data` without the fields that change nothing. Raises `ApiError` naming one that would."""
    if not isinstance(data, dict):
        return data
    for name, neutral in NEUTRAL.items():
        value = data.get(name)
        if value is not None and value not in neutral:
            instead = f": send {json.dumps(neutral[0])}, or leave it out" if neutral else ""
            message = f"{name}: is not supported{instead or ': leave it out'}"
            raise ApiError("unsupported_parameter", message, field=name)
    return {k: v for k, v in data.items() if k not in NEUTRAL and k not in UNUSED}


def conversation(asked: CompletionRequest, limits: Limits) -> tuple[str, tuple[Turn, ...]]:
    """The question and the turns before it. Raises `ApiError`.

    A turn is what a user said with the reply to it; messages without their counterpart are left
    out, and so are the oldest turns beyond `limits.history_chars`.
    """
    if (asked.messages is None) == (asked.prompt is None):
        raise ApiError("invalid_request", "send either messages or prompt", field="messages")
    if asked.messages is None:
        return _question(asked.prompt or "", "prompt", limits), ()
    said = [message for message in asked.messages if message.role in ("user", "assistant")]
    if not said or said[-1].role != "user":
        message = "messages: the last one must be the user's question"
        raise ApiError("invalid_request", message, field="messages")
    question = _question(said[-1].content, "messages", limits)
    return question, _newest(_turns(said[:-1]), limits.history_chars)


def has_instructions(asked: CompletionRequest) -> bool:
    """Whether there are system or developer messages, which are not used."""
    return any(m.role in ("system", "developer") for m in asked.messages or ())


def _question(text: str, field: str, limits: Limits) -> str:
    try:
        return check_message(text, limits)
    except ValueError as error:
        raise ApiError("invalid_request", f"{field}: {error}", field=field) from None


def _turns(said: Sequence[Message]) -> list[Turn]:
    pairs = itertools.pairwise(said)
    return [
        Turn(asked.content, reply.content)
        for asked, reply in pairs
        if asked.role == "user" and reply.role == "assistant"
    ]


def _newest(turns: Sequence[Turn], characters: int) -> tuple[Turn, ...]:
    kept: list[Turn] = []
    for turn in reversed(turns):
        characters -= len(turn.question) + len(turn.answer)
        if characters < 0:
            break
        kept.append(turn)
    return tuple(reversed(kept))
