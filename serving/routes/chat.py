"""`POST /chat`: the shopper's stream of events."""

from collections.abc import AsyncGenerator
from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from pipeline.types import Done, Question
from serving.answering import answering
from serving.body import read_json, validate
from serving.errors import ApiError, error_json
from serving.events import done_json, name_and_json
from serving.observe import RequestRecord, record_of
from serving.routes.common import ERROR_SCHEMA, authorised, described
from serving.schemas import ChatRequest
from serving.services import Records, Services
from serving.sse import EventStream, frame
from serving.text import detect_locale

router = APIRouter()


@router.post(
    "/chat",
    response_class=Response,
    openapi_extra=described(ChatRequest, ["text/event-stream"], ERROR_SCHEMA),
)
async def chat(request: Request, services: Annotated[Services, Depends(authorised)]) -> Response:
    """Answer a shopper's message as server-sent events; docs/events.md describes them."""
    return await answer_stream(request, services)


async def answer_stream(request: Request, services: Services) -> EventStream:
    """The events that answer `request`, whoever was allowed to send it. Raises `ApiError`."""
    data = await read_json(request, services.http.body)
    asked = validate(ChatRequest, data, services.http.limits)
    question = _question(asked, services.records)
    record = record_of(request.scope)
    return EventStream(
        _frames(services, question, record),
        record.timings,
        lambda error: _late(error, question, services.records),
        heartbeat_s=services.http.stream.heartbeat_s,
    )


def _question(asked: ChatRequest, records: Records) -> Question:
    page = records.resolve(asked.sku) if asked.sku is not None else None
    if asked.sku is not None and page is None:
        message = "sku: names no SKU and no product of this catalogue: correct it, or leave it out"
        raise ApiError("sku_unknown", message, field="sku")
    product, variant = page or (None, None)
    return Question(
        text=asked.message,
        locale=asked.locale or detect_locale(asked.message),
        answer_id=uuid4().hex,
        session_id=asked.session_id,
        product_id=product.id if product else None,
        sku=variant.sku if variant else None,
    )


async def _frames(
    services: Services, question: Question, record: RequestRecord
) -> AsyncGenerator[bytes, None]:
    async with answering(services, question, record) as events:
        yield b""
        async for event in events:
            name, data = name_and_json(event, record.timings, question.sku, services.http.budget_ms)
            yield frame(data, name)


def _late(error: ApiError, question: Question, records: Records) -> bytes:
    end = Done(question.session_id, "error", records.version)
    return frame(error_json(error), "error") + frame(done_json(end), "done")
