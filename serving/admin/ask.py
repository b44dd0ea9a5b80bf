"""Ask as a shopper: the answer that shoppers get now, beside the form that changed it."""

from fastapi import APIRouter
from fastapi.responses import Response

from serving.admin.routing import AdminRoute
from serving.admin.visit import Asker, check_csrf
from serving.routes.chat import answer_stream

router = APIRouter(route_class=AdminRoute)


@router.post("/ask")
async def ask(visit: Asker) -> Response:
    """The events of /chat, for whoever is signed in: shoppers' keys are not needed here."""
    check_csrf(visit, visit.request.headers.get("x-csrf-token"))
    return await answer_stream(visit.request, visit.services)
