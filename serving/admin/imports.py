"""The import wizard: upload, what was detected, what would change, apply, result, undo."""

import asyncio
from dataclasses import replace
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query
from fastapi.responses import Response

from catalog.formats.model import FileError
from serving.admin.forms import pieces, read_upload
from serving.admin.import_options import options_of
from serving.admin.routing import AdminRoute
from serving.admin.visit import Importer, Reader, Uploader, Visit, check_csrf, to
from serving.answer_previews import Answers, broke_off
from serving.errors import ApiError
from serving.routes import import_reads
from serving.routes import imports as work
from serving.routes.import_answers import comparison

router = APIRouter(route_class=AdminRoute, prefix="/imports")

WORKING = ("queued", "previewing", "applying", "undoing")
"""Meanwhile the page reads itself anew."""
CHANGES, PROBLEMS = 100, 100
"""How many are on a page."""
_PATIENCE_S = 2.0
"""Seconds that a page waits for compared answers; without them it looks again by itself."""


@router.get("")
async def listed(visit: Reader) -> Response:
    """The newest imports, and where a file is uploaded."""
    records = await visit.catalog.imports.records.latest()
    shown = await visit.catalog.jobs.with_status(records)
    max_mb = visit.catalog.config.upload.max_bytes // (1024 * 1024)
    return visit.page("imports.html", imports=shown, max_mb=max_mb)


@router.post("")
async def upload(visit: Uploader) -> Response:
    """Keep a file and find out what it would do; nothing is changed yet."""
    importer = visit.catalog.imports
    async with read_upload(visit.request, visit.catalog.config.upload) as (form, file):
        check_csrf(visit, form.get("csrf"))
        if file is None or not file.filename or not file.size:
            raise ApiError("invalid_request", visit.say("no_file"))
        options = options_of(form)
        name = "".join(char for char in file.filename if char.isprintable())
        try:
            import_id = await importer.receive(
                pieces(file), name[-200:], actor=visit.grant.name, options=options
            )
        except FileError as error:
            code = "body_too_large" if error.code == "too_large" else "invalid_request"
            raise ApiError(code, str(error)) from None
    await visit.catalog.jobs.start(import_id, "preview", actor=visit.grant.name)
    return to(f"/admin/imports/{import_id}")


@router.get("/{import_id}")
async def read(
    visit: Reader, import_id: str, start: Annotated[int, Query(ge=0, le=100_000)] = 0
) -> Response:
    """How far an import is, what it would do or did, and what is wrong with its rows."""
    record, status = await work.import_and_status(visit.caller, import_id)
    await visit.caller.shown(max(record.version, record.undo_version))
    records = visit.catalog.imports.records
    comparing, answers = (
        await _answers(visit, import_id) if status == "previewed" else (False, None)
    )
    return visit.page(
        "import.html",
        record=record,
        status=status,
        working=status in WORKING,
        problems=await records.errors(import_id, 0, PROBLEMS),
        changes=await records.diffs(import_id, start, CHANGES),
        start=start,
        step=CHANGES,
        comparing=comparing,
        answers=answers,
    )


async def _answers(visit: Visit, import_id: str) -> tuple[bool, Answers | None]:
    """Whether answers are compared, and those that change once it is known."""
    task = await comparison(visit.caller, import_id)
    if task is None:
        return False, None
    await asyncio.wait({task}, timeout=_PATIENCE_S)
    return True, task.result() if task.done() and not broke_off(task) else None


@router.get("/{import_id}/errors.csv")
async def errors_file(visit: Reader, import_id: str) -> Response:
    """Every problem of its rows, as a file for a spreadsheet."""
    return await import_reads.errors_file(visit.caller, import_id)


@router.post("/{import_id}/preview")
async def preview(visit: Importer, import_id: str) -> Response:
    """Look at a file whose first preview was lost with the process that was to do it."""
    await work.import_of(visit.caller, import_id)
    await visit.catalog.jobs.start(import_id, "preview", actor=visit.grant.name)
    return to(f"/admin/imports/{import_id}")


@router.post("/{import_id}/apply")
async def apply(visit: Importer, import_id: str) -> Response:
    """Do what was shown: as a whole, or the sound rows alone if that was chosen now."""
    record = await work.import_of(visit.caller, import_id)
    if record.options.sync and visit.form.get("confirm") != "yes":
        raise ApiError("invalid_request", visit.say("confirm_missing"))
    mode = visit.form.get("mode")
    if mode == "partial" and not record.options.sync and record.options.mode != "partial":
        options = msgspec.json.encode(replace(record.options, mode="partial"))
        await visit.catalog.imports.records.update(import_id, options=options)
    await work.apply(visit.caller, import_id, confirm=record.options.sync)
    return to(f"/admin/imports/{import_id}")


@router.post("/{import_id}/undo")
async def undo(visit: Importer, import_id: str) -> Response:
    """Put back what it changed, except where others changed it since."""
    await work.undo(visit.caller, import_id)
    return to(f"/admin/imports/{import_id}")
