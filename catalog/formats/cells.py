"""One row's cells by their meaning, each read exactly or noted as a problem of the row."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from catalog.formats.columns import normal_header
from catalog.formats.inert import ERRORS, inert_undone
from catalog.formats.model import KEEP, Decimals, Keep, RowError
from catalog.formats.money import parse_money
from catalog.formats.numbers import NumberError, normal
from catalog.formats.reasons import Reason, why
from catalog.formats.text import clean, clean_line, plain
from catalog.product import Availability, Money
from catalog.skus import shortened

_WHOLE = re.compile(r"([+-]?[0-9]{1,9})(?:[.,]0*)?")
_MAX_SHOWN = 200

_AVAILABLE: dict[str, Availability] = {}
for _state, _words in {
    "in_stock": "in stock|instock|low stock|limited availability|available|yes|true|1|y|"
    "有货|现货|有现货|在售|上架",
    "out_of_stock": "out of stock|outofstock|sold out|discontinued|unavailable|no|false|0|n|"
    "无货|缺货|售罄|下架|已下架|断货",
    "preorder": "preorder|pre order|presale|预售|预订",
    "backorder": "backorder|on backorder|available for order|onbackorder|notify|可订货|补货中",
}.items():
    _AVAILABLE.update(dict.fromkeys(_words.split("|"), _state))  # type: ignore[arg-type]


class Refusal(Exception):  # noqa: N818 - it is an outcome of a row, not a fault
    """The row as a whole has no place; `column` is a role or a header."""

    def __init__(self, column: str, value: str, why: Reason, *, blocking: bool = True) -> None:
        super().__init__(why.reason)
        self.column, self.value, self.why, self.blocking = column, value, why, blocking


@dataclass(frozen=True, slots=True)
class Context:
    """What is known of the whole file when its rows are read."""

    decimals: Decimals = "unknown"
    currency: str | None = None
    now: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(slots=True)
class Cells:
    """Cells of one row. `roles` maps a meaning to a normal header, `titles` that to the header."""

    line: int
    values: Mapping[str, str]
    roles: Mapping[str, str]
    titles: Mapping[str, str]
    context: Context
    problems: list[RowError] = field(default_factory=list)
    sku: str = ""

    def has(self, role: str) -> bool:
        """Whether the file has such a column."""
        return role in self.roles

    def raw(self, role: str) -> str:
        """The cell as it is; "" if there is none."""
        return self.values.get(self.roles.get(role, ""), "")

    def word(self, role: str) -> str:
        """The cell on one line, cleaned; "" if there is none."""
        raw = self.raw(role)
        if not raw:
            return ""
        if raw.startswith("#") and raw in ERRORS:
            self.problem(role, raw, why("spreadsheet_error"))
        return clean_line(inert_undone(raw))

    def line_or_keep(self, role: str) -> str | Keep:
        """One line of text, or `KEEP` without such a column."""
        return self.word(role) if self.has(role) else KEEP

    def text_or_keep(self, role: str) -> str | Keep:
        """Text on several lines, or `KEEP` without such a column; markup is taken out."""
        return plain(inert_undone(self.raw(role))) if self.has(role) else KEEP

    def identifier(self, role: str) -> str:
        """A SKU or an id: text, whatever it looks like. A shortened number is a problem."""
        value = clean_line(self.raw(role).strip().removeprefix("'"))
        if shortened(value):
            self.sku = self.sku or value
            self.problem(role, value, why("shortened"))
        return value

    def gtin(self, role: str) -> str | Keep | None:
        """A barcode, None if the cell is empty."""
        return (self.identifier(role) or None) if self.has(role) else KEEP

    def money(self, role: str) -> Money | Keep:
        """An amount that must be there, or `KEEP` without such a column."""
        amount = self.optional_money(role)
        if amount is None:
            self.problem(role, "", why("price_empty"))
            return KEEP
        return amount

    def optional_money(self, role: str) -> Money | Keep | None:
        """An amount, None if the cell is empty."""
        if not self.has(role):
            return KEEP
        value = self.raw(role)
        if not value.strip():
            return None
        currency = self.word("currency").upper() or self.context.currency
        try:
            return parse_money(value, self.context.decimals, currency)
        except NumberError as error:
            self.problem(role, value, error.why)
            return KEEP

    def count(self, role: str) -> int | Keep | None:
        """A count of pieces, None if the cell is empty. Below zero (oversold) is none left."""
        if not self.has(role):
            return KEEP
        value = normal(self.raw(role))
        if not value:
            return None
        whole = _WHOLE.fullmatch(value)
        if whole is None or re.search(r"[.,]000$", value):
            self.problem(role, value, why("not_a_count"))
            return KEEP
        return max(int(whole[1]), 0)

    def availability(self, role: str) -> Availability | Keep:
        """In stock or not; `KEEP` if the cell is empty."""
        word = normal_header(self.raw(role))
        if not word:
            return KEEP
        if word not in _AVAILABLE:
            self.problem(role, self.raw(role), why("not_an_availability"))
            return KEEP
        return _AVAILABLE[word]

    def moment(self, role: str, value: str | None = None) -> datetime | None:
        """A date or time, None if the cell is empty; without a zone it is UTC."""
        text = self.word(role) if value is None else value.strip()
        if not text:
            return None
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            self.problem(role, text, why("not_a_date"))
            return None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

    def problem(self, role: str, value: str, why: Reason, *, blocking: bool = True) -> None:
        """Note why the row is refused."""
        column = self.titles.get(self.roles.get(role, role), role)
        shown = clean(value)[:_MAX_SHOWN].encode("utf-8", "replace").decode()
        self.problems.append(RowError(self.line, self.sku, column, shown, why, blocking=blocking))
