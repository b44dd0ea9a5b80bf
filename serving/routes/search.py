"""Ask which products a question finds, and why."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from catalog.product import Locale
from serving.errors import ApiError
from serving.explain import explain
from serving.routes.catalog_common import Reader, answer, errors
from serving.schemas import check_message
from serving.search_contract import SearchJson

router = APIRouter(prefix="/catalog/search", tags=["products"])

Asked = Annotated[str, Query(description="A question, as a shopper would put it.")]


@router.get("", response_model=SearchJson, responses=errors("sku_unknown"))
async def search(
    caller: Reader,
    q: Asked,
    sku: Annotated[str | None, Query(description="The page that the shopper is on.")] = None,
    locale: Annotated[Locale | None, Query(description="The answer's language.")] = None,
) -> Response:
    """Which products a question finds, and why; nothing is generated."""
    try:
        text = check_message(q, caller.services.http.limits)
    except ValueError as error:
        raise ApiError("invalid_request", f"q: {error}", field="q") from None
    if sku is not None and caller.services.records.resolve(sku) is None:
        message = "sku: names no SKU and no product of this catalogue: correct it, or leave it out"
        raise ApiError("sku_unknown", message, field="sku")
    told = await explain(caller.services, text, sku, locale)
    return answer(told, caller.services.records.version)
