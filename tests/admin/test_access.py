"""What each role is shown and allowed, and which forms are believed."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from serving.access import Access, AccessConfig
from serving.admin.visit import sessions_of
from serving.tokens import ROLES, Role
from tests.admin.conftest import Admin
from tests.serving.server import events, serving

NEEDED: Mapping[str, Role] = {
    "/admin/variants": "edit",
    "/admin/pins/pin": "edit",
    "/admin/pins/unpin": "edit",
    "/admin/ask": "edit",
    "/admin/imports": "import",
    "/admin/imports/nothing/apply": "import",
    "/admin/imports/nothing/preview": "import",
    "/admin/imports/nothing/undo": "import",
}


async def test_a_role_that_is_too_small_is_refused(admin: Admin) -> None:
    for path, needed in NEEDED.items():
        for role in ROLES:
            csrf = await admin.people[role].csrf()
            header = {"X-CSRF-Token": csrf} if path == "/admin/ask" else {}
            form = {"csrf": csrf}
            reply = await admin.people[role].client.post(path, data=form, headers=header)
            refused = reply.status_code == 403
            assert refused == (ROLES.index(role) < ROLES.index(needed)), (path, role)


async def test_only_forms_that_a_role_may_send_are_shown_to_it(admin: Admin) -> None:
    shown = {
        role: (await admin.people[role].get("/admin/product", id="shirt")).text
        + (await admin.people[role].get("/admin/imports")).text
        for role in ROLES
    }
    for action, needed in (("/admin/variants", "edit"), ("/admin/imports", "import")):
        for role in ROLES:
            allowed = ROLES.index(role) >= ROLES.index(needed)
            assert (f'action="{action}"' in shown[role]) == allowed, (action, role)


@pytest.mark.parametrize("csrf", ["", "wrong", "é", "another's"])
async def test_a_form_that_is_not_of_this_session_is_refused(admin: Admin, csrf: str) -> None:
    if csrf == "another's":
        csrf = await admin.people["edit"].csrf()
    someone = admin.people["import"]
    before = await admin.services.catalog.store.version()
    for path in [*NEEDED, "/admin/logout"]:
        if path == "/admin/ask":
            reply = await someone.client.post(
                path, json={"message": "Hello"}, headers={"X-CSRF-Token": csrf.encode().hex()}
            )
        elif path == "/admin/imports":
            files = {"file": ("a.csv", b"sku,title,price\nA,B,1.00\n")}
            reply = await someone.client.post(path, data={"csrf": csrf}, files=files)
        else:
            reply = await someone.post(path, csrf=csrf, product_id="shirt", sku="SH-BLK")
        assert reply.status_code == 403, path
    assert await admin.services.catalog.store.version() == before
    assert await admin.services.catalog.imports.records.latest() == []
    assert (await someone.get("/admin")).status_code == 200


async def test_an_editor_asks_as_a_shopper_does(admin: Admin) -> None:
    reply = await admin.editor.client.post(
        "/admin/ask",
        json={"message": "Is it in stock?", "sku": "shirt"},
        headers={"X-CSRF-Token": await admin.editor.csrf()},
    )
    told = events(reply.content)
    assert [name for name, _ in told] == ["sources", "token", "token", "timing", "done"]
    assert reply.headers["cache-control"] == "no-store"


async def test_an_editor_needs_no_shoppers_key(admin: Admin) -> None:
    keyed = replace(admin.services, access=Access(AccessConfig(keys=("shoppers",))))
    headers = {
        "Cookie": f"hotshelf_admin={admin.editor.client.cookies['hotshelf_admin']}",
        "X-CSRF-Token": await admin.editor.csrf(),
    }
    async with serving(keyed) as port:
        address = f"http://127.0.0.1:{port}"
        asked = {"message": "Hello"}
        shopper = await admin.stranger.client.post(f"{address}/chat", json=asked)
        editor = await admin.stranger.client.post(
            f"{address}/admin/ask", json=asked, headers=headers
        )
    assert shopper.status_code == 401
    assert [name for name, _ in events(editor.content)][-1] == "done"


async def test_nothing_is_believed_without_a_session(admin: Admin) -> None:
    bearer = {"Authorization": f"Bearer {admin.tokens['import']}"}
    for path in NEEDED:
        reply = await admin.stranger.client.post(path, headers=bearer)
        assert reply.status_code in (303, 401), path


@pytest.mark.parametrize(
    ("asked", "language", "said"),
    [
        ({}, "en-US,en;q=0.9,zh;q=0.8", "Products"),
        ({}, "fr, zh-CN;q=0.9, en;q=0.8", "商品"),
        ({}, "", "Products"),
        ({"lang": "zh"}, "en", "商品"),
    ],
)
async def test_the_language_is_the_browsers_or_the_one_chosen(
    admin: Admin, asked: dict[str, str], language: str, said: str
) -> None:
    client = admin.editor.client
    page = await client.get("/admin", params=asked, headers={"Accept-Language": language})
    assert f"<h1>{said}</h1>" in page.text
    if asked:
        later = await client.get("/admin", headers={"Accept-Language": language})
        assert f"<h1>{said}</h1>" in later.text


async def test_a_store_that_does_not_answer_is_told_as_a_page(admin: Admin) -> None:
    cookie = admin.editor.client.cookies["hotshelf_admin"]
    key = sessions_of(admin.services)._key(cookie)
    await admin.services.redis.delete(key)
    await admin.services.redis.hset(key, "not", "a session")
    reply = await admin.editor.get("/admin")
    assert reply.status_code == 503
    assert "The store does not answer" in reply.text
