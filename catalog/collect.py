"""All sound rows of a file by product, and every row that is not sound.

A SKU may occur once in a file, however it is written; the row that comes later is refused.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from catalog.formats.model import RowError, RowPatch
from catalog.formats.read import Reading
from catalog.formats.reasons import why
from catalog.skus import sku_key

Pause = Callable[[int], Awaitable[None]]
"""Awaited every few rows with their number, so that other work goes on meanwhile."""

EVERY = 100
"""Rows between pauses, about 10 ms of work."""


@dataclass(slots=True)
class Collected:
    """`rows` by the product id of the file. `total` counts every row, sound or not."""

    rows: dict[str, list[RowPatch]] = field(default_factory=dict)
    errors: list[RowError] = field(default_factory=list)
    total: int = 0
    refused: int = 0
    _seen: dict[str, tuple[int, str]] = field(default_factory=dict)

    def add(self, row: RowPatch | list[RowError]) -> None:
        """Take one row in."""
        self.total += 1
        if isinstance(row, RowPatch):
            errors = self._repeated(row)
            if not errors:
                self.rows.setdefault(row.product_id, []).append(row)
                return
        else:
            errors = row
        self.refused += 1
        self.errors += errors

    def _repeated(self, row: RowPatch) -> list[RowError]:
        errors = []
        own: dict[str, tuple[int, str]] = {}
        for variant in row.variants:
            key = sku_key(variant.sku)
            if (first := self._seen.get(key) or own.get(key)) is not None:
                errors.append(_repeated(row.line, variant.sku, *first))
            own[key] = (row.line, variant.sku)
        if not errors:
            self._seen.update(own)
        return errors


def _repeated(line: int, sku: str, first_line: int, first: str) -> RowError:
    if first == sku:
        return RowError(line, sku, "sku", sku, why("sku_repeated", line=first_line))
    reason = why("sku_repeated_otherwise", line=first_line, written=repr(first))
    return RowError(line, sku, "sku", sku, reason)


async def collect(reading: Reading, pause: Pause) -> Collected:
    """Read every row."""
    collected = Collected()
    for row in reading.patches():
        collected.add(row)
        if collected.total % EVERY == 0:
            await pause(collected.total)
    return collected
