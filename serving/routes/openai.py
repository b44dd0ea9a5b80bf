"""OpenAI's chat completions on the shop's own line: the same retrieval, prompt and engine."""

from collections.abc import AsyncGenerator
from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from pipeline.types import Question, Token
from serving.answering import answering
from serving.body import read_json, validate
from serving.completions import Completion, Ending, late_error
from serving.connection import while_connected
from serving.errors import ApiError
from serving.observe import RequestRecord, record_of
from serving.openai_schemas import (
    CompletionRequest,
    conversation,
    has_instructions,
    without_unsupported,
)
from serving.routes.common import OPENAI_ERROR_SCHEMA, authorised, described
from serving.schemas import Limits
from serving.services import Services
from serving.sse import EventStream, server_timing
from serving.text import detect_locale
from serving.wire import JsonResponse

router = APIRouter(prefix="/v1")

Authorised = Annotated[Services, Depends(authorised)]


@router.post(
    "/chat/completions",
    response_class=Response,
    openapi_extra=described(
        CompletionRequest, ["text/event-stream", "application/json"], OPENAI_ERROR_SCHEMA
    ),
)
async def complete(request: Request, services: Authorised) -> Response:
    """Answer a conversation, streaming or whole."""
    http = services.http
    data = without_unsupported(await read_json(request, http.body))
    asked = validate(CompletionRequest, data, http.limits)
    question = _question(asked, http.limits)
    with_usage = asked.stream_options is not None and asked.stream_options.include_usage
    form = Completion(question.answer_id, services.model, with_usage)
    record = record_of(request.scope)
    headers = {"X-Hotshelf-Ignored": "system messages"} if has_instructions(asked) else {}
    if asked.stream:
        return EventStream(
            _frames(services, question, record, form),
            record.timings,
            late_error,
            heartbeat_s=http.stream.heartbeat_s,
            hold_s=http.stream.hold_s,
            headers=headers,
        )
    whole = await while_connected(request.receive, _whole(services, question, record, form))
    return JsonResponse(whole, headers={**headers, "Server-Timing": server_timing(record.timings)})


@router.get("/models")
async def models(services: Authorised) -> Response:
    """The model that answers."""
    return JsonResponse({"object": "list", "data": [_model(services)]})


@router.get("/models/{name:path}")
async def model(name: str, services: Authorised) -> Response:
    """The model that answers, by its id."""
    if name != services.model:
        message = f"no such model here: use '{services.model}'"
        raise ApiError("model_not_found", message, field="model")
    return JsonResponse(_model(services))


def _model(services: Services) -> dict[str, object]:
    return {"id": services.model, "object": "model", "created": 0, "owned_by": "hotshelf"}


def _question(asked: CompletionRequest, limits: Limits) -> Question:
    text, turns = conversation(asked, limits)
    longest = asked.max_completion_tokens or asked.max_tokens
    return Question(
        text=text,
        locale=detect_locale(text),
        answer_id=uuid4().hex,
        history=turns,
        max_tokens=None if longest is None else min(longest, limits.answer_tokens),
        temperature=asked.temperature or 0.0,
        stop=tuple(asked.stop or ()),
    )


async def _frames(
    services: Services, question: Question, record: RequestRecord, form: Completion
) -> AsyncGenerator[bytes, None]:
    ending = Ending()
    async with answering(services, question, record) as events:
        yield b""
        async for event in events:
            if isinstance(event, Token):
                yield form.piece(event.text)
            ending.note(event)
    ending.check()
    yield form.end(ending.finish, ending.tokens)


async def _whole(
    services: Services, question: Question, record: RequestRecord, form: Completion
) -> dict[str, object]:
    texts: list[str] = []
    ending = Ending()
    async with answering(services, question, record) as events:
        async for event in events:
            if isinstance(event, Token):
                texts.append(event.text)
            ending.note(event)
    ending.check()
    return form.whole("".join(texts), ending.finish, ending.tokens)
