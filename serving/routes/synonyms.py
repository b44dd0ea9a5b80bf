"""The shop's synonyms over HTTP: read, and replaced whole."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from catalog.synonyms import Synonyms, SynonymsError
from serving.body import read_json, validate
from serving.errors import ApiError
from serving.routes.catalog_common import BODY, Editor, Reader, answer, errors
from serving.routes.common import takes
from serving.synonym_contract import SynonymsBody, SynonymsJson, synonyms_to_json

router = APIRouter(prefix="/catalog/synonyms", tags=["synonyms"])


@router.get("", response_model=SynonymsJson, responses=errors())
async def read(caller: Reader) -> Response:
    """Words that mean the same in this shop, as they were written last."""
    return _answer(await caller.catalog.synonyms.get(), caller.services.records.version)


@router.put(
    "", response_model=SynonymsJson, responses=errors(*BODY), openapi_extra=takes(SynonymsBody)
)
async def put(caller: Editor, request: Request) -> Response:
    """Replace them all. Every gateway searches with them within a second.

    One group a line, its words separated by commas; a line that begins with # is a note.
    """
    data = await read_json(request, caller.catalog.config.body)
    body = validate(SynonymsBody, data, caller.services.http.limits)
    try:
        saved = await caller.catalog.synonyms.put(body.text, actor=caller.grant.name)
    except SynonymsError as error:
        raise ApiError("invalid_request", f"text: {error}", field="text") from None
    return _answer(saved, caller.services.records.version)


def _answer(synonyms: Synonyms, version: int) -> Response:
    return answer(synonyms_to_json(synonyms), version)
