"""Magento's product CSV: configurable products, their simple ones, and texts by store view."""

import re
from collections.abc import Mapping
from typing import ClassVar

from catalog.formats.adapter import Adapter, sale_at
from catalog.formats.cells import Cells, Refusal
from catalog.formats.model import KEEP, Format, Keep, RowPatch, TextPatch, VariantPatch
from catalog.formats.reasons import why
from catalog.product import Availability, Locale, Pairs
from catalog.skus import sku_key

ROLES = {
    "sku": "sku",
    "store view code": "view",
    "product type": "type",
    "categories": "category",
    "name": "title",
    "description": "description",
    "short description": "short",
    "product online": "online",
    "visibility": "visibility",
    "price": "price",
    "special price": "sale_price",
    "special price from date": "sale_starts",
    "special price to date": "sale_ends",
    "base image": "image",
    "weight": "attribute:weight",
    "country of manufacture": "attribute:country of manufacture",
    "additional attributes": "additional",
    "qty": "stock",
    "is in stock": "in_stock",
    "manage stock": "manage",
    "use config manage stock": "manage_default",
    "allow backorders": "backorders",
    "configurable variations": "variations",
}
_LONGEST_SKU = 64
_ATTRIBUTE = re.compile(r'(?:^|,)"?([A-Za-z]\w*)=')
_INTERNAL = {"has_options", "required_options", "gift_wrapping_available", "ts_dimensions_length"}
_CHINESE_VIEW = re.compile(r"(?:^|_)(?:zh|cn|chinese|tw|hk)(?:_|$)")
_ENGLISH_VIEW = re.compile(r"(?:^|_)(?:en|english|us|uk|gb|default)(?:_|$)")


class Magento(Adapter):
    """A Magento (Adobe Commerce) CSV."""

    format: ClassVar[Format] = "magento"

    def __init__(self, columns: Mapping[str, str]) -> None:
        super().__init__(columns)
        self._parents: dict[str, tuple[str, Pairs]] = {}

    @classmethod
    def fits(cls, names: frozenset[str]) -> bool:
        """Its product types and attribute sets."""
        return "sku" in names and len(names & {"product type", "attribute set code"}) > 0

    def meaning(self, name: str, title: str) -> str | None:
        """Fixed names."""
        return ROLES.get(name)

    def survey(self, cells: Cells) -> None:
        """A configurable product names its simple ones, and what tells them apart."""
        parent = cells.word("sku")
        for variation in filter(None, cells.raw("variations").split("|")):
            pairs = parse_attributes(variation)
            if pairs and pairs[0][0] == "sku":
                self._parents[sku_key(pairs[0][1])] = (parent, pairs[1:])

    def patch(self, cells: Cells) -> RowPatch:
        """A product, a variant of one, or a product's texts for one store view."""
        cells.sku = cells.identifier("sku")
        if not cells.sku:
            raise Refusal("sku", "", why("sku_missing"))
        if len(cells.sku) > _LONGEST_SKU:
            cells.problem("sku", cells.sku, why("too_long", limit=_LONGEST_SKU))
        if view := cells.word("view"):
            return self._translation(cells, view)
        _refuse_unsellable(cells)
        parent, options = self._parents.get(sku_key(cells.sku), (None, ()))
        if parent is not None:
            return RowPatch(cells.line, parent, (_variant(cells, options),))
        if _hidden(cells):
            reason = why("not_shown_alone")
            raise Refusal("visibility", cells.word("visibility"), reason, blocking=False)
        configurable = cells.word("type").lower() == "configurable"
        return RowPatch(
            cells.line,
            cells.sku,
            () if configurable else (_variant(cells, ()),),
            self._text(cells),
            image=_image(cells.word("image")) if cells.has("image") else KEEP,
        )

    def _translation(self, cells: Cells, view: str) -> RowPatch:
        """A blank cell of a store view means that the default is used."""
        locale = _locale(view)
        if locale is None:
            raise Refusal("view", view, why("view_of_another_language"), blocking=False)
        text = TextPatch(
            title=cells.word("title") or KEEP,
            description=_description(cells) or KEEP,
            attributes=tuple(pair for pair in self._facts(cells) if pair[1]),
        )
        parent, _ = self._parents.get(sku_key(cells.sku), (None, ()))
        texts = {} if parent else {locale: text}
        return RowPatch(cells.line, parent or cells.sku, texts=texts)

    def _text(self, cells: Cells) -> TextPatch:
        return TextPatch(
            title=cells.line_or_keep("title"),
            description=_description(cells),
            category=_category(cells.word("category")) if cells.has("category") else KEEP,
            attributes=self._facts(cells),
        )

    def _facts(self, cells: Cells) -> Pairs:
        additional = parse_attributes(cells.word("additional"))
        named = ((n.replace("_", " "), value) for n, value in additional if n not in _INTERNAL)
        return (*self.attributes(cells), *named)


def parse_attributes(cell: str) -> Pairs:
    """`a=b,c=d` with commas inside values, several values after `|`, and optional quotes."""
    starts = list(_ATTRIBUTE.finditer(cell))
    ends = [*(start.start() for start in starts), len(cell)][1:]
    return tuple(
        (start[1], cell[start.end() : end].strip().strip('"').replace("|", ", "))
        for start, end in zip(starts, ends, strict=False)
    )


def _refuse_unsellable(cells: Cells) -> None:
    kind = cells.word("type").lower()
    if kind in ("bundle", "grouped"):
        raise Refusal("type", kind, why("group"), blocking=False)
    if cells.word("online") in ("0", "2"):
        raise Refusal("online", cells.word("online"), why("disabled"), blocking=False)


def _hidden(cells: Cells) -> bool:
    return cells.word("visibility").lower() == "not visible individually"


def _variant(cells: Cells, options: Pairs) -> VariantPatch:
    sale = sale_at(
        cells.optional_money("sale_price"),
        cells.moment("sale_starts"),
        cells.moment("sale_ends"),
        cells.context.now,
    )
    uncounted = cells.word("manage") == "0" and cells.word("manage_default") == "0"
    stock: int | Keep | None = None if uncounted else cells.count("stock")
    return VariantPatch(
        cells.sku, cells.money("price"), sale, stock, _availability(cells), options=options
    )


def _availability(cells: Cells) -> Availability | Keep:
    state = cells.availability("in_stock")
    goes_on = cells.word("backorders") in ("1", "2")
    return "backorder" if state == "out_of_stock" and goes_on else state


def _description(cells: Cells) -> str | Keep:
    if not (cells.has("description") or cells.has("short")):
        return KEEP
    return (cells.text_or_keep("description") if cells.raw("description") else "") or (
        cells.text_or_keep("short") if cells.has("short") else ""
    )


def _category(cell: str) -> str:
    """The deepest branch, without the root that every shop has."""
    branches = cell.split(",")
    return " > ".join(max(branches, key=lambda branch: branch.count("/")).split("/")[1:])


def _image(path: str) -> str:
    """A path inside the shop's media folder is no address."""
    return path if path.startswith(("http://", "https://")) else ""


def _locale(view: str) -> Locale | None:
    name = view.lower().replace("-", "_")
    if _CHINESE_VIEW.search(name):
        return "zh"
    return "en" if _ENGLISH_VIEW.search(name) else None
