"""Which answers an import would change, as its dry run prints them."""

from collections.abc import Mapping
from typing import Any

import httpx
from rich.console import Console
from rich.text import Text

from serving.catalog_commands.client import answer
from serving.catalog_commands.show import bars, plain

Json = Mapping[str, Any]
_LONGEST_S = 600.0
"""Seconds; new texts are encoded behind the questions of shoppers."""
_WIDEST = 160
_CONFLICT = 409


def told_answers(client: httpx.Client, import_id: str, console: Console) -> None:
    """Print how a previewed import changes answers; nothing for one that is not previewed."""
    with bars() as progress:
        progress.add_task("Comparing answers", total=None)
        reply = client.get(f"/catalog/imports/{import_id}/answers", timeout=_LONGEST_S)
    if reply.status_code != _CONFLICT:
        show_answers(console, answer(reply))


def show_answers(console: Console, found: Json) -> None:
    """Each saved question that is answered from something else, before and after."""
    if not found["questions"]:
        console.print("Answers: no question is saved, so none was compared", markup=False)
        return
    changed, total = len(found["changed"]), found["questions"]
    told = f"{changed:,} of {total:,} saved questions are answered otherwise"
    console.print(f"Answers: {told if changed else f'none of {total:,} saved questions changes'}")
    for change in found["changed"]:
        page = f" (on {change['sku']})" if change["sku"] else ""
        console.print(Text("? ", "cyan") + plain(change["question"] + page, 600))
        for mark, style, side in (("-", "red", "before"), ("+", "green", "after")):
            for line in _lines(change[side]):
                console.print(Text(f"    {mark} ", style) + plain(line, _WIDEST))
    if found["not_searched"]:
        told = "products with a new text were looked for by their old one only"
        console.print(f"{found['not_searched']:,} {told}")
    if found["left_out"]:
        console.print(f"{found['left_out']:,} changed products were not taken into account")


def _lines(grounds: Json) -> list[str]:
    titles = "; ".join(f"{found['title']} [{found['id']}]" for found in grounds["products"])
    return [titles or "no product is found", *grounds["facts"]]
