"""What each format has to say about a row; the reading itself is the same for all."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from catalog.formats.cells import Cells
from catalog.formats.model import KEEP, Format, Keep, RowPatch
from catalog.product import Money, Pairs


class Adapter(ABC):
    """One format. It sees every row twice: `survey` first, then `patch`.

    `columns` maps normal headers to headers as written.
    """

    format: ClassVar[Format]
    money: ClassVar[tuple[str, ...]] = ("price", "sale_price")
    """Roles of amounts; they show how the file writes decimals and in which currency."""

    def __init__(self, columns: Mapping[str, str]) -> None:
        self.columns = columns
        self.roles: dict[str, str] = {}
        for name, title in columns.items():
            if role := self.meaning(name, title):
                self.roles.setdefault(role, name)
        named = ((role, role.partition(":")) for role in self.roles)
        self._attributes = [(r, (n, "")) for r, (kind, _, n) in named if kind == "attribute"]

    @classmethod
    @abstractmethod
    def fits(cls, names: frozenset[str]) -> bool:
        """Whether a file with these normal headers is of this format."""

    @abstractmethod
    def meaning(self, name: str, title: str) -> str | None:
        """The role of a column; None or "" if it is not read."""

    def survey(self, cells: Cells) -> None:  # noqa: B027 - most formats need none
        """Look at a row before any is read."""

    @abstractmethod
    def patch(self, cells: Cells) -> RowPatch:
        """What a row says. Problems are noted in `cells`, or raised as `Refusal`."""

    def attributes(self, cells: Cells) -> Pairs:
        """The cells of all attribute columns; empty ones share one pair for all rows."""
        read = ((cells.word(role), empty) for role, empty in self._attributes)
        return tuple((empty[0], value) if value else empty for value, empty in read)

    def notes(self) -> tuple[str, ...]:
        """What the merchandiser should know about how the file was read."""
        return ()


def sale_at(
    sale: Money | Keep | None, starts: datetime | None, ends: datetime | None, now: datetime
) -> Money | Keep | None:
    """The sale price if the sale is on at `now`, None if it is not."""
    if sale is KEEP or sale is None:
        return sale
    over = ends is not None and now >= ends
    return None if over or (starts is not None and now < starts) else sale


def first_of(cell: str, separator: str = ",") -> str:
    """The first item of a list in one cell."""
    return cell.split(separator, 1)[0].strip()
