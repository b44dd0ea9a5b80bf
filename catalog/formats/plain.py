"""The native table: `sku`, `title`, `price` ... and any further column is an attribute.

One row is one variant. Rows with the same product id are one product; its texts are those of the
first row that has a title, and `option: NAME` columns (or color and size) tell its variants apart.
`title:zh` and the like are texts in the other language.
"""

import re
from collections.abc import Mapping
from typing import ClassVar

from catalog.formats.adapter import Adapter, first_of
from catalog.formats.cells import Cells, Refusal
from catalog.formats.columns import plain_role
from catalog.formats.inert import inert_undone
from catalog.formats.model import (
    KEEP,
    Format,
    Keep,
    RowPatch,
    TextPatch,
    VariantPatch,
)
from catalog.formats.reasons import why
from catalog.formats.text import clean, clean_line, pairs_from_cell
from catalog.product import LOCALES, Locale, Pairs

_PREFIX = re.compile(r"(option|attribute|选项|参数)\s*[:：]\s*(.+)", re.IGNORECASE)
_LOCALISED = re.compile(r"(title|description|category|attributes|labels)\s*[:(]\s*(en|zh)\s*\)?")
_OPTION_NAMES = frozenset({"color", "colour", "size", "颜色", "尺码", "尺寸", "颜色分类"})
NO_FORMS = frozenset({"标准", "默认", "均码", "常规", "无", "default", "standard", "none"})
_FORMS = re.compile(r"[；;\n]")
_TEXTS = ("title", "description", "category", "attributes", "labels")


class Plain(Adapter):
    """A plain CSV, or the records of a plain JSON file."""

    format: ClassVar[Format] = "plain"

    def __init__(self, columns: Mapping[str, str]) -> None:
        super().__init__(columns)
        self._extra = [role for role in self.roles if role.startswith(("attribute:", "option:"))]
        self._heads: dict[str, int] = {}
        self._grouped = False

    @classmethod
    def fits(cls, names: frozenset[str]) -> bool:
        """Something to name an article by, or its title."""
        roles = {plain_role(name) for name in names}
        return bool(roles & {"sku", "item", "product_id", "title"}) and bool(
            roles & {"title", "price", "stock", "sale_price", "availability", "description"}
        )

    def meaning(self, name: str, title: str) -> str | None:
        """Known names in English and Chinese; the others are attributes under their own name."""
        written = clean_line(title)
        if prefixed := _PREFIX.fullmatch(written):
            kind = "option" if prefixed[1].lower() in ("option", "选项") else "attribute"
            return f"{kind}:{prefixed[2].strip()}"
        if localised := _LOCALISED.fullmatch(name):
            return f"{localised[1]}:{localised[2]}"
        role = plain_role(name)
        return f"attribute:{written}" if role is None and written else role

    def survey(self, cells: Cells) -> None:
        """Which row has a product's texts, and whether products of several rows occur at all."""
        product_id = cells.word("product_id")
        if not product_id or not (cells.has("sku") or cells.has("item")):
            return
        if product_id in self._heads:
            self._grouped = True
            if self._heads[product_id] > 0 or not cells.word("title"):
                return
        self._heads[product_id] = cells.line if cells.word("title") else 0

    def patch(self, cells: Cells) -> RowPatch:
        """One variant."""
        product_id, sku = self._identity(cells)
        cells.sku = sku
        variant = VariantPatch(
            sku,
            cells.money("price"),
            cells.optional_money("sale_price"),
            cells.count("stock"),
            cells.availability("availability"),
            cells.gtin("gtin"),
            self._options(cells),
        )
        if self._heads.get(product_id, cells.line) not in (cells.line, 0):
            return RowPatch(cells.line, product_id, (variant,))
        texts = {locale: self._localised(cells, locale) for locale in LOCALES}
        return RowPatch(
            cells.line,
            product_id,
            (variant,),
            self._text(cells),
            {locale: text for locale, text in texts.items() if text is not None},
            _locale(cells),
            cells.line_or_keep("brand"),
            cells.line_or_keep("url"),
            first_of(cells.word("image")) if cells.has("image") else KEEP,
        )

    def _identity(self, cells: Cells) -> tuple[str, str]:
        """Product id and SKU; whichever is missing is the other."""
        given = [cells.identifier(role) for role in ("product_id", "item", "sku")]
        product_id, item, sku = given
        sku = sku or item or product_id
        if not sku:
            column = next((r for r in ("sku", "item", "product_id") if cells.has(r)), "sku")
            raise Refusal(column, "", why("sku_missing"))
        return product_id or item or sku, sku

    def _is_option(self, role: str) -> bool:
        kind, _, name = role.partition(":")
        return kind == "option" or (self._grouped and name.lower() in _OPTION_NAMES)

    def _options(self, cells: Cells) -> Pairs | Keep:
        roles = [role for role in self._extra if self._is_option(role)]
        if not roles and not cells.has("options"):
            return KEEP
        listed = pairs_from_cell(inert_undone(cells.raw("options")))
        pairs = ((role.partition(":")[2], cells.word(role)) for role in roles)
        return (*listed, *(pair for pair in pairs if pair[1]))

    def _text(self, cells: Cells) -> TextPatch:
        attributes = [
            (role.partition(":")[2], clean(inert_undone(cells.raw(role))))
            for role in self._extra
            if not self._is_option(role)
        ]
        if form := _form(cells):
            attributes.append(("规格", form))
        listed = cells.has("attributes")
        if listed:
            attributes = [pair for pair in attributes if pair[1]]
            attributes[:0] = pairs_from_cell(inert_undone(cells.raw("attributes")))
        return TextPatch(
            cells.line_or_keep("title"),
            cells.text_or_keep("description"),
            cells.line_or_keep("category"),
            tuple(attributes),
            whole=listed,
            labels=_labels(cells, "labels"),
        )

    def _localised(self, cells: Cells, locale: Locale) -> TextPatch | None:
        """The columns `title:zh` and so on; None without any, or with an empty title."""
        if not any(cells.has(f"{part}:{locale}") for part in _TEXTS):
            return None
        if cells.has(f"title:{locale}") and not cells.word(f"title:{locale}"):
            return None
        listed = cells.has(f"attributes:{locale}")
        return TextPatch(
            cells.line_or_keep(f"title:{locale}"),
            cells.text_or_keep(f"description:{locale}"),
            cells.line_or_keep(f"category:{locale}"),
            pairs_from_cell(inert_undone(cells.raw(f"attributes:{locale}"))),
            whole=listed,
            labels=_labels(cells, f"labels:{locale}"),
        )


def _labels(cells: Cells, role: str) -> dict[str, str] | Keep:
    if not cells.has(role):
        return KEEP
    return dict(pairs_from_cell(inert_undone(cells.raw(role))))


def _locale(cells: Cells) -> Locale | None:
    word = cells.word("locale").lower()
    if not word:
        return None
    for locale in LOCALES:
        if word == locale or word.startswith((f"{locale}-", f"{locale}_")):
            return locale
    cells.problem("locale", word, why("not_a_language"))
    return None


def _form(cells: Cells) -> str:
    """The one form in which the article is sold, if it has a name of its own."""
    form = clean(cells.raw("form"))
    if len(forms := [item for item in _FORMS.split(form) if item.strip()]) > 1:
        raise Refusal("form", form, why("forms_in_one_row", count=len(forms)))
    return "" if form.lower() in NO_FORMS else form
