"""`hotshelf import`, `apply`, `undo` and `export`: whole files, over HTTP.

Exit status: 0 if every row is in (or would be), 3 if some were refused and the others are in, 1 if
nothing was done, 2 for wrong arguments.
"""

import contextlib
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

import httpx
import typer
from rich.progress import Progress

from catalog.formats.model import NumberStyle
from catalog.product import Locale
from serving.catalog_commands.answers import told_answers
from serving.catalog_commands.client import TokenFile, Url, answer, checked, server
from serving.catalog_commands.show import (
    bars,
    out,
    show_changes,
    show_counts,
    show_detected,
    show_problems,
)
from serving.failures import failed

Mode = Literal["all-or-nothing", "partial", "full-sync"]
Kind = Literal["csv", "json", "jsonl"]
SOME_REFUSED = 3
_POLL_S = 0.3
_WORKING = ("received", "queued", "previewing", "applying", "undoing")


def import_file(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True)],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would do.")] = False,
    mode: Annotated[
        Mode, typer.Option(help="What becomes of a file with wrong rows; or: it is everything.")
    ] = "all-or-nothing",
    currency: Annotated[str | None, typer.Option(help="Of amounts that do not name it.")] = None,
    locale: Annotated[Locale | None, typer.Option(help="Of texts, where none tells.")] = None,
    decimals: Annotated[NumberStyle, typer.Option(help="How decimals are written.")] = "auto",
    encoding: Annotated[str | None, typer.Option(help="Of the file, if it is mistaken.")] = None,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="A full sync may remove much.")
    ] = False,
    errors: Annotated[
        Path | None, typer.Option(help="Where to write every problem, as CSV.")
    ] = None,
    url: Url = None,
    token_file: TokenFile = None,
) -> None:
    """Import a catalogue file, whatever shop system it comes from."""
    query: dict[str, Any] = {
        "dry_run": dry_run,
        "mode": mode.replace("-", "_"),
        "confirm": confirm,
        "currency": currency,
        "locale": locale,
        "decimals": decimals,
        "encoding": encoding,
    }
    params = {name: value for name, value in query.items() if value is not None}
    with server(url, token_file) as client:
        with bars() as progress, progress.open(file, "rb", description="Sending") as sent:
            files = {"file": (file.name, sent)}
            begun = answer(client.post("/catalog/imports", params=params, files=files))
        _told(client, begun["id"], errors)


def apply(
    import_id: Annotated[str, typer.Argument(help="As the dry run or the list told it.")],
    confirm: Annotated[
        bool, typer.Option("--confirm", help="A full sync may remove much.")
    ] = False,
    url: Url = None,
    token_file: TokenFile = None,
) -> None:
    """Apply a file that was looked at before, or whose import was broken off."""
    with server(url, token_file) as client:
        told_answers(client, import_id, out())
        path = f"/catalog/imports/{import_id}/apply"
        checked(client.post(path, params={"confirm": confirm}))
        _told(client, import_id, None)


def undo(
    import_id: Annotated[str, typer.Argument(help="As the import told it.")],
    url: Url = None,
    token_file: TokenFile = None,
) -> None:
    """Put back what an import changed, except where others changed it since."""
    with server(url, token_file) as client:
        checked(client.post(f"/catalog/imports/{import_id}/undo"))
        found = _wait(client, import_id)
    if found["undo"] is None:
        raise failed(f"it was not undone: the import is {found['status']}")
    kept = found["undo"]["kept"]
    told = f"; {kept:,} products were left alone, since others changed them" if kept else ""
    out().print(f"Undone as catalogue version {found['undo']['version']}{told}")


def export(
    file: Annotated[Path, typer.Argument(help="Where to write it; - is standard output.")],
    kind: Annotated[
        Kind | None, typer.Option("--format", help="Without it, by the file's name.")
    ] = None,
    url: Url = None,
    token_file: TokenFile = None,
) -> None:
    """Write the whole catalogue into a file, which an import reads back as the same."""
    named = file.suffix.lower().removeprefix(".")
    chosen = kind or (named if named in ("csv", "json", "jsonl") else None)
    if chosen is None:
        raise failed(f"{file} does not tell the format: give --format csv, json or jsonl", status=2)
    with (
        server(url, token_file) as client,
        bars() as progress,
        client.stream("GET", "/catalog/export", params={"format": chosen}) as reply,
    ):
        checked(reply)
        if str(file) == "-":
            _pour(reply, sys.stdout.buffer, progress)
        else:
            _save(reply, file, progress)


def _save(reply: httpx.Response, file: Path, progress: Progress) -> None:
    """Whole or not at all: what was there stays until the new file is complete."""
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    except OSError as error:
        raise failed(f"{file} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as part:
            _pour(reply, part, progress)
        Path(name).replace(file)
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()


def _pour(reply: httpx.Response, file: BinaryIO, progress: Progress) -> None:
    bar = progress.add_task("Receiving", total=None)
    for piece in reply.iter_bytes():
        file.write(piece)
        progress.advance(bar, len(piece))


def _wait(client: httpx.Client, import_id: str) -> dict[str, Any]:
    """The import when nobody works on it any more, told how far it is until then."""
    with bars() as progress:
        bar = progress.add_task("Waiting", total=None)
        while True:
            found: dict[str, Any] = answer(client.get(f"/catalog/imports/{import_id}"))
            if found["status"] not in _WORKING:
                return found
            rows = (found["detected"] or {}).get("rows")
            where = f"{found['phase'] or found['status']} {found['done'] or ''}"
            progress.update(bar, description=f"{where}{f' of {rows:,}' if rows else ''}")
            time.sleep(_POLL_S)


def _told(client: httpx.Client, import_id: str, errors: Path | None) -> None:
    """Wait for the import, say what became of it, and exit with the status that says so."""
    found = _wait(client, import_id)
    console = out()
    show_detected(console, found["detected"])
    if found["detected"] is not None:
        show_counts(console, found)
    if found["status"] == "previewed":
        changed = sum(found["products"][kind] for kind in ("created", "updated", "removed"))
        show_changes(console, found["changes"], changed)
        told_answers(client, import_id, console)
    show_problems(console, found["problems"], found["errors"])
    if errors is not None:
        file = checked(client.get(f"/catalog/imports/{import_id}/errors.csv"))
        errors.write_bytes(file.content)
        console.print(f"All {found['errors']:,} problems are in {errors}", markup=False)
    if found["failure"] is not None:
        raise failed(f"{found['failure']['message']} (nothing was written; {import_id})")
    if found["status"] == "applied":
        told = f"Applied as catalogue version {found['version']}; `hotshelf undo {import_id}`"
        console.print(f"{told} takes it back", markup=False)
        if waiting := answer(client.get("/catalog/status"))["waiting_for_search"]:
            told = f"{waiting:,} products are being made searchable; `hotshelf status` says how far"
            console.print(told, markup=False)
    elif found["status"] == "previewed":
        told = f"Nothing was written; `hotshelf apply {import_id}` does it"
        console.print(told, markup=False)
    else:
        raise failed(f"the import is {found['status']}: `hotshelf apply {import_id}` tries again")
    if found["rows"]["refused"]:
        raise typer.Exit(SOME_REFUSED)
