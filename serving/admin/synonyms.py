"""The shop's synonyms: one text, edited as a whole."""

from fastapi import APIRouter
from fastapi.responses import Response

from catalog.synonyms import MAX_CHARACTERS, MAX_WORDS, SynonymsError
from serving.admin.forms import read_form
from serving.admin.routing import AdminRoute
from serving.admin.visit import Asker, Reader, Visit, check_csrf, to
from serving.text import clean_text

router = APIRouter(route_class=AdminRoute, prefix="/synonyms")

_MAX_BYTES = 10 * MAX_CHARACTERS
"""A Chinese character takes nine in a form."""


@router.get("")
async def synonyms(visit: Reader) -> Response:
    """The text, and a form to change it."""
    known = await visit.catalog.synonyms.get()
    return _page(visit, known.text, saved=visit.request.query_params.get("saved") == "yes")


@router.post("/save")
async def save(visit: Asker) -> Response:
    """Replace it; what cannot be used comes back with the reason, and is not lost."""
    form = await read_form(visit.request, _MAX_BYTES)
    check_csrf(visit, form.get("csrf"))
    written = form.get("text", "")
    try:
        await visit.catalog.synonyms.put(clean_text(written), actor=visit.grant.name)
    except SynonymsError as error:
        return _page(visit, written, wrong=_told(visit, error))
    except ValueError:
        return _page(visit, "", wrong=visit.say("wrong_synonyms_text"))
    return to("/admin/synonyms", saved="yes")


def _told(visit: Visit, error: SynonymsError) -> str:
    if error.line is None:
        return visit.say("wrong_synonyms_long", most=f"{MAX_CHARACTERS:,}")
    return visit.say("wrong_synonyms_line", line=error.line, most=MAX_WORDS)


def _page(visit: Visit, text: str, *, saved: bool = False, wrong: str = "") -> Response:
    code = 422 if wrong else 200
    return visit.page("synonyms.html", code=code, text=text, saved=saved, wrong=wrong)
