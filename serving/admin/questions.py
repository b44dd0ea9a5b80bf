"""Saved questions: kept from a product's page, listed, deleted."""

from fastapi import APIRouter
from fastapi.responses import Response

from catalog.questions import MAX_CHARACTERS, QuestionError, cleaned
from serving.admin.routing import AdminRoute
from serving.admin.visit import Editor, Reader, to
from serving.errors import ApiError
from serving.routes.questions import save_question

router = APIRouter(route_class=AdminRoute, prefix="/questions")


@router.get("")
async def questions(visit: Reader) -> Response:
    """All of them, with the pages that they are asked on as far as there are such."""
    found = await visit.catalog.questions.all()
    asked = {q.id: visit.services.records.resolve(q.sku) for q in found if q.sku is not None}
    pages = {id_: page[0] for id_, page in asked.items() if page is not None}
    return visit.page("questions.html", questions=found, pages=pages)


@router.post("/save")
async def save(visit: Editor) -> Response:
    """Save what stands in the form of "ask as a shopper", on the page that it stands on."""
    page = visit.form.get("product_id", "")
    try:
        question = cleaned(visit.form.get("message", ""))
    except QuestionError:
        raise ApiError(
            "invalid_request", visit.say("wrong_question", most=MAX_CHARACTERS)
        ) from None
    if visit.services.records.resolve(page) is None:
        raise ApiError("product_unknown", visit.say("no_such_product", id=page))
    await save_question(visit.caller, question, page, None)
    return to("/admin/product", id=page, question="saved")


@router.post("/delete")
async def delete(visit: Editor) -> Response:
    """Ask it no more; nothing is wrong if it is gone already."""
    await visit.catalog.questions.delete(visit.form.get("id", ""))
    return to("/admin/questions")
