"""Imports, history and pins as JSON."""

from datetime import UTC, datetime
from typing import cast

import msgspec

from catalog.audit import HistoryEntry
from catalog.diff import FieldChange
from catalog.formats.model import Detected, RowError
from catalog.import_records import ImportOptions, ImportRecord, ProductDiff
from catalog.pins import Pin
from catalog.plan import Counts
from serving.import_contract import (
    CountsJson,
    DetectedJson,
    FailureJson,
    FieldChangeJson,
    HistoryEntryJson,
    ImportJson,
    PinJson,
    ProblemJson,
    ProductChangeJson,
    Status,
    UndoJson,
)


def import_to_json(record: ImportRecord, status: str) -> ImportJson:
    """An import without its problems and changes."""
    failure: FailureJson = {"code": record.error_code or "failed", "message": record.error}
    return {
        "id": record.id,
        "status": cast(Status, status),
        "actor": record.actor,
        "name": record.name,
        "size": record.size,
        "options": _options(record.options),
        "created_at": _instant(record.created_at / 1000),
        "detected": None if record.detected is None else _detected(record.detected),
        "rows": _counts(record.rows),
        "products": _counts(record.products),
        "errors": record.errors,
        "failure": failure if record.error else None,
        "phase": record.phase,
        "done": record.done,
        "version": record.version or None,
        "applied_at": _instant(record.applied_at / 1000) if record.applied_at else None,
        "undo": _undo(record) if record.undo_version else None,
    }


def problem_to_json(error: RowError) -> ProblemJson:
    """Why a row was refused."""
    return {
        "line": error.line,
        "sku": error.sku,
        "column": error.column,
        "value": error.value,
        "problem": error.reason,
        "fix": error.fix,
        "blocking": error.blocking,
    }


def product_change_to_json(diff: ProductDiff) -> ProductChangeJson:
    """What becomes of one product."""
    return {
        "product_id": diff.product_id,
        "kind": diff.kind,
        "fields": [_field(change) for change in diff.fields],
    }


def history_to_json(entry: HistoryEntry) -> HistoryEntryJson:
    """One change of a product."""
    return {
        "version": entry.version,
        "at": entry.at.isoformat(timespec="milliseconds"),
        "actor": entry.actor,
        "cause": entry.cause,
        "changes": [_field(change) for change in entry.changes],
    }


def pin_to_json(pin: Pin) -> PinJson:
    """One pin."""
    return {
        "product_id": pin.product_id,
        "actor": pin.actor,
        "since": _instant(pin.since),
        "until": None if pin.until is None else _instant(pin.until),
    }


def _field(change: FieldChange) -> FieldChangeJson:
    return {
        "field": change.field,
        "old": change.old,
        "new": change.new,
        "locale": change.locale,
        "sku": change.sku,
        "name": change.name,
    }


def _options(options: ImportOptions) -> dict[str, object]:
    """As they were asked for, without those that were not."""
    chosen: dict[str, object] = msgspec.to_builtins(options)
    del chosen["sync"]
    modes = {"all": "all_or_nothing", "partial": "partial"}
    chosen["mode"] = "full_sync" if options.sync else modes[options.mode]
    return {name: value for name, value in chosen.items() if value is not None}


def _detected(detected: Detected) -> DetectedJson:
    return cast(DetectedJson, msgspec.to_builtins(detected))


def _counts(counts: Counts) -> CountsJson:
    return cast(CountsJson, msgspec.to_builtins(counts))


def _undo(record: ImportRecord) -> UndoJson:
    return {
        "version": record.undo_version,
        "by": record.undone_by,
        "at": _instant(record.undone_at / 1000),
        "kept": record.kept,
    }


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
