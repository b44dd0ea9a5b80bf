"""Google Merchant and Meta feeds: one item is one variant; `item_group_id` makes a product of them.

The same columns come as TSV, CSV or XML; Meta writes `in stock` for `in_stock` and starts its
template with `#` lines.
"""

from collections.abc import Mapping
from typing import ClassVar

from catalog.formats.adapter import Adapter, sale_at
from catalog.formats.cells import Cells, Refusal
from catalog.formats.columns import normal_header
from catalog.formats.model import KEEP, Format, Keep, RowPatch, TextPatch, VariantPatch
from catalog.formats.reasons import why
from catalog.product import Availability, Money, Pairs

ROLES = {
    "id": "sku",
    "title": "title",
    "description": "description",
    "rich text description": "rich",
    "link": "link",
    "image link": "image",
    "image[0].url": "image",
    "availability": "availability",
    "quantity": "stock",
    "inventory": "stock",
    "quantity to sell on facebook": "stock",
    "sell on google quantity": "stock",
    "price": "price",
    "sale price": "sale_price",
    "sale price effective date": "sale_dates",
    "item group id": "group",
    "gtin": "gtin",
    "brand": "brand",
    "product type": "category",
    "google product category": "google_category",
    "color": "color",
    "size": "size",
    "material": "material",
    "pattern": "pattern",
    "mpn": "attribute:MPN",
    "condition": "attribute:condition",
    "gender": "attribute:gender",
    "age group": "attribute:age group",
    "availability date": "attribute:available from",
    "product detail": "attribute:details",
    "product highlight": "attribute:highlights",
    "shipping weight": "attribute:shipping weight",
    "size system": "attribute:size system",
    "size type": "attribute:size type",
}
_ALWAYS = ("color", "size")
_IF_DIFFERENT = ("material", "pattern")
_LONGEST_ID = 50


class Google(Adapter):
    """A Google Merchant feed."""

    format: ClassVar[Format] = "google"

    def __init__(self, columns: Mapping[str, str]) -> None:
        super().__init__(columns)
        self._titles: dict[str, str] = {}
        self._values: dict[str, dict[str, str]] = {}
        self._differ: set[tuple[str, str]] = set()
        self._sales_off = 0

    @classmethod
    def fits(cls, names: frozenset[str]) -> bool:
        """An id, and what only feeds have."""
        telling = {"availability", "link", "image link", "image[0].url", "item group id", "gtin"}
        return {"id", "price"} <= names and len(names & telling) >= 2

    def meaning(self, name: str, title: str) -> str | None:
        """The attributes of the feed specification, however they are spaced."""
        return ROLES.get(name)

    def survey(self, cells: Cells) -> None:
        """A group's title is its first item's; what differs inside a group is an option."""
        group = cells.word("group")
        if not group:
            return
        self._titles.setdefault(group, cells.word("title"))
        first = self._values.setdefault(group, {r: cells.word(r) for r in _IF_DIFFERENT})
        for role in _IF_DIFFERENT:
            if cells.word(role) != first[role]:
                self._differ.add((group, role))

    def patch(self, cells: Cells) -> RowPatch:
        """One item."""
        cells.sku = cells.identifier("sku")
        if not cells.sku:
            raise Refusal("sku", "", why("id_missing"))
        if len(cells.sku) > _LONGEST_ID:
            cells.problem("sku", cells.sku, why("too_long", limit=_LONGEST_ID))
        group = cells.word("group")
        title = self._titles.get(group) or cells.line_or_keep("title")
        variant = VariantPatch(
            cells.sku,
            cells.money("price"),
            self._sale(cells),
            cells.count("stock"),
            _availability(cells),
            cells.gtin("gtin"),
            self._options(cells, group),
        )
        text = TextPatch(title, _description(cells), _category(cells), self._facts(cells, group))
        return RowPatch(
            cells.line,
            group or cells.sku,
            (variant,),
            text,
            brand=cells.line_or_keep("brand"),
            url=cells.line_or_keep("link"),
            image=cells.line_or_keep("image"),
        )

    def _sale(self, cells: Cells) -> Money | Keep | None:
        sale = cells.optional_money("sale_price")
        starts, _, ends = cells.word("sale_dates").partition("/")
        dates = cells.moment("sale_dates", starts), cells.moment("sale_dates", ends)
        now = sale_at(sale, *dates, cells.context.now)
        self._sales_off += now is None and sale is not None
        return now

    def _option_roles(self, group: str) -> tuple[str, ...]:
        return (*_ALWAYS, *(role for role in _IF_DIFFERENT if (group, role) in self._differ))

    def _options(self, cells: Cells, group: str) -> Pairs:
        pairs = ((role, cells.word(role)) for role in self._option_roles(group))
        return tuple((role, value) for role, value in pairs if value)

    def _facts(self, cells: Cells, group: str) -> Pairs:
        options = self._option_roles(group)
        facts = [(r, cells.word(r)) for r in _IF_DIFFERENT if r not in options and cells.has(r)]
        return (*facts, *self.attributes(cells))

    def notes(self) -> tuple[str, ...]:
        """Sales that are not on."""
        off = f"{self._sales_off} sale prices are not running now and were left out"
        return (off,) if self._sales_off else ()


class Meta(Google):
    """A Meta (Facebook, Instagram) catalogue feed."""

    format: ClassVar[Format] = "meta"

    @classmethod
    def fits(cls, names: frozenset[str]) -> bool:
        """Columns that only Meta has."""
        own = {"image[0].url", "quantity to sell on facebook", "fb product category"}
        return super().fits(names) and bool(names & own)


def _availability(cells: Cells) -> Availability | Keep:
    """It must be told: a feed without it says nothing about stock."""
    state = cells.availability("availability")
    if state is KEEP and cells.has("availability") and not normal_header(cells.raw("availability")):
        cells.problem("availability", "", why("availability_empty"))
    return state


def _description(cells: Cells) -> str | Keep:
    description = cells.text_or_keep("description")
    if description == "" and cells.has("rich"):
        return cells.text_or_keep("rich")
    return description


def _category(cells: Cells) -> str | Keep:
    own = cells.line_or_keep("category")
    return own if own is not KEEP and own else cells.line_or_keep("google_category")
