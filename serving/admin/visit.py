"""One request of someone who is signed in: who it is, what they may do, and their page."""

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Request, Security
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.security import SecurityScopes

from catalog.product import Locale
from serving.admin.forms import read_form
from serving.admin.rendering import render
from serving.admin.sessions import AdminSession, AdminSessions
from serving.admin.words import LANGUAGE_COOKIE, language_of, say
from serving.catalog_services import CatalogServices
from serving.errors import ApiError
from serving.routes.catalog_common import Caller
from serving.routes.common import services_of
from serving.services import Services
from serving.tokens import ROLES, Grant, Role

SESSION_COOKIE = "hotshelf_admin"
_YEAR_S = 365 * 24 * 3600


class SignedOutError(Exception):
    """There is no session, or it has ended."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A request with a session. `form` holds what was sent with a POST, already checked."""

    request: Request
    services: Services
    session: AdminSession
    locale: Locale
    form: dict[str, str]

    @property
    def caller(self) -> Caller:
        """The holder of the session's token, as the routes under /catalog know them."""
        return Caller(self.services, self.grant)

    @property
    def grant(self) -> Grant:
        """Whose session it is."""
        return self.session.grant

    @property
    def catalog(self) -> CatalogServices:
        """The catalogue as it is stored."""
        return self.services.catalog

    def say(self, key: str, **values: object) -> str:
        """A phrase in the visitor's language."""
        return say(self.locale, key, **values)

    def page(self, template: str, *, code: int = 200, **context: object) -> Response:
        """A page that knows who looks at it."""
        shown = {"grant": self.grant, "csrf": self.session.csrf, **context}
        return page(self.request, template, code=code, **shown)


async def _visit(request: Request, needed: SecurityScopes) -> Visit:
    """Raises `SignedOutError`; `ApiError` for a role too small or a form that is not ours."""
    services = services_of(request)
    session = await sessions_of(services).get(request.cookies.get(SESSION_COOKIE, ""))
    if session is None:
        raise SignedOutError
    locale = language_of(request)
    role = next(role for role in ROLES if role in needed.scopes)
    if not session.grant.allows(role):
        raise ApiError("forbidden", say(locale, "role_too_small", role=role))
    visit = Visit(request, services, session, locale, {})
    if request.method != "POST" or "own_body" in needed.scopes:
        return visit
    form = await read_form(request)
    check_csrf(visit, form.get("csrf"))
    return Visit(request, services, session, locale, form)


def check_csrf(visit: Visit, csrf: object) -> None:
    """Raise `ApiError` unless `csrf` came from one of this session's pages."""
    if not visit.session.sent(csrf):
        raise ApiError("forbidden", visit.say("wrong_csrf"))


def _visitor(role: Role, *more: str) -> Any:
    return Security(_visit, scopes=[role, *more])


Reader = Annotated[Visit, _visitor("read")]
Editor = Annotated[Visit, _visitor("edit")]
Importer = Annotated[Visit, _visitor("import")]
Asker = Annotated[Visit, _visitor("edit", "own_body")]
"""Sends JSON, with the CSRF token in a header."""
Uploader = Annotated[Visit, _visitor("import", "own_body")]
"""Sends a form with a file; whoever reads it checks the CSRF token."""


def sessions_of(services: Services) -> AdminSessions:
    """The sessions of these services."""
    return AdminSessions(services.redis, services.catalog.tokens)


def page(request: Request, template: str, *, code: int = 200, **context: object) -> Response:
    """A page; the language that was just chosen is remembered."""
    locale = language_of(request)
    other: Locale = "en" if locale == "zh" else "zh"
    asked = [(k, v) for k, v in request.query_params.multi_items() if k != "lang"]
    path = request.url.path if request.method == "GET" else "/admin"
    shown: dict[str, object] = {
        "grant": None,
        "csrf": "",
        "path": path,
        "other": other,
        "switch": f"{path}?{urlencode([*asked, ('lang', other)])}",
        **context,
    }
    reply = HTMLResponse(render(template, locale, shown), code)
    if request.query_params.get("lang") == locale:
        set_cookie(request, reply, LANGUAGE_COOKIE, locale, max_age=_YEAR_S)
    return reply


def set_cookie(
    request: Request, reply: Response, name: str, value: str, max_age: int | None = None
) -> None:
    """A cookie for /admin alone, out of reach of scripts and of other sites."""
    secure = request.url.scheme == "https"
    reply.set_cookie(
        name, value, max_age, path="/admin", secure=secure, httponly=True, samesite="strict"
    )


def to(path: str, **query: str) -> Response:
    """Go on with a GET, so that reloading does not send a form again."""
    return RedirectResponse(f"{path}?{urlencode(query)}" if query else path, 303)


ServicesOf = Annotated[Services, Depends(services_of)]
