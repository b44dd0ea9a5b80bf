"""Shopify's product export, with the headers of before and after 2025.

Rows that share a handle are one product: variants and images, the product's own cells blank. A
compare-at price above the price is what a sale is: the price was that, and the sale price is now.
"""

import re
from collections.abc import Mapping
from typing import ClassVar

from catalog.formats.adapter import Adapter
from catalog.formats.cells import Cells, Refusal
from catalog.formats.model import KEEP, Format, Keep, RowPatch, TextPatch, VariantPatch
from catalog.formats.reasons import why
from catalog.formats.text import clean_line
from catalog.product import Availability, Money, Pairs

ROLES = {
    "handle": "handle",
    "url handle": "handle",
    "title": "title",
    "body (html)": "body",
    "description": "body",
    "vendor": "brand",
    "type": "type",
    "product category": "category",
    "tags": "tags",
    "published": "published",
    "published on online store": "published",
    "status": "status",
    "variant sku": "sku",
    "sku": "sku",
    "variant grams": "grams",
    "weight value (grams)": "grams",
    "variant inventory tracker": "tracker",
    "inventory tracker": "tracker",
    "variant inventory qty": "stock",
    "inventory quantity": "stock",
    "variant inventory policy": "policy",
    "continue selling when out of stock": "policy",
    "variant price": "price",
    "price": "price",
    "variant compare at price": "compare",
    "compare at price": "compare",
    "variant barcode": "barcode",
    "barcode": "barcode",
    "image src": "image",
    "product image url": "image",
    "google shopping / gender": "attribute:gender",
    "google shopping / age group": "attribute:age group",
    "google shopping / condition": "attribute:condition",
    "google shopping / mpn": "attribute:MPN",
}
_OPTION = re.compile(r"option([123]) (name|value)")
_METAFIELD = re.compile(r"(.+?) \(product\.metafields\..+\)")
_SLUG = re.compile(r"[^\w]+")


class Shopify(Adapter):
    """A Shopify CSV."""

    format: ClassVar[Format] = "shopify"
    money: ClassVar[tuple[str, ...]] = ("price", "compare")

    def __init__(self, columns: Mapping[str, str]) -> None:
        super().__init__(columns)
        self._option_names: dict[str, tuple[str, ...]] = {}
        self._hidden: dict[str, tuple[str, str]] = {}
        self._unnamed = 0

    @classmethod
    def fits(cls, names: frozenset[str]) -> bool:
        """Old headers or new ones."""
        old = "handle" in names and bool(names & {"variant sku", "variant price", "body (html)"})
        return old or ("url handle" in names and bool(names & {"title", "sku", "price"}))

    def meaning(self, name: str, title: str) -> str | None:
        """Options are numbered; a metafield's name is before its brackets."""
        if option := _OPTION.fullmatch(name):
            return f"option{option[1]} {option[2]}"
        if metafield := _METAFIELD.fullmatch(clean_line(title)):
            return f"attribute:{metafield[1]}"
        return ROLES.get(name)

    def survey(self, cells: Cells) -> None:
        """A product's first row names its options, and says whether it is on sale at all."""
        handle = cells.word("handle")
        names = tuple(cells.word(f"option{number} name") for number in (1, 2, 3))
        if any(names):
            self._option_names.setdefault(handle, names)
        if not cells.word("title"):
            return
        status, published = cells.word("status").lower(), cells.word("published").lower()
        if status not in ("", "active"):
            self._hidden[handle] = ("status", status)
        elif published == "false":
            self._hidden[handle] = ("published", published)

    def patch(self, cells: Cells) -> RowPatch:
        """A product's first row, a variant's, or an image's."""
        handle = cells.word("handle")
        cells.sku = cells.identifier("sku")
        if not handle:
            raise Refusal("handle", "", why("handle_missing"))
        if handle in self._hidden:
            column, value = self._hidden[handle]
            raise Refusal(column, value, why("not_published"), blocking=False)
        options = self._options(cells, handle)
        variants: tuple[VariantPatch, ...] = ()
        if cells.sku or options or cells.word("price") or cells.word("barcode"):
            variants = (self._variant(cells, handle, options),)
        head = bool(cells.word("title"))
        return RowPatch(
            cells.line,
            handle,
            variants,
            self._text(cells) if head else None,
            brand=cells.line_or_keep("brand") if head else KEEP,
            image=cells.line_or_keep("image") if head else KEEP,
        )

    def _options(self, cells: Cells, handle: str) -> Pairs:
        names = self._option_names.get(handle, ("", "", ""))
        values = (cells.word(f"option{number} value") for number in (1, 2, 3))
        pairs = ((n, v) for n, v in zip(names, values, strict=True) if v)
        return tuple((n or "option", v) for n, v in pairs if not _is_default(n, v, cells))

    def _variant(self, cells: Cells, handle: str, options: Pairs) -> VariantPatch:
        if not cells.sku:
            self._unnamed += 1
            words = [_SLUG.sub("-", value.lower()).strip("-") for _, value in options]
            cells.sku = "-".join([handle, *filter(None, words)])[:200]
        price, sale = _prices(cells)
        stock, availability = _stock(cells)
        return VariantPatch(
            cells.sku, price, sale, stock, availability, cells.gtin("barcode"), options
        )

    def _text(self, cells: Cells) -> TextPatch:
        grams = cells.word("grams")
        attributes = [("tags", cells.word("tags"))] if cells.has("tags") else []
        if cells.has("grams"):
            attributes.append(("weight", "" if grams in ("", "0", "0.0") else f"{grams} g"))
        has_category = cells.has("category") or cells.has("type")
        return TextPatch(
            title=cells.word("title"),
            description=cells.text_or_keep("body"),
            category=(cells.word("category") or cells.word("type")) if has_category else KEEP,
            attributes=(*attributes, *self.attributes(cells)),
        )

    def notes(self) -> tuple[str, ...]:
        """Variants whose SKU had to be made."""
        made = f"{self._unnamed} variants have no SKU: it is made of the handle and the options"
        return (made,) if self._unnamed else ()


def _is_default(name: str, value: str, cells: Cells) -> bool:
    """Shopify's way of saying that a product has no options."""
    return name.lower() == "title" and value in ("Default Title", cells.word("title"))


def _prices(cells: Cells) -> tuple[Money | Keep, Money | Keep | None]:
    price, compare = cells.money("price"), cells.optional_money("compare")
    if isinstance(price, Money) and isinstance(compare, Money):
        if compare.currency == price.currency and compare.amount > price.amount:
            return compare, price
        return price, None
    return price, compare if compare is None else KEEP


def _stock(cells: Cells) -> tuple[int | Keep | None, Availability | Keep]:
    """What is not tracked is always there; what is oversold may be sold on."""
    if cells.has("tracker") and not cells.word("tracker"):
        return None, "in_stock"
    count = cells.count("stock")
    if count is KEEP or count is None:
        return count, KEEP if count is KEEP else "in_stock"
    if count > 0:
        return count, "in_stock"
    goes_on = cells.word("policy").lower() in ("continue", "true")
    return count, "backorder" if goes_on else "out_of_stock"
