"""WooCommerce's product CSV: simple products, and variable ones with their variations."""

import re
from collections.abc import Mapping
from typing import ClassVar

from catalog.formats.adapter import Adapter, first_of, sale_at
from catalog.formats.cells import Cells, Refusal
from catalog.formats.model import KEEP, Format, Keep, RowPatch, TextPatch, VariantPatch
from catalog.formats.reasons import why
from catalog.formats.text import plain
from catalog.product import Availability, Money, Pairs

ROLES = {
    "id": "id",
    "type": "type",
    "sku": "sku",
    "gtin, upc, ean, or isbn": "gtin",
    "name": "title",
    "published": "published",
    "visibility in catalog": "visibility",
    "short description": "short",
    "description": "description",
    "date sale price starts": "sale_starts",
    "date sale price ends": "sale_ends",
    "in stock?": "in_stock",
    "stock": "stock",
    "backorders allowed?": "backorders",
    "regular price": "price",
    "sale price": "sale_price",
    "categories": "category",
    "tags": "tags",
    "images": "image",
    "parent": "parent",
    "external url": "url",
    "brands": "brand",
    "weight (kg)": "attribute:weight (kg)",
    "weight (g)": "attribute:weight (g)",
    "weight (lbs)": "attribute:weight (lbs)",
    "length (cm)": "attribute:length (cm)",
    "width (cm)": "attribute:width (cm)",
    "height (cm)": "attribute:height (cm)",
}
_ATTRIBUTE = re.compile(r"attribute (\d+) (name|value\(s\))")
_ESCAPED_COMMA = re.compile(r"(?<!\\),\s*")
_BRANCH = re.compile(r"\s*>\s*")


class WooCommerce(Adapter):
    """A WooCommerce CSV."""

    format: ClassVar[Format] = "woocommerce"

    def __init__(self, columns: Mapping[str, str]) -> None:
        super().__init__(columns)
        self._products: dict[str, str] = {}
        self._options: set[tuple[str, str]] = set()
        self._numbers = sorted(
            int(role.split()[1]) for role in self.roles if re.fullmatch(r"name \d+", role)
        )

    @classmethod
    def fits(cls, names: frozenset[str]) -> bool:
        """Its type and regular price."""
        return {"type", "sku", "name", "regular price"} <= names

    def meaning(self, name: str, title: str) -> str | None:
        """Attributes are numbered."""
        if attribute := _ATTRIBUTE.fullmatch(name):
            return f"{attribute[2].removesuffix('(s)')} {attribute[1]}"
        return ROLES.get(name)

    def survey(self, cells: Cells) -> None:
        """Which id is which product, and what its variations are told apart by."""
        number, sku = cells.word("id"), cells.word("sku")
        if "variation" not in _kinds(cells):
            if number:
                self._products[f"id:{number}"] = sku or number
            return
        parent = cells.word("parent")
        self._options.update((parent, name) for name, value in self._pairs(cells) if value)

    def patch(self, cells: Cells) -> RowPatch:
        """A product without variations, one with, or a variation."""
        cells.sku = cells.identifier("sku")
        kinds = _kinds(cells)
        _refuse_unsellable(cells, kinds)
        if "variation" in kinds:
            return self._variation(cells)
        product_id = cells.sku or cells.word("id")
        if not product_id:
            raise Refusal("sku", "", why("sku_missing"))
        cells.sku = product_id
        variable = "variable" in kinds
        return RowPatch(
            cells.line,
            product_id,
            () if variable else (_variant(cells, ()),),
            self._text(cells, variable=variable),
            brand=cells.line_or_keep("brand"),
            url=cells.line_or_keep("url"),
            image=first_of(cells.word("image")) if cells.has("image") else KEEP,
        )

    def _variation(self, cells: Cells) -> RowPatch:
        parent = cells.word("parent")
        if not parent:
            raise Refusal("parent", "", why("parent_missing"))
        product_id = self._products.get(parent, parent)
        if product_id.startswith("id:"):
            raise Refusal("parent", parent, why("parent_unknown"))
        cells.sku = cells.sku or f"{product_id}-{cells.word('id') or cells.line}"
        options = tuple((name, value) for name, value in self._pairs(cells) if value)
        return RowPatch(cells.line, product_id, (_variant(cells, options),))

    def _pairs(self, cells: Cells) -> Pairs:
        named = ((cells.word(f"name {n}"), cells.word(f"value {n}")) for n in self._numbers)
        return tuple((name, value) for name, value in named if name)

    def _text(self, cells: Cells, *, variable: bool) -> TextPatch:
        references = {cells.sku, f"id:{cells.word('id')}"}
        attributes = [
            (name, ", ".join(_list(value)))
            for name, value in self._pairs(cells)
            if not (variable and any((ref, name) in self._options for ref in references))
        ]
        tags = [("tags", cells.word("tags"))] if cells.has("tags") else []
        return TextPatch(
            title=cells.line_or_keep("title"),
            description=_description(cells),
            category=_category(cells) if cells.has("category") else KEEP,
            attributes=(*attributes, *self.attributes(cells), *tags),
        )


def _kinds(cells: Cells) -> set[str]:
    return {kind.strip() for kind in cells.word("type").lower().split(",")}


def _refuse_unsellable(cells: Cells, kinds: set[str]) -> None:
    if (published := cells.word("published")) in ("0", "-1"):
        raise Refusal("published", published, why("not_published"), blocking=False)
    if kinds & {"grouped", "woosb", "bundle", "composite"}:
        raise Refusal("type", cells.word("type"), why("group"), blocking=False)


def _variant(cells: Cells, options: Pairs) -> VariantPatch:
    sale = sale_at(
        cells.optional_money("sale_price"),
        cells.moment("sale_starts"),
        cells.moment("sale_ends"),
        cells.context.now,
    )
    price: Money | Keep = cells.money("price")
    return VariantPatch(
        cells.sku,
        price,
        sale,
        cells.count("stock"),
        _availability(cells),
        cells.gtin("gtin"),
        options,
    )


def _availability(cells: Cells) -> Availability | Keep:
    if cells.word("in_stock").lower() == "backorder":
        return "backorder"
    state = cells.availability("in_stock")
    allowed = cells.word("backorders").lower() in ("1", "notify", "yes")
    return "backorder" if state == "out_of_stock" and allowed else state


def _description(cells: Cells) -> str | Keep:
    """The short one first: it is the summary; line breaks are written as `\\n`."""
    if not (cells.has("description") or cells.has("short")):
        return KEEP
    parts = (cells.raw(role).replace("\\n", "\n") for role in ("short", "description"))
    return "\n".join(filter(None, map(plain, parts)))


def _list(value: str) -> list[str]:
    return [item.replace("\\,", ",") for item in _ESCAPED_COMMA.split(value) if item]


def _category(cells: Cells) -> str:
    """The deepest one."""
    branches = _list(cells.word("category"))
    return _BRANCH.sub(" > ", max(branches, key=lambda branch: branch.count(">"), default=""))
