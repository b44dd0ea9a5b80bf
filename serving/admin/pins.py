"""Products that are kept on the hot shelf, for some days or for good."""

from fastapi import APIRouter
from fastapi.responses import Response

from serving.admin.routing import AdminRoute
from serving.admin.visit import Editor, Reader, Visit, to
from serving.errors import ApiError

router = APIRouter(route_class=AdminRoute, prefix="/pins")

_DAY_S = 24 * 3600
MAX_DAYS = 3650


@router.get("")
async def pins(visit: Reader) -> Response:
    """All that have not expired."""
    found = await visit.catalog.pins.current()
    products = await visit.catalog.store.get_many([pin.product_id for pin in found])
    return visit.page("pins.html", pins=found, products=products)


@router.post("/pin")
async def pin(visit: Editor) -> Response:
    """Pin a product for some days, or for good where nothing is said."""
    product_id = visit.form.get("product_id", "")
    seconds = _seconds(visit, visit.form.get("days", "").strip())
    if await visit.catalog.store.get(product_id) is None:
        raise ApiError("product_unknown", visit.say("no_such_product", id=product_id))
    await visit.catalog.pins.pin(product_id, actor=visit.grant.name, seconds=seconds)
    return to("/admin/product", id=product_id)


@router.post("/unpin")
async def unpin(visit: Editor) -> Response:
    """Let shoppers decide again; nothing is wrong if they already do."""
    product_id = visit.form.get("product_id", "")
    await visit.catalog.pins.unpin(product_id)
    if visit.form.get("from") == "pins":
        return to("/admin/pins")
    return to("/admin/product", id=product_id)


def _seconds(visit: Visit, days: str) -> float | None:
    if not days:
        return None
    if days.isascii() and days.isdecimal() and len(days) < 6 and 0 < int(days) <= MAX_DAYS:
        return float(int(days) * _DAY_S)
    raise ApiError("invalid_request", visit.say("wrong_days", most=MAX_DAYS))
