"""The shop's texts for what no record answers, over HTTP."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from catalog.policies import PolicyTextError
from catalog.product import Locale
from serving.body import read_json, validate
from serving.errors import ApiError
from serving.policy_contract import PoliciesJson, PolicyBody, PolicyJson
from serving.policy_texts import check_name, every, told
from serving.routes.catalog_common import BODY, Editor, Reader, answer, errors
from serving.routes.common import takes

router = APIRouter(prefix="/catalog/policies", tags=["policies"])


@router.get("", response_model=PoliciesJson, responses=errors())
async def listed(caller: Reader) -> Response:
    """What is answered where no product's record can answer."""
    found = await every(caller.catalog.policies)
    return answer({"policies": found}, caller.services.records.version)


@router.put(
    "/{locale}/{name}",
    response_model=PolicyJson,
    responses=errors("policy_unknown", *BODY),
    openapi_extra=takes(PolicyBody),
)
async def put(caller: Editor, request: Request, locale: Locale, name: str) -> Response:
    """Answer with this text. Every gateway does so within a second."""
    check_name(name)
    data = await read_json(request, caller.catalog.config.body)
    body = validate(PolicyBody, data, caller.services.http.limits)
    try:
        written = await caller.catalog.policies.put(
            locale, name, body.text, actor=caller.grant.name
        )
    except PolicyTextError as error:
        raise ApiError("invalid_request", f"text: {error}", field="text") from None
    return answer(told(name, locale, written), caller.services.records.version)


@router.delete("/{locale}/{name}", status_code=204, responses=errors("policy_unknown"))
async def delete(caller: Editor, locale: Locale, name: str) -> Response:
    """Answer with the shipped text again."""
    check_name(name)
    await caller.catalog.policies.delete(locale, name)
    return answer(None, caller.services.records.version, status=204)
