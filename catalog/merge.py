"""Patches of a file put onto the product as it is now.

What the file does not say stays. Nothing is removed, unless the file is declared to be the whole
truth (`whole`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from catalog.checks import problems
from catalog.formats.model import KEEP, Keep, RowError, RowPatch, TextPatch, VariantPatch
from catalog.formats.reasons import Reason, why
from catalog.formats.text import is_chinese
from catalog.product import Availability, Locale, Money, Pairs, Product, Text, Variant
from catalog.skus import sku_key

T = TypeVar("T")

_TOLD = 5
"""How many faults of one product are told."""


@dataclass(frozen=True, slots=True)
class MergeRules:
    """`locale`: of texts whose language the file does not tell. `whole`: unnamed variants go."""

    locale: Locale | None = None
    whole: bool = False


class MergeRefused(Exception):  # noqa: N818 - an outcome, not a fault
    """The rows do not make a product; says why, row by row."""

    def __init__(self, errors: Sequence[RowError]) -> None:
        super().__init__(errors[0].reason)
        self.errors = errors


class _VariantRefused(Exception):  # noqa: N818 - an outcome, not a fault
    def __init__(self, column: str, why: Reason) -> None:
        super().__init__(why.reason)
        self.column, self.why = column, why


def merge(
    product_id: str, rows: Sequence[RowPatch], current: Product | None, rules: MergeRules
) -> Product:
    """The product that `rows` make of `current`. Raises `MergeRefused`."""
    texts = dict(current.texts) if current else {}
    own = _own_locale(rows, current, rules)
    for row in rows:
        for locale, patch in row.texts.items():
            texts[locale] = _text(texts.get(locale), patch)
        if row.text is not None:
            locale = row.locale or rules.locale or _language(row.text) or own
            texts[locale] = _text(texts.get(locale), row.text)
    own = own if own in texts else next(iter(texts), own)
    if not texts or not texts[own].title:
        raise MergeRefused([_untitled(row, product_id) for row in rows])
    base = current or Product(product_id, own, texts, ())
    product = replace(
        base,
        locale=own,
        texts=texts,
        variants=_variants(rows, current, rules),
        brand=_last(base.brand, [row.brand for row in rows]),
        url=_last(base.url, [row.url for row in rows]),
        image=_last(base.image, [row.image for row in rows]),
    )
    if found := problems(product):
        sku = product.variants[0].sku if product.variants else product_id
        told = found[:_TOLD]
        raise MergeRefused([RowError(r.line, sku, "", "", no) for r in rows for no in told])
    return product


def _own_locale(rows: Sequence[RowPatch], current: Product | None, rules: MergeRules) -> Locale:
    """The product's own language: what it is, or what its first texts are in."""
    told = next((row.locale for row in rows if row.locale), None)
    if current is not None:
        exact = told if any(row.texts and row.locale for row in rows) else None
        return exact or current.locale
    guessed = (_language(row.text) for row in rows if row.text)
    return told or rules.locale or next((g for g in guessed if g), None) or _first(rows) or "en"


def _first(rows: Sequence[RowPatch]) -> Locale | None:
    return next((locale for row in rows for locale in row.texts), None)


def _language(text: TextPatch) -> Locale | None:
    """What language a text with a title is in."""
    if text.title is KEEP or not text.title:
        return None
    described = "" if text.description is KEEP else text.description[:200]
    return "zh" if is_chinese(f"{text.title} {described}") else "en"


def _text(current: Text | None, patch: TextPatch) -> Text:
    base = current or Text("")
    attributes = patch.attributes if patch.whole else _attributes(base.attributes, patch.attributes)
    return Text(
        _kept(patch.title, base.title) or base.title,
        _kept(patch.description, base.description),
        _kept(patch.category, base.category),
        attributes,
        _kept(patch.labels, base.labels),
    )


def _attributes(current: Pairs, patch: Pairs) -> Pairs:
    """Changed in place, new ones at the end, empty ones gone."""
    if not patch:
        return current
    values = dict(patch)
    known = {name for name, _ in current}
    changed = [(name, values.get(name, value)) for name, value in current]
    changed += [(name, value) for name, value in values.items() if name not in known]
    return tuple(pair for pair in changed if pair[1])


def _variants(
    rows: Sequence[RowPatch], current: Product | None, rules: MergeRules
) -> tuple[Variant, ...]:
    present = {sku_key(v.sku): v for v in current.variants} if current else {}
    after: dict[str, Variant] = {} if rules.whole else dict(present)
    errors: list[RowError] = []
    for row in rows:
        for patch in row.variants:
            key = sku_key(patch.sku)
            try:
                after[key] = _variant(patch, present.get(key))
            except _VariantRefused as no:
                errors.append(RowError(row.line, patch.sku, no.column, "", no.why))
    if errors:
        raise MergeRefused(errors)
    if not after:
        reason = why("variants_missing")
        raise MergeRefused([RowError(r.line, r.product_id, "", "", reason) for r in rows])
    return tuple(after.values())


def _variant(patch: VariantPatch, current: Variant | None) -> Variant:
    """Raises `_VariantRefused`."""
    price = _kept(patch.price, current.price if current else None)
    if price is None:
        raise _VariantRefused("price", why("price_missing"))
    sale = _sale(price, patch, current)
    stock = _kept(patch.stock, current.stock if current else None)
    return Variant(
        current.sku if current else patch.sku,
        price,
        _kept(patch.options, current.options if current else ()),
        sale,
        stock,
        _availability(patch, stock, current),
        _kept(patch.gtin, current.gtin if current else None),
    )


def _sale(price: Money, patch: VariantPatch, current: Variant | None) -> Money | None:
    """A sale must be below the price; one from before ends when the price comes down to it."""
    sale = _kept(patch.sale_price, current.sale_price if current else None)
    if sale is None:
        return None
    if sale.currency != price.currency:
        reason = why("currencies_differ", sale=sale, currency=price.currency)
        raise _VariantRefused("sale price", reason)
    if sale.amount < price.amount:
        return sale
    if patch.sale_price is KEEP or sale.amount == price.amount:
        return None
    raise _VariantRefused("sale price", why("sale_above_price", sale=sale, price=price))


def _availability(patch: VariantPatch, stock: int | None, current: Variant | None) -> Availability:
    """As told; else as the count tells; else as before."""
    if patch.availability is not KEEP:
        return patch.availability
    before = current.availability if current else "in_stock"
    if patch.stock is KEEP or stock is None:
        return before
    if stock == 0:
        return "out_of_stock" if before == "in_stock" else before
    return "in_stock" if before == "out_of_stock" else before


def _kept(value: T | Keep, before: T) -> T:
    return before if isinstance(value, Keep) else value


def _last(before: str, values: Sequence[str | Keep]) -> str:
    for value in values:
        before = _kept(value, before)
    return before


def _untitled(row: RowPatch, product_id: str) -> RowError:
    sku = row.variants[0].sku if row.variants else product_id
    return RowError(row.line, sku, "title", "", why("title_missing"))
