"""`hotshelf pin`, `history` and `status`, over HTTP."""

from datetime import datetime
from typing import Annotated, Any
from urllib.parse import quote

import typer

from serving.catalog_commands.client import TokenFile, Url, answer, checked, server
from serving.catalog_commands.show import out, show_history, show_pins
from serving.failures import failed

Product = Annotated[str, typer.Argument(help="A product id.")]


def pin(
    product: Annotated[
        str | None, typer.Argument(help="A product id; without it, all pins are listed.")
    ] = None,
    hours: Annotated[float | None, typer.Option(min=0, help="For so long from now.")] = None,
    until: Annotated[datetime | None, typer.Option(help="Until then, in local time.")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Let shoppers decide again.")] = False,
    url: Url = None,
    token_file: TokenFile = None,
) -> None:
    """Keep a product on the hot shelf, whatever shoppers ask; for good, if nothing is said."""
    if sum((hours is not None, until is not None, remove)) > 1:
        raise failed("give one of --hours, --until and --remove", status=2)
    if product is None and (hours is not None or until is not None or remove):
        raise failed("name the product", status=2)
    with server(url, token_file) as client:
        if product is None:
            show_pins(out(), answer(client.get("/catalog/pins"))["pins"])
            return
        path = f"/catalog/pins/{quote(product, safe='')}"
        if remove:
            checked(client.delete(path))
            out().print(f"{product} is not pinned any more", markup=False)
            return
        body: dict[str, Any] = {}
        if hours is not None:
            body = {"seconds": hours * 3600}
        elif until is not None:
            body = {"until": until.astimezone().isoformat()}
        show_pins(out(), [answer(client.put(path, json=body))])


def status(url: Url = None, token_file: TokenFile = None) -> None:
    """Show how far the server is behind the stored catalogue."""
    with server(url, token_file) as client:
        for name, value in answer(client.get("/catalog/status")).items():
            out().print(f"{name.replace('_', ' ')}: {value:,}", markup=False)


def history(product: Product, url: Url = None, token_file: TokenFile = None) -> None:
    """Show who changed a product, when, and from what to what."""
    with server(url, token_file) as client:
        path = f"/catalog/history/{quote(product, safe='')}"
        show_history(out(), answer(client.get(path))["history"])
