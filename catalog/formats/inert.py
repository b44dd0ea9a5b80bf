"""Cells that a spreadsheet would run or take for its own, made inert, and undone again.

A formula is made text by an apostrophe in front. Both ways together change nothing, so what is
exported comes back the same.
"""

import re

ERRORS = frozenset({"#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NULL!", "#NUM!"})
"""What a spreadsheet writes where it has no value."""

_LIVE = re.compile(r"'*(?:[=+\-@\t\r＝＋－＠]|#(?:N/A|REF!|VALUE!|NAME\?|DIV/0!|NULL!|NUM!)$)")


def inert(cell: str) -> str:
    """A cell as it is exported."""
    return f"'{cell}" if _LIVE.match(cell) else cell


def inert_undone(cell: str) -> str:
    """A cell as it was before it was exported."""
    return cell[1:] if cell.startswith("'") and _LIVE.match(cell) else cell
