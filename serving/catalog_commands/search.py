"""`hotshelf search`, over HTTP: which products a question finds, and why."""

from typing import Annotated, Any

import typer
from rich.table import Table

from serving.catalog_commands.client import TokenFile, Url, answer, server
from serving.catalog_commands.show import out, plain


def search(
    question: Annotated[str, typer.Argument(help="As a shopper would put it.")],
    sku: Annotated[str | None, typer.Option(help="The page that the shopper is on.")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="What was understood, each leg's scores, and times.")
    ] = False,
    url: Url = None,
    token_file: TokenFile = None,
) -> None:
    """Show which products a shopper's question finds; nothing is generated."""
    given = {"q": question} if sku is None else {"q": question, "sku": sku}
    with server(url, token_file) as client:
        found = answer(client.get("/catalog/search", params=given))
    _outcome(found)
    if explain:
        _explanation(found)


def _outcome(found: Any) -> None:
    console = out()
    if found["intent"] is not None:
        console.print(f"Not about a product: {found['intent']}", markup=False)
    for number in found["not_found"]:
        console.print(plain(f"Not found: {number}"))
    if unsold := found["not_carried"]:
        nearest = f"; nearest: {', '.join(unsold['nearest'])}" if unsold["nearest"] else ""
        console.print(plain(f"Not carried: {unsold['kind']}{nearest}", 300))
    for place, product in enumerate(found["products"], start=1):
        told = f"{place}. {product['id']}  {product['title']}  ({product['why']})"
        console.print(plain(told, 200))


def _explanation(found: Any) -> None:
    console = out()
    for name, value in found["understood"].items():
        console.print(plain(f"understood {name}: {_said(value)}", 300))
    if found["among"] is not None:
        console.print(f"among: {found['among']:,} products", markup=False)
    if found["candidates"]:
        table = Table("candidate", "", "score", "meaning", "words", box=None)
        for row in found["candidates"]:
            scores = (_number(row[leg]) for leg in ("score", "dense", "lexical"))
            table.add_row(plain(row["id"]), plain(row["title"], 40), *scores)
        console.print(table)
    if found["winner"]:
        console.print(plain(f"winner: {found['winner']}", 300))
    took = ", ".join(f"{stage} {ms:.2f} ms" for stage, ms in found["took_ms"].items())
    console.print(f"took: {took}", markup=False)


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items() if v not in (None, False))
    return str(value)


def _number(score: float | None) -> str:
    return "-" if score is None else f"{score:.3f}"
