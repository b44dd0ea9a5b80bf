"""Catalogue files over HTTP: upload, apply, undo. What comes of them is in `import_reads.py`."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from catalog.formats.model import FileError, NumberStyle
from catalog.import_records import (
    WORKING,
    ImportOptions,
    ImportRecord,
    ImportUnknownError,
)
from catalog.product import Locale
from catalog.uploads import chunks
from catalog.worker import Action
from serving.errors import ApiError
from serving.import_contract import ImportJson
from serving.import_jobs import QUEUED
from serving.import_json import import_to_json
from serving.routes.catalog_common import Caller, Importer, answer, errors
from serving.upload import received

router = APIRouter(prefix="/catalog/imports", tags=["imports"])

_FILE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {
                "schema": {
                    "type": "string",
                    "format": "binary",
                    "description": "the file itself, whatever its type; gzip and zip are read too",
                }
            },
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "description": "the first part that has a file name",
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            },
        },
    }
}
Mode = Literal["all_or_nothing", "partial", "full_sync"]


def _options(
    mode: Annotated[
        Mode,
        Query(
            description="`all_or_nothing`: one wrong row refuses the file. `partial`: sound rows go"
            " in without the others. `full_sync`: the file is the whole catalogue, and what it does"
            " not name is removed."
        ),
    ] = "all_or_nothing",
    confirm: Annotated[
        bool, Query(description="A full sync may remove more than `max_removed`.")
    ] = False,
    max_removed: Annotated[
        float, Query(ge=0, le=1, description="Share of the catalogue that a full sync may remove.")
    ] = 0.2,
    currency: Annotated[
        str | None, Query(pattern="^[A-Z]{3}$", description="Of amounts that do not name theirs.")
    ] = None,
    locale: Annotated[Locale | None, Query(description="Of the texts, where none tells.")] = None,
    decimals: Annotated[
        NumberStyle, Query(description="How the file writes decimals, where it does not tell.")
    ] = "auto",
    encoding: Annotated[
        str | None, Query(max_length=40, description="Of the file, if it is taken for another.")
    ] = None,
) -> ImportOptions:
    sync = mode == "full_sync"
    return ImportOptions(
        "partial" if mode == "partial" else "all",
        sync,
        confirm,
        max_removed,
        currency,
        locale,
        decimals,
        encoding,
    )


Chosen = Annotated[ImportOptions, Depends(_options)]


@router.post(
    "",
    status_code=202,
    response_model=ImportJson,
    responses=errors("body_too_large", "body_timeout", "unsupported_media_type"),
    openapi_extra=_FILE,
)
async def upload(
    caller: Importer,
    request: Request,
    options: Chosen,
    dry_run: Annotated[bool, Query(description="Only say what it would do.")] = False,
) -> Response:
    """Import a file, or see what importing it would do.

    The answer comes when the file is here; the work goes on behind. `GET` the address in
    `Location` until the status is `previewed`, `applied`, `refused` or `failed`. A file is known
    by its content, whatever it is called.
    """
    importer = caller.catalog.imports
    async with received(request, caller.catalog.config.upload) as sent:
        try:
            import_id = await importer.receive(
                _pieces(sent.path), sent.name, actor=caller.grant.name, options=options
            )
        except FileError as error:
            code = "body_too_large" if error.code == "too_large" else "invalid_request"
            raise ApiError(code, str(error), field="file") from None
    return await _begun(caller, import_id, "preview" if dry_run else "apply")


@router.post(
    "/{import_id}/apply",
    status_code=202,
    response_model=ImportJson,
    responses=errors("import_unknown", "import_busy"),
)
async def apply(
    caller: Importer,
    import_id: str,
    confirm: Annotated[
        bool, Query(description="Remove what the full sync removes, however much it is.")
    ] = False,
) -> Response:
    """Apply a file that was previewed, refused, undone, or broken off."""
    record, status = await _free(caller, import_id)
    if status == "applied":
        raise _busy(status)
    if confirm and not record.options.confirmed:
        options = msgspec.json.encode(replace(record.options, confirmed=True))
        await caller.catalog.imports.records.update(import_id, options=options)
    return await _begun(caller, import_id, "apply")


@router.post(
    "/{import_id}/undo",
    status_code=202,
    response_model=ImportJson,
    responses=errors("import_unknown", "import_busy"),
)
async def undo(caller: Importer, import_id: str) -> Response:
    """Put back what an applied import changed, except where others changed it since."""
    record, status = await _free(caller, import_id)
    if record.state not in ("applied", "undoing"):
        raise _busy(status)
    return await _begun(caller, import_id, "undo")


async def _begun(caller: Caller, import_id: str, action: Action) -> Response:
    await caller.catalog.jobs.start(import_id, action, actor=caller.grant.name)
    record, status = await import_and_status(caller, import_id)
    reply = answer(import_to_json(record, status), caller.services.records.version, status=202)
    reply.headers["Location"] = f"/catalog/imports/{import_id}"
    return reply


async def import_of(caller: Caller, import_id: str) -> ImportRecord:
    """Raises `ApiError`."""
    try:
        return await caller.catalog.imports.records.get(import_id)
    except ImportUnknownError:
        message = f"there is no import {import_id!r}, or it is too old: GET /catalog/imports"
        raise ApiError("import_unknown", message) from None


async def import_and_status(caller: Caller, import_id: str) -> tuple[ImportRecord, str]:
    """An import, and how far it is. Raises `ApiError`."""
    record = await import_of(caller, import_id)
    (found,) = await caller.catalog.jobs.with_status([record])
    return found


async def _free(caller: Caller, import_id: str) -> tuple[ImportRecord, str]:
    """An import that nobody works on, and its status. Raises `ApiError`."""
    record, status = await import_and_status(caller, import_id)
    if status == QUEUED or (record.state in WORKING and status != "interrupted"):
        raise _busy(status)
    return record, status


def _busy(status: str) -> ApiError:
    message = f"the import is {status}: look at it again with GET"
    return ApiError("import_busy", message, more={"status": status})


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        async for piece in chunks(file):
            yield piece
