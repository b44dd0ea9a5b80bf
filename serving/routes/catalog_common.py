"""What every route of the catalogue shares: who calls, in which role, and how answers look."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request, Security
from fastapi.responses import Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes

from serving.catalog_contract import ErrorAnswerJson
from serving.catalog_edits import Change, Edited, Match, edit
from serving.catalog_services import CatalogServices
from serving.catalog_version import HEADER
from serving.errors import CODES, ApiError
from serving.routes.common import services_of
from serving.services import Services
from serving.tokens import ROLES, Grant, Role
from serving.wire import JsonResponse

_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="A token of `hotshelf token create`. Roles: read, edit, import; each includes "
    "the ones before it.",
)


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever holds the token of this request."""

    services: Services
    grant: Grant

    @property
    def catalog(self) -> CatalogServices:
        """The catalogue as it is stored."""
        return self.services.catalog

    async def edit(self, product_id: str, change: Change, match: Match | None) -> Edited:
        """Make `change` in the caller's name; see `serving.catalog_edits.edit`."""
        store = self.catalog.store
        return await edit(store, product_id, change, actor=self.grant.name, match=match)

    async def shown(self, version: int) -> int:
        """Wait until this process answers from `version`, so that whoever wrote it sees it.

        Gives up after `CatalogConfig.shown_wait_s`: the write is safe in the store all the same.
        """
        records = self.services.records
        until = time.monotonic() + self.catalog.config.shown_wait_s
        while records.version < version:
            if time.monotonic() > until:
                break
            await asyncio.sleep(0.002)
        return version


async def _caller(
    request: Request,
    needed: SecurityScopes,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Caller:
    """Raises `ApiError` unless the request has a token whose role is enough."""
    if credentials is None or not credentials.credentials:
        raise ApiError("unauthorized", "a token is needed: send 'Authorization: Bearer TOKEN'")
    services = services_of(request)
    grant = await services.catalog.tokens.check(credentials.credentials)
    if grant is None:
        raise ApiError("unauthorized", "this token is not known here, or it was revoked")
    role = next(role for role in ROLES if role in needed.scopes)
    if not grant.allows(role):
        message = f"this token may {grant.role}: a token with the role {role} is needed"
        raise ApiError("forbidden", message)
    return Caller(services, grant)


def _holder_of(role: Role) -> Any:
    return Security(_caller, scopes=[role])


Reader = Annotated[Caller, _holder_of("read")]
Editor = Annotated[Caller, _holder_of("edit")]
Importer = Annotated[Caller, _holder_of("import")]


def answer(
    content: Mapping[str, object] | None,
    catalog_version: int,
    *,
    status: int = 200,
    etag: int | None = None,
) -> Response:
    """`content` as JSON (nothing without it), with the catalogue version that it is true of."""
    headers = {HEADER: str(catalog_version), "Cache-Control": "no-store"}
    if etag is not None:
        headers["ETag"] = f'"{etag}"'
    if content is None:
        return Response(status_code=status, headers=headers)
    return JsonResponse(content, status, headers)


EVERYWHERE = ("unauthorized", "forbidden", "invalid_request", "store_unavailable")
"""Refusals that any request under /catalog may meet."""

BODY = ("invalid_json", "body_too_large", "body_timeout", "unsupported_media_type")
"""Refusals of a body."""


def errors(*codes: str) -> dict[int | str, dict[str, Any]]:
    """OpenAPI's part on the errors of a route, those of any route under /catalog among them."""
    by_status: dict[int | str, list[str]] = {}
    for name in (*EVERYWHERE, *codes):
        by_status.setdefault(CODES[name].status, []).append(f"`{name}`: {CODES[name].meaning}")
    return {
        status: {"model": ErrorAnswerJson, "description": "; ".join(meanings)}
        for status, meanings in sorted(by_status.items(), key=lambda item: str(item[0]))
    }
