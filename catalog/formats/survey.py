"""The first look at all rows: how many, how they write decimals, and in which currency."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from catalog.formats.adapter import Adapter
from catalog.formats.cells import Cells, Context
from catalog.formats.detect import Opened
from catalog.formats.model import Decimals, ReadOptions, RowError
from catalog.formats.money import currency_of, split_amount
from catalog.formats.numbers import NumberError, Role, evidence, merged
from catalog.formats.sources import Numbered

STEP = 1000

Progress = Callable[[Literal["survey", "read"], int], None]
"""Told how many rows were passed, every `STEP`."""


@dataclass(slots=True)
class Survey:
    """What all rows say together. `bare`: an amount stands without any currency."""

    rows: int = 0
    bare: bool = False
    roles: set[Role] = field(default_factory=set)
    currencies: set[str] = field(default_factory=set)

    @property
    def decimals(self) -> Decimals:
        """How the file writes decimals."""
        return merged(self.roles)

    @property
    def currency(self) -> str | None:
        """The currencies that the file names."""
        return ", ".join(sorted(self.currencies)) or None


def survey(opened: Opened, options: ReadOptions, progress: Progress | None) -> Survey:
    """Look at every row once, for the adapter too."""
    found = Survey()
    adapter = opened.adapter
    context = Context(currency=options.currency)
    for record in opened.source.records():
        found.rows += 1
        if progress is not None and found.rows % STEP == 0:
            progress("survey", found.rows)
        if isinstance(record, RowError):
            continue
        cells = cells_of(record, adapter, opened.source.columns, context)
        if record.native is None:
            adapter.survey(cells)
        _amounts(found, cells, adapter, options.currency)
    return found


def _amounts(found: Survey, cells: Cells, adapter: Adapter, default: str | None) -> None:
    named = cells.word("currency").upper()
    if named:
        found.currencies.add(named)
    for role in adapter.money:
        amount = split_amount(cells.raw(role))
        if not amount.number:
            continue
        if (shown := evidence(amount.number)) is not None:
            found.roles.add(shown)
        if amount.sign:
            found.currencies |= _currency(amount.sign, default)
        elif not named:
            found.bare = True


def _currency(sign: str, default: str | None) -> set[str]:
    try:
        return {currency_of(sign, default)}
    except NumberError:
        return set()


def cells_of(
    record: Numbered, adapter: Adapter, columns: Mapping[str, str], context: Context
) -> Cells:
    """A record's cells by what they mean to `adapter`."""
    return Cells(record.line, record.values, adapter.roles, columns, context)
