"""Search as a shopper: what a question finds and why."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from serving.admin.routing import AdminRoute
from serving.admin.visit import Reader
from serving.explain import explain

router = APIRouter(route_class=AdminRoute, prefix="/search")


@router.get("")
async def search(visit: Reader, q: Annotated[str, Query(max_length=1000)] = "") -> Response:
    """The form, and what was found if something was asked."""
    found = await explain(visit.services, q.strip()) if q.strip() else None
    return visit.page("search.html", q=q, found=found)
