"""Signing in: with a token alone, for as long as it is valid, and out again."""

import re
from collections.abc import Iterator

import httpx
import pytest
from starlette.routing import Route

from serving.app import create_app
from serving.tokens import ROLES
from tests.admin.conftest import Admin

OPEN = {"/admin/login"}


def admin_routes(admin: Admin) -> Iterator[tuple[str, str]]:
    """(method, path) of every route of the pages."""
    for route in create_app(admin.services).routes:
        if isinstance(route, Route) and route.path.startswith("/admin"):
            for method in (route.methods or set()) - {"HEAD"}:
                yield method, re.sub(r"\{[^}]*\}", "nothing", route.path)


async def test_nothing_is_shown_to_a_stranger(admin: Admin) -> None:
    routes = list(admin_routes(admin))
    assert len(routes) > 12
    for method, path in routes:
        if path in OPEN:
            continue
        reply = await admin.stranger.client.request(method, path)
        if path == "/admin/ask":
            assert (reply.status_code, reply.json()["error"]["code"]) == (401, "unauthorized")
        else:
            assert (reply.status_code, reply.headers["location"]) == (303, "/admin/login"), path


async def test_a_wrong_token_opens_nothing(admin: Admin) -> None:
    reply = await admin.stranger.sign_in("hotshelf_wrong")
    assert reply.status_code == 401
    assert "not known here" in reply.text
    assert (await admin.stranger.get("/admin")).status_code == 303


async def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(
    admin: Admin,
) -> None:
    reply = await admin.stranger.sign_in(f"  {admin.tokens['edit']}\n")
    (cookie,) = [c for c in reply.headers.get_list("set-cookie") if "hotshelf_admin" in c]
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/admin"} <= parts
    assert "secure" not in parts
    assert admin.tokens["edit"] not in cookie


async def test_over_https_the_cookie_is_sent_over_https_alone(admin: Admin) -> None:
    transport = httpx.ASGITransport(create_app(admin.services))
    async with httpx.AsyncClient(transport=transport, base_url="https://shop.test") as client:
        cookies = (await client.get("/admin/login")).headers.get_list("set-cookie")
    assert cookies
    assert all("; secure" in cookie.lower() for cookie in cookies)


async def test_the_store_holds_neither_token_nor_cookie(admin: Admin) -> None:
    redis = admin.services.redis
    kept = b""
    for key in [key async for key in redis.scan_iter("hotshelf:admin:*")]:
        kept += key + (await redis.get(key) or b"")
        assert 0 < await redis.ttl(key) <= 8 * 3600
    assert kept
    for role in ROLES:
        cookie = admin.people[role].client.cookies["hotshelf_admin"]
        assert admin.tokens[role].encode() not in kept
        assert cookie.encode() not in kept


async def test_who_signs_out_has_no_session_any_more(admin: Admin) -> None:
    cookie = admin.editor.client.cookies["hotshelf_admin"]
    reply = await admin.editor.post("/admin/logout")
    assert (reply.status_code, reply.headers["location"]) == (303, "/admin/login")
    again = await admin.stranger.client.get(
        "/admin", headers={"Cookie": f"hotshelf_admin={cookie}"}
    )
    assert again.status_code == 303


async def test_a_revoked_token_ends_its_session_even_if_its_name_is_used_again(
    admin: Admin,
) -> None:
    assert (await admin.editor.get("/admin")).status_code == 200
    await admin.services.catalog.tokens.revoke("edit")
    await admin.services.catalog.tokens.create("edit", "import")
    assert (await admin.editor.get("/admin")).status_code == 303


@pytest.mark.parametrize("csrf", ["", "x" * 43, "é"])
async def test_signing_in_needs_the_form_of_this_site(admin: Admin, csrf: str) -> None:
    await admin.stranger.get("/admin/login")
    form = {"csrf": csrf, "token": admin.tokens["edit"]}
    reply = await admin.stranger.client.post("/admin/login", data=form)
    assert reply.status_code == 403
    assert "hotshelf_admin" not in admin.stranger.client.cookies


async def test_every_answer_forbids_frames_foreign_scripts_and_caches(admin: Admin) -> None:
    for path in ("/admin", "/admin/login", "/admin/nothing", "/admin/product?id=shirt"):
        for someone in (admin.editor, admin.stranger):
            headers = (await someone.get(path)).headers
            policy = headers["content-security-policy"]
            assert policy.startswith("default-src 'self';"), path
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"] == "no-store"
