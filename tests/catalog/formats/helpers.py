"""Files read in one call."""

import io
from dataclasses import dataclass, replace

from catalog.formats.model import Detected, ReadOptions, RowError, RowPatch, TextPatch, VariantPatch
from catalog.formats.read import read

USD = ReadOptions(currency="USD")
CNY = ReadOptions(currency="CNY")


@dataclass(frozen=True, slots=True)
class Read:
    """What came out of a file."""

    detected: Detected
    rows: list[RowPatch]
    errors: list[RowError]

    @property
    def variants(self) -> dict[str, VariantPatch]:
        """By SKU."""
        return {variant.sku: variant for row in self.rows for variant in row.variants}

    @property
    def texts(self) -> dict[str, TextPatch]:
        """In the product's own language, by product id."""
        return {row.product_id: row.text for row in self.rows if row.text is not None}


def read_bytes(data: bytes, options: ReadOptions = USD) -> Read:
    """Everything in a file."""
    with read(io.BytesIO(data), options) as reading:
        outcomes = list(reading.patches())
    rows = [outcome for outcome in outcomes if isinstance(outcome, RowPatch)]
    errors = [error for outcome in outcomes if isinstance(outcome, list) for error in outcome]
    return Read(reading.noted(), rows, errors)


def read_text(text: str, options: ReadOptions = USD) -> Read:
    """Everything in a file of UTF-8 text."""
    return read_bytes(text.encode(), options)


def at(options: ReadOptions = USD, **changed: object) -> ReadOptions:
    """Options with some changed."""
    return replace(options, **changed)  # type: ignore[arg-type]
