"""Saved questions over HTTP: list, save, delete. Imports are looked at with them beforehand."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from catalog.product import Locale
from catalog.questions import QuestionError, SavedQuestion, TooManyQuestionsError
from serving.body import read_json, validate
from serving.errors import ApiError
from serving.question_contract import QuestionBody, QuestionJson, QuestionsJson
from serving.question_json import question_to_json
from serving.routes.catalog_common import BODY, Caller, Editor, Reader, answer, errors
from serving.routes.common import takes

router = APIRouter(prefix="/catalog/questions", tags=["questions"])


@router.get("", response_model=QuestionsJson, responses=errors())
async def listed(caller: Reader) -> Response:
    """The questions that imports are looked at with before they are applied."""
    found = await caller.catalog.questions.all()
    told = [question_to_json(question) for question in found]
    return answer({"questions": told}, caller.services.records.version)


@router.post(
    "",
    status_code=201,
    response_model=QuestionJson,
    responses={
        200: {"model": QuestionJson, "description": "it was saved before, and stays as it was"},
        **errors("sku_unknown", "questions_full", *BODY),
    },
    openapi_extra=takes(QuestionBody),
)
async def save(caller: Editor, request: Request) -> Response:
    """Save a question; saving it twice is saving it once."""
    data = await read_json(request, caller.catalog.config.body)
    body = validate(QuestionBody, data, caller.services.http.limits)
    saved, new = await save_question(caller, body.question, body.sku, body.locale)
    status = 201 if new else 200
    return answer(question_to_json(saved), caller.services.records.version, status=status)


@router.delete("/{question_id}", status_code=204, responses=errors("question_unknown"))
async def delete(caller: Editor, question_id: str) -> Response:
    """Ask it no more before imports."""
    if not await caller.catalog.questions.delete(question_id):
        message = f"no saved question has the id {question_id!r}: GET /catalog/questions"
        raise ApiError("question_unknown", message)
    return answer(None, caller.services.records.version, status=204)


async def save_question(
    caller: Caller, question: str, sku: str | None, locale: Locale | None
) -> tuple[SavedQuestion, bool]:
    """Save it in the caller's name; whether it is new. Raises `ApiError`."""
    if sku is not None and caller.services.records.resolve(sku) is None:
        message = "sku: names no SKU and no product of this catalogue: correct it, or leave it out"
        raise ApiError("sku_unknown", message, field="sku")
    try:
        return await caller.catalog.questions.save(
            question, actor=caller.grant.name, sku=sku, locale=locale
        )
    except QuestionError as error:
        raise ApiError("invalid_request", str(error), field="question") from None
    except TooManyQuestionsError as error:
        raise ApiError("questions_full", str(error)) from None
