"""Which answers a previewed import would change, over HTTP."""

import asyncio

from fastapi import APIRouter
from fastapi.responses import Response

from serving.answer_previews import Answers
from serving.errors import ApiError
from serving.question_contract import AnswersJson
from serving.question_json import answers_to_json
from serving.routes.catalog_common import Caller, Reader, answer, errors
from serving.routes.imports import import_and_status

router = APIRouter(prefix="/catalog/imports", tags=["imports"])


@router.get(
    "/{import_id}/answers",
    response_model=AnswersJson,
    responses=errors("import_unknown", "import_busy"),
)
async def answers(caller: Reader, import_id: str) -> Response:
    """Which saved questions a previewed import would have answered from something else.

    Products and facts are looked up as the shop is now and as it would be; nothing is generated.
    New texts are encoded behind the questions of shoppers, so the answer may take a while.
    """
    _, status = await import_and_status(caller, import_id)
    task = await comparison(caller, import_id)
    if task is None:
        message = f"it is known of an import that was previewed, and this one is {status}"
        raise ApiError("import_busy", message, more={"status": status})
    found = await asyncio.shield(task)
    return answer(answers_to_json(found), caller.services.records.version)


async def comparison(caller: Caller, import_id: str) -> asyncio.Task[Answers] | None:
    """Finds out what changes, or has; None for an import that is not previewed."""
    services = caller.services
    moment = services.records.version, services.encoding.pending
    return await caller.catalog.answers.begin(import_id, services.foresight, moment)
