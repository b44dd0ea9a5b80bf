"""`POST /chat/warm`: a shopper opened a product's page, and may soon ask."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from typing_extensions import TypedDict

from pipeline.warming.pages import PageStatus
from serving.body import read_json, validate
from serving.errors import ANSWER_CODES, WARM_CODES, ApiError
from serving.routes.common import ERROR_SCHEMA, authorised, takes
from serving.schemas import WarmRequest
from serving.services import Services
from serving.wire import JsonResponse

router = APIRouter()

_CODES = {**ANSWER_CODES, **WARM_CODES}
_MEETS = ("invalid_request", "unauthorized", "sku_unknown", "too_many_requests")


class WarmJson(TypedDict):
    """What comes of it."""

    status: PageStatus


@router.post(
    "/chat/warm",
    status_code=202,
    response_model=WarmJson,
    responses={
        _CODES[name].status: {
            "description": f"`{name}`: {_CODES[name].meaning}",
            "content": {"application/json": {"schema": ERROR_SCHEMA}},
        }
        for name in _MEETS
    },
    openapi_extra=takes(WarmRequest),
)
async def warm(request: Request, services: Annotated[Services, Depends(authorised)]) -> Response:
    """Have what a question about this product begins with computed, in the next idle moment.

    The address that is counted is the connection's other end: behind a proxy that is the proxy's,
    unless uvicorn is told to trust its headers.
    """
    data = await read_json(request, services.http.body)
    asked = validate(WarmRequest, data, services.http.limits)
    page = services.records.resolve(asked.sku)
    if page is None:
        message = "sku: names no SKU and no product of this catalogue: correct it"
        raise ApiError("sku_unknown", message, field="sku")
    address = request.client.host if request.client is not None else ""
    status = await services.shelf.open_page(page[0], asked.locale, asked.session_id, address)
    return JsonResponse({"status": status}, 202)
