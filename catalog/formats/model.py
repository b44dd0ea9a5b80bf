"""What is read out of a catalogue file: patches of products, and rows that were refused.

A row says only what its columns say. `KEEP` stands for a column that the file does not have: the
stored value stays. A cell that is there and empty empties the value.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from catalog.formats.reasons import Reason
from catalog.product import Availability, Locale, Money, Pairs

Format = Literal["shopify", "google", "meta", "woocommerce", "magento", "plain", "json", "jsonl"]
Decimals = Literal["point", "comma", "unknown", "mixed"]
"""How a file writes decimals; `unknown` if nothing in it tells, `mixed` if it does both."""
NumberStyle = Literal["auto", "point", "comma"]


class Keep(Enum):
    """The one value `KEEP`."""

    KEEP = "keep"


KEEP = Keep.KEEP


@dataclass(frozen=True, slots=True)
class TextPatch:
    """Texts in one language. Attributes change those of the same name; an empty value removes.

    With `whole`, `attributes` are all that there shall be.
    """

    title: str | Keep = KEEP
    description: str | Keep = KEEP
    category: str | Keep = KEEP
    attributes: Pairs = ()
    whole: bool = False
    labels: Mapping[str, str] | Keep = KEEP


@dataclass(frozen=True, slots=True)
class VariantPatch:
    """One variant, found by its SKU."""

    sku: str
    price: Money | Keep = KEEP
    sale_price: Money | Keep | None = KEEP
    stock: int | Keep | None = KEEP
    availability: Availability | Keep = KEEP
    gtin: str | Keep | None = KEEP
    options: Pairs | Keep = KEEP


@dataclass(frozen=True, slots=True)
class RowPatch:
    """One row (or record) of a file, for one product.

    `line` is where the row begins, counted from 1; in a JSON or XML file it is the number of the
    record. `text` is in the product's own language, whichever that is, `texts` in named ones.
    """

    line: int
    product_id: str
    variants: tuple[VariantPatch, ...] = ()
    text: TextPatch | None = None
    texts: Mapping[Locale, TextPatch] = field(default_factory=dict)
    locale: Locale | None = None
    brand: str | Keep = KEEP
    url: str | Keep = KEEP
    image: str | Keep = KEEP


@dataclass(frozen=True, slots=True)
class RowError:
    """Why a row was refused, and what would be right.

    Not `blocking`: nothing is wrong with the row, but it has no place in a shop that answers
    shoppers (it is a draft, or has no price of its own).
    """

    line: int
    sku: str
    column: str
    value: str
    why: Reason
    blocking: bool = True

    @property
    def reason(self) -> str:
        """What is wrong, in English."""
        return self.why.reason

    @property
    def fix(self) -> str:
        """What would be right, in English."""
        return self.why.fix


@dataclass(frozen=True, slots=True)
class Detected:
    """What a file was taken for; shown before anything is written.

    `columns` are the header cells that are read, `ignored` those that are not. `notes` are
    sentences for the merchandiser.
    """

    format: Format
    container: Literal["none", "gzip", "zip"]
    encoding: str
    delimiter: str
    decimals: Decimals
    currency: str | None
    rows: int
    columns: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class FileError(Exception):
    """The file as a whole cannot be read; `code` is stable, the message says what would help."""

    def __init__(
        self,
        code: Literal[
            "too_large",
            "container",
            "encoding",
            "not_a_catalogue",
            "unsafe",
            "broken",
            "currency_unknown",
            "empty",
        ],
        message: str,
        detected: Detected | None = None,
    ) -> None:
        super().__init__(message)
        self.code, self.detected = code, detected


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one file. `max_bytes` is its size unpacked."""

    max_bytes: int = 256 * 1024 * 1024
    max_rows: int = 1_000_000
    max_cell: int = 1_000_000
    max_columns: int = 2_000


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the merchandiser says about a file, where the file does not tell.

    `currency`: for amounts without one. `locale`: of the texts; else each product's own words tell.
    """

    currency: str | None = None
    locale: Locale | None = None
    decimals: NumberStyle = "auto"
    encoding: str | None = None
    limits: Limits = field(default_factory=Limits)
