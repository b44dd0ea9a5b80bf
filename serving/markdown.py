"""Markdown, as the pages in docs/ are written."""

from collections.abc import Iterable


def page(*parts: str) -> str:
    """A whole page of these parts."""
    return "\n\n".join((*parts, "This page is made from the code by `make docs`.")) + "\n"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table; cells are on one line each."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ("---",) * len(head), *rows))


def words(names: Iterable[object]) -> str:
    """Names as code, with commas between."""
    return ", ".join(f"`{name}`" for name in names)
