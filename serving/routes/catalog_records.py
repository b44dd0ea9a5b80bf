"""What is kept about the catalogue: status, history, pins, and the whole of it as a file."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

from catalog.audit import history
from catalog.export import export
from serving.body import read_json, validate
from serving.catalog_schemas import PinBody
from serving.catalog_version import HEADER
from serving.errors import ApiError
from serving.import_contract import HistoryJson, PinJson, PinsJson, StatusJson
from serving.import_json import history_to_json, pin_to_json
from serving.routes.catalog_common import BODY, Editor, Reader, answer, errors
from serving.routes.common import takes

router = APIRouter(prefix="/catalog", tags=["records"])

_TYPES = {"csv": "text/csv", "json": "application/json", "jsonl": "application/x-ndjson"}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "a file that an import reads back as the same",
        "content": {kind: {} for kind in _TYPES.values()},
    }
}


@router.get("/status", response_model=StatusJson, responses=errors())
async def status(caller: Reader) -> Response:
    """How far this process is behind the stored catalogue."""
    records = caller.services.records
    stored = await caller.catalog.store.version()
    told: StatusJson = {
        "catalog_version": stored,
        "shown_version": records.version,
        "products": len(records),
        "waiting_for_search": caller.services.encoding.pending,
    }
    return answer(told, records.version)


@router.get(
    "/history/{product_id:path}", response_model=HistoryJson, responses=errors("product_unknown")
)
async def product_history(caller: Reader, product_id: str) -> Response:
    """Who changed a product, when, and from what to what; also of one that was deleted."""
    entries = await history(caller.catalog.store, product_id)
    if not entries:
        raise _unknown(product_id)
    told: HistoryJson = {
        "product_id": product_id,
        "history": [history_to_json(entry) for entry in entries],
    }
    return answer(told, max(entries[0].version, caller.services.records.version))


@router.get("/pins", response_model=PinsJson, responses=errors())
async def pins(caller: Reader) -> Response:
    """The products that are kept on the hot shelf whatever shoppers ask."""
    found = await caller.catalog.pins.current()
    return answer({"pins": [pin_to_json(pin) for pin in found]}, caller.services.records.version)


@router.get("/pins/{product_id:path}", response_model=PinJson, responses=errors("pin_unknown"))
async def read_pin(caller: Reader, product_id: str) -> Response:
    """One product's pin."""
    found = await caller.catalog.pins.get(product_id)
    if found is None:
        raise _unpinned(product_id)
    return answer(pin_to_json(found), caller.services.records.version)


@router.put(
    "/pins/{product_id:path}",
    response_model=PinJson,
    responses=errors("product_unknown", *BODY),
    openapi_extra=takes(PinBody),
)
async def pin(caller: Editor, request: Request, product_id: str) -> Response:
    """Keep a product on the hot shelf, until a moment, for some time, or for good."""
    data = await read_json(request, caller.catalog.config.body)
    seconds = _seconds(validate(PinBody, data, caller.services.http.limits))
    if await caller.catalog.store.get(product_id) is None:
        raise _unknown(product_id)
    made = await caller.catalog.pins.pin(product_id, actor=caller.grant.name, seconds=seconds)
    return answer(pin_to_json(made), caller.services.records.version)


@router.delete("/pins/{product_id:path}", status_code=204, responses=errors("pin_unknown"))
async def unpin(caller: Editor, product_id: str) -> Response:
    """Let shoppers decide again."""
    if not await caller.catalog.pins.unpin(product_id):
        raise _unpinned(product_id)
    return answer(None, caller.services.records.version, status=204)


@router.get("/export", response_class=StreamingResponse, responses={**_FILE, **errors()})
async def export_file(
    caller: Reader,
    kind: Annotated[Literal["csv", "json", "jsonl"], Query(alias="format")] = "csv",
) -> Response:
    """The whole catalogue as a file."""
    store = caller.catalog.store
    version = await store.version()
    return StreamingResponse(
        export(store, kind),
        media_type=_TYPES[kind],
        headers={
            HEADER: str(version),
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="catalog-{version}.{kind}"',
        },
    )


def _seconds(body: PinBody) -> float | None:
    """How long from now; None for good. Raises `ApiError`."""
    if body.until is None:
        return body.seconds
    if body.seconds is not None:
        raise ApiError("invalid_request", "send until or seconds, not both", field="until")
    if body.until.tzinfo is None:
        message = "until: has no time zone: send it like 2026-12-24T18:00:00Z"
        raise ApiError("invalid_request", message, field="until")
    left = (body.until - datetime.now(UTC)).total_seconds()
    if left <= 0:
        raise ApiError("invalid_request", "until: is in the past", field="until")
    return left


def _unknown(product_id: str) -> ApiError:
    return ApiError("product_unknown", f"there is no product {product_id!r}: GET /catalog/products")


def _unpinned(product_id: str) -> ApiError:
    return ApiError("pin_unknown", f"{product_id!r} is not pinned: GET /catalog/pins")
