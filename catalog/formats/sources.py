"""Records out of a file, whatever it is written in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from catalog.formats.model import FileError, RowError
from catalog.formats.table import Table

Record = Mapping[str, Any]
"""A JSON object."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """A record's cells by normal header, and the line or number it is found by.

    `native` is the JSON object itself where it has variants of its own.
    """

    line: int
    values: Mapping[str, str]
    native: Record | None = None


class Source(Protocol):
    """Something that gives its records as often as asked."""

    @property
    def columns(self) -> Mapping[str, str]:
        """Normal headers and the headers as written."""
        ...

    @property
    def unread(self) -> tuple[str, ...]:
        """Names of parts that have no form as a cell."""
        ...

    def records(self) -> Iterator[Numbered | RowError]:
        """Every record, in order."""
        ...


class TableSource:
    """Rows of a table. Raises `FileError` if two columns have one name."""

    unread: tuple[str, ...] = ()

    def __init__(self, table: Table) -> None:
        self.table = table
        self.columns: Mapping[str, str] = dict(zip(table.names, table.header, strict=True))
        if twice := next((n for n in table.names if n and table.names.count(n) > 1), None):
            raise FileError("not_a_catalogue", f"two columns are called {twice!r}: rename one")

    def records(self) -> Iterator[Numbered | RowError]:
        """Every row that is not blank."""
        for row in self.table.rows():
            if isinstance(row, RowError):
                yield row
            else:
                yield Numbered(row.line, dict(zip(self.table.names, row.cells, strict=True)))
