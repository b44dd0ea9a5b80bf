"""What the catalogue's commands print: tables and differences, for people.

Texts of products are shown, never obeyed: neither Rich's markup nor a terminal's escape sequences
in them have any effect.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Table
from rich.text import Text

Json = Mapping[str, Any]
_MARKS = {"created": ("+", "green"), "updated": ("~", "yellow"), "removed": ("-", "red")}
_WIDEST = 60
"""Characters of a value that are shown."""


def out() -> Console:
    """Where results go; they may be piped."""
    return Console(highlight=False, soft_wrap=True)


def bars() -> Progress:
    """Progress on standard error: nothing of it stays, and a pipe gets none."""
    console = Console(stderr=True)
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def plain(value: object, widest: int = _WIDEST) -> Text:
    """A value as it can be seen; longer ones are cut, with an ellipsis."""
    seen = "".join(char if char.isprintable() else " " for char in str(value))
    return Text(seen if len(seen) <= widest else seen[: widest - 1] + "…")


def show_detected(console: Console, detected: Json | None) -> None:
    """What the file was taken for."""
    if detected is None:
        return
    delimiter = {"\t": "tab", "": ""}.get(detected["delimiter"], detected["delimiter"])
    told = (
        detected["format"],
        detected["encoding"],
        f"delimiter {delimiter}" if delimiter else "",
        f"decimals: {detected['decimals']}",
        f"currency: {detected['currency'] or 'none'}",
        f"{detected['rows']:,} rows",
    )
    console.print(Text("Detected: ") + plain(", ".join(filter(None, told)), 500))
    if detected["ignored"]:
        console.print(Text("Not read: ") + plain(", ".join(detected["ignored"]), 500))
    for note in detected["notes"]:
        console.print(Text("Note: ") + plain(note, 500))


def show_counts(console: Console, found: Json) -> None:
    """Rows and products, by what becomes of them."""
    table = Table("", "created", "updated", "unchanged", "refused", "removed", box=None)
    rows, products = found["rows"], found["products"]
    names = ("created", "updated", "unchanged")
    counts = [f"{rows[name]:,}" for name in names]
    table.add_row("rows", *counts, f"{rows['refused']:,}", "")
    table.add_row("products", *(f"{products[name]:,}" for name in names), "", _count(products))
    console.print(table)


def show_changes(console: Console, changes: Sequence[Json], total: int) -> None:
    """What becomes of each product, field by field."""
    for change in changes:
        mark, style = _MARKS[change["kind"]]
        console.print(Text(f"{mark} ", style) + plain(change["product_id"]) + _title(change))
        if change["kind"] == "updated":
            for field in change["fields"]:
                console.print(_field_line(field))
    if total > len(changes):
        console.print(f"  ... and {total - len(changes):,} more products")


def show_problems(console: Console, problems: Sequence[Json], total: int) -> None:
    """Why rows were refused, and what would be right."""
    if not problems:
        return
    table = Table("line", "SKU", "column", "value", "problem", "what would be right", box=None)
    for each in problems:
        cells = (each[name] for name in ("sku", "column", "value", "problem", "fix"))
        table.add_row(str(each["line"]), *(plain(cell) for cell in cells))
    console.print(table)
    if total > len(problems):
        console.print(f"... and {total - len(problems):,} more")


def show_history(console: Console, entries: Iterable[Json]) -> None:
    """Who changed what, newest first."""
    for entry in entries:
        when = entry["at"][:19].replace("T", " ")
        head = f"{when} UTC  version {entry['version']}  {entry['actor']}  {entry['cause']}"
        console.print(plain(head, 200))
        for field in entry["changes"]:
            console.print(_field_line(field))


def show_pins(console: Console, pins: Iterable[Json]) -> None:
    """Pinned products, with the moment until which they are."""
    table = Table("product", "until (UTC)", "by", box=None)
    for pin in pins:
        until = "for good" if pin["until"] is None else pin["until"][:16].replace("T", " ")
        table.add_row(plain(pin["product_id"]), until, plain(pin["actor"]))
    console.print(table)


def _count(products: Json) -> str:
    return f"{products['removed']:,}"


def _title(change: Json) -> Text:
    """The title of a product that appears or goes."""
    fields = change["fields"] if change["kind"] != "updated" else ()
    titles = [field["new"] or field["old"] for field in fields if field["field"] == "product"]
    return Text("  ") + plain(titles[0]) if titles and titles[0] else Text("")


def _field_line(field: Json) -> Text:
    parts = (field["sku"], field["locale"], field["field"].replace("_", " "), field["name"])
    name = plain(" ".join(part for part in parts if part), 80)
    old, new = (_side(field[side]) for side in ("old", "new"))
    return Text("    ") + name + Text(": ") + old + Text(" → ") + new


def _side(value: str | None) -> Text:
    return Text("none", "dim") if value is None else plain(value)
