"""Finding products, and the page of one: what it is, who changed it, and what shoppers hear."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from catalog.audit import history
from serving.admin.routing import AdminRoute
from serving.admin.visit import Reader
from serving.errors import ApiError

router = APIRouter(route_class=AdminRoute)

PAGE = 25
"""Products on a page; each has a row for every variant."""

Words = Annotated[str, Query(max_length=200)]


@router.get("")
async def find(
    visit: Reader,
    q: Words = "",
    cursor: Annotated[str, Query(max_length=1000)] = "",
    saved: Words = "",
) -> Response:
    """Products that have every word of `q`, with the live facts of their variants."""
    products = visit.services.records.products()
    found = await visit.catalog.search.page(products, q, cursor or None, PAGE)
    return visit.page("products.html", found=found, q=q, cursor=cursor, saved=saved)


@router.get("/product")
async def read(
    visit: Reader,
    product_id: Annotated[str, Query(alias="id")],
    saved: Words = "",
    question: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    """One product; of one that was deleted, its history."""
    product = await visit.catalog.store.get(product_id)
    entries = await history(visit.catalog.store, product_id)
    if product is None and not entries:
        raise ApiError("product_unknown", visit.say("no_such_product", id=product_id))
    return visit.page(
        "product.html",
        product_id=product_id,
        product=product,
        entries=entries,
        pin=await visit.catalog.pins.get(product_id),
        saved=saved,
        question_saved=question == "saved",
    )
