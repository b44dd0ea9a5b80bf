"""Signing in with a token, once, and out again."""

import secrets

from fastapi import APIRouter, Request
from fastapi.responses import Response

from serving.admin.forms import read_form
from serving.admin.routing import AdminRoute
from serving.admin.sessions import same
from serving.admin.visit import (
    SESSION_COOKIE,
    Reader,
    ServicesOf,
    page,
    sessions_of,
    set_cookie,
    to,
)
from serving.admin.words import language_of, say
from serving.errors import ApiError

router = APIRouter(route_class=AdminRoute)

LOGIN_COOKIE = "hotshelf_login"
"""Holds what the form must repeat: another site can neither read nor set it."""


@router.get("/login")
async def form(request: Request) -> Response:
    """Where a token is pasted."""
    return _form(request)


@router.post("/login")
async def login(request: Request, services: ServicesOf) -> Response:
    """A session for the holder of a token; its page is the catalogue's."""
    sent = await read_form(request)
    expected = request.cookies.get(LOGIN_COOKIE, "")
    if not expected or not same(sent.get("csrf", ""), expected):
        raise ApiError("forbidden", say(language_of(request), "wrong_csrf"))
    sessions = sessions_of(services)
    cookie = await sessions.open(sent.get("token", "").strip())
    if cookie is None:
        return _form(request, failed=True)
    await sessions.close(request.cookies.get(SESSION_COOKIE, ""))
    reply = to("/admin")
    set_cookie(request, reply, SESSION_COOKIE, cookie)
    reply.delete_cookie(LOGIN_COOKIE, path="/admin")
    return reply


@router.post("/logout")
async def logout(visit: Reader) -> Response:
    """End the session, here and in the store."""
    await sessions_of(visit.services).close(visit.request.cookies.get(SESSION_COOKIE, ""))
    reply = to("/admin/login")
    reply.delete_cookie(SESSION_COOKIE, path="/admin")
    return reply


def _form(request: Request, *, failed: bool = False) -> Response:
    known = request.cookies.get(LOGIN_COOKIE) or secrets.token_urlsafe(32)
    code = 401 if failed else 200
    reply = page(request, "login.html", code=code, csrf=known, failed=failed)
    set_cookie(request, reply, LOGIN_COOKIE, known)
    return reply
