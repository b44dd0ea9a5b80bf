"""All of /admin, and the files that its pages use."""

from fastapi import APIRouter, FastAPI
from fastapi.responses import Response

from serving.admin import (
    ask,
    imports,
    login,
    pins,
    policies,
    products,
    questions,
    search,
    synonyms,
    variants,
)
from serving.admin.headers import AdminHeaders
from serving.admin.rendering import static_bytes
from serving.admin.routing import AdminRoute
from serving.admin.visit import Reader
from serving.errors import ApiError

_KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_last = APIRouter(route_class=AdminRoute)
_files = APIRouter()


@_last.api_route("/{rest:path}", methods=["GET", "POST"])
async def nothing(visit: Reader, rest: str) -> Response:
    """There is nothing else, and only those who are signed in are told so."""
    raise ApiError("not_found", visit.say("nothing_here"))


@_files.get("/static/{name}")
async def static(name: str) -> Response:
    """A file that pages use; its address changes with it, so browsers may keep it."""
    try:
        content = static_bytes(name)
    except KeyError:
        raise ApiError("not_found", "nothing is at this path: GET / lists what is") from None
    kind = _KINDS[name.rpartition(".")[2]]
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(content, media_type=kind, headers=headers)


def install(app: FastAPI) -> None:
    """Give `app` its pages for people; the catalogue's own documents do not tell of them."""
    app.add_middleware(AdminHeaders)
    for part in (
        login,
        products,
        variants,
        pins,
        questions,
        search,
        synonyms,
        policies,
        imports,
        ask,
    ):
        app.include_router(part.router, prefix="/admin", include_in_schema=False)
    app.include_router(_last, prefix="/admin", include_in_schema=False)
    app.include_router(_files, include_in_schema=False)
