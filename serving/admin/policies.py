"""The shop's texts for what no record answers: each a form of its own."""

from fastapi import APIRouter
from fastapi.responses import Response

from catalog.policies import MAX_CHARACTERS, PolicyTextError
from catalog.product import LOCALES, Locale
from serving.admin.routing import AdminRoute
from serving.admin.visit import Editor, Reader, Visit, to
from serving.errors import ApiError
from serving.policy_texts import check_name, every
from serving.text import clean_text

router = APIRouter(route_class=AdminRoute, prefix="/policies")


@router.get("")
async def policies(visit: Reader) -> Response:
    """All of them, the visitor's language first."""
    found = await every(visit.catalog.policies)
    found.sort(key=lambda policy: policy["locale"] != visit.locale)
    saved = visit.request.query_params.get("saved", "")
    return visit.page("policies.html", policies=found, saved=saved, most=MAX_CHARACTERS)


@router.post("/save")
async def save(visit: Editor) -> Response:
    """Answer with what stands in the form; with the shipped text if nothing does."""
    locale, name = _named(visit)
    try:
        written = clean_text(visit.form.get("text", "")).strip()
        if written:
            await visit.catalog.policies.put(locale, name, written, actor=visit.grant.name)
        else:
            await visit.catalog.policies.delete(locale, name)
    except (PolicyTextError, ValueError):
        wrong = visit.say("wrong_policy", most=f"{MAX_CHARACTERS:,}")
        raise ApiError("invalid_request", wrong) from None
    return to("/admin/policies", saved=f"{locale}-{name}")


def _named(visit: Visit) -> tuple[Locale, str]:
    name = visit.form.get("name", "")
    check_name(name)
    for locale in LOCALES:
        if visit.form.get("locale") == locale:
            return locale, name
    raise ApiError("policy_unknown", visit.say("nothing_here"))
