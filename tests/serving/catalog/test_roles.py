"""Every route of the catalogue asks for a token, and for the role that it says in OpenAPI."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
from starlette.routing import Route

from serving.app import create_app
from serving.tokens import ROLES, Role
from tests.serving.catalog.conftest import Api

Operation = tuple[str, str, Role]


def operations(document: Any) -> Iterator[Operation]:
    """(method, path with its parameters filled in, role needed) of every catalogue operation."""
    for path, methods in document["paths"].items():
        if path.startswith("/catalog"):
            for method, described in methods.items():
                (needed,) = described["security"]
                yield method.upper(), re.sub(r"\{[^}]*\}", "nothing", path), *needed["token"]


async def all_operations(api: Api) -> list[Operation]:
    found = list(operations((await api.nobody.get("/openapi.json")).json()))
    assert len(found) > 5
    return found


def code(reply: httpx.Response) -> str:
    return str(reply.json()["error"]["code"])


async def test_openapi_knows_every_route_under_catalog(api: Api) -> None:
    document = (await api.nobody.get("/openapi.json")).json()
    routes = [r for r in create_app(api.services).routes if isinstance(r, Route)]
    served = {
        (method, re.sub(r":path\}", "}", route.path))
        for route in routes
        if route.path.startswith("/catalog")
        for method in (route.methods or set()) - {"HEAD"}
    }
    told = {
        (method.upper(), path)
        for path, methods in document["paths"].items()
        for method in methods
        if path.startswith("/catalog")
    }
    assert served == told


async def test_every_route_refuses_whoever_has_no_token(api: Api) -> None:
    for method, path, _ in await all_operations(api):
        reply = await api.nobody.request(method, path)
        assert (reply.status_code, code(reply)) == (401, "unauthorized"), (method, path)
        assert reply.headers["www-authenticate"] == "Bearer"


async def test_a_token_counts_in_the_authorization_header_alone(api: Api) -> None:
    token = api.importer.headers["authorization"].removeprefix("Bearer ")
    for wrong in ("Basic " + token, token, "Bearer", "Bearer x" + token):
        reply = await api.nobody.get("/catalog/products", headers={"Authorization": wrong})
        assert reply.status_code == 401, wrong
    for query in ("token", "access_token", "key"):
        reply = await api.nobody.get("/catalog/products", params={query: token})
        assert reply.status_code == 401


async def test_every_route_refuses_a_role_that_is_too_small(api: Api) -> None:
    for method, path, needed in await all_operations(api):
        for role in ROLES[: ROLES.index(needed)]:
            reply = await api.by_role[role].request(method, path)
            assert (reply.status_code, code(reply)) == (403, "forbidden"), (method, path, role)
            assert f"the role {needed} is needed" in reply.json()["error"]["message"]


async def test_every_route_lets_in_who_may_and_faults_nobody(api: Api) -> None:
    for method, path, needed in await all_operations(api):
        reply = await api.by_role[needed].request(method, path)
        assert reply.status_code not in (401, 403), (method, path)
        assert reply.status_code < 500, (method, path, reply.text)


async def test_reading_needs_read_changing_needs_edit_and_importing_import(api: Api) -> None:
    for method, path, needed in await all_operations(api):
        if method == "GET":
            assert needed == "read", path
        elif path.startswith("/catalog/imports"):
            assert needed == "import", path
        else:
            assert needed == "edit", path


async def test_a_revoked_token_opens_nothing_any_more(api: Api) -> None:
    assert (await api.editor.get("/catalog/products")).status_code == 200
    await api.services.catalog.tokens.revoke("edit")
    assert (await api.editor.get("/catalog/products")).status_code == 401
