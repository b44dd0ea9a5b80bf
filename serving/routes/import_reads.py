"""Imports over HTTP: how far they are, what they change, and what is wrong with their rows."""

import csv
import io
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from catalog.formats.inert import inert
from catalog.formats.model import RowError
from serving.import_contract import ChangesJson, ImportAnswerJson, ImportsJson
from serving.import_json import import_to_json, problem_to_json, product_change_to_json
from serving.routes.catalog_common import Reader, answer, errors
from serving.routes.imports import import_and_status, import_of

router = APIRouter(prefix="/catalog/imports", tags=["imports"])

_TOLD = 50
"""Problems and changes that stand in the answer about one import."""


@router.get("", response_model=ImportsJson, responses=errors())
async def listed(caller: Reader, limit: Annotated[int, Query(ge=1, le=200)] = 50) -> Response:
    """The newest imports; each is remembered for 90 days."""
    records = await caller.catalog.imports.records.latest(limit)
    found = await caller.catalog.jobs.with_status(records)
    told = [import_to_json(record, status) for record, status in found]
    return answer({"imports": told}, caller.services.records.version)


@router.get("/{import_id}", response_model=ImportAnswerJson, responses=errors("import_unknown"))
async def read(caller: Reader, import_id: str) -> Response:
    """How far an import is, what it would do or did, and what is wrong with its rows."""
    records = caller.catalog.imports.records
    record, status = await import_and_status(caller, import_id)
    version = await caller.shown(max(record.version, record.undo_version))
    problems = await records.errors(import_id, 0, _TOLD)
    changes = await records.diffs(import_id, 0, _TOLD)
    content: ImportAnswerJson = {
        **import_to_json(record, status),
        "problems": [problem_to_json(error) for error in problems],
        "changes": [product_change_to_json(diff) for diff in changes],
    }
    return answer(content, max(version, caller.services.records.version))


@router.get("/{import_id}/changes", response_model=ChangesJson, responses=errors("import_unknown"))
async def changes(
    caller: Reader,
    import_id: str,
    start: Annotated[int, Query(ge=0, le=100_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> Response:
    """What becomes of each product, field by field."""
    await import_of(caller, import_id)
    diffs = await caller.catalog.imports.records.diffs(import_id, start, limit)
    told = [product_change_to_json(diff) for diff in diffs]
    return answer({"changes": told}, caller.services.records.version)


@router.get(
    "/{import_id}/errors.csv",
    response_class=Response,
    responses={
        200: {"content": {"text/csv": {}}, "description": "line, SKU, column, value, problem, fix"},
        **errors("import_unknown"),
    },
)
async def errors_file(caller: Reader, import_id: str) -> Response:
    """Every problem of its rows, as a file for a spreadsheet."""
    await import_of(caller, import_id)
    found = await caller.catalog.imports.records.errors(import_id)
    return Response(
        _csv(found),
        media_type="text/csv",
        headers={"Content-Disposition": f'attachment; filename="errors-{import_id}.csv"'},
    )


def _csv(errors: Sequence[RowError]) -> bytes:
    """With a byte order mark, by which Excel knows UTF-8, and without live formulas."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\r\n")
    lines.writerow(("line", "sku", "column", "value", "problem", "fix"))
    lines.writerows(map(_cells, errors))
    return text.getvalue().encode("utf-8-sig", "replace")


def _cells(error: RowError) -> tuple[str, ...]:
    cells = (error.sku, error.column, error.value, error.reason, error.fix)
    return (str(error.line), *map(inert, cells))
