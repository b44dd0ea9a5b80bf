"""What a product must be before it may enter the catalogue."""

from collections.abc import Iterator

from catalog.formats.money import is_currency
from catalog.formats.reasons import Reason, why
from catalog.product import LOCALES, Money, Pairs, Product, Text, Variant
from catalog.skus import shortened, sku_key

MAX_ID = 200
"""Characters of a product id or SKU."""
MAX_TEXT = 20_000
"""Characters of a title, description, attribute or option."""
MAX_PAIRS = 200
"""Attributes of a text, labels of a text, or options of a variant."""
MAX_VARIANTS = 2_000


def problems(product: Product) -> tuple[Reason, ...]:
    """Everything that is wrong with `product`; empty if it is sound."""
    return tuple(_problems(product))


def _problems(product: Product) -> Iterator[Reason]:
    yield from _identifier("product id", product.id)
    if product.locale not in product.texts:
        yield why("no_own_text", language=repr(product.locale))
    for locale, text in product.texts.items():
        if locale not in LOCALES:
            yield why("language_unknown", language=repr(locale), known=", ".join(LOCALES))
        yield from _text(locale, text)
    yield from _strings(("brand", product.brand), ("url", product.url), ("image", product.image))
    if not 1 <= len(product.variants) <= MAX_VARIANTS:
        yield why("variants_count", limit=MAX_VARIANTS, count=len(product.variants))
    seen: set[str] = set()
    for variant in product.variants:
        yield from _variant(variant)
        key = sku_key(variant.sku)
        if key in seen:
            yield why("sku_twice", sku=repr(variant.sku))
        seen.add(key)


def _identifier(name: str, value: str) -> Iterator[Reason]:
    if not sku_key(value):
        yield why("identifier_empty", name=name)
    elif len(value) > MAX_ID:
        yield why("identifier_too_long", name=name, limit=MAX_ID)
    elif not value.isprintable() or value != value.strip():
        yield why("identifier_unclean", name=name, value=repr(value))
    elif shortened(value):
        yield why("identifier_shortened", name=name, value=repr(value))


def _text(locale: str, text: Text) -> Iterator[Reason]:
    if not text.title.strip():
        yield why("title_empty", language=locale)
    yield from _strings(
        (f"{locale} title", text.title),
        (f"{locale} description", text.description),
        (f"{locale} category", text.category),
        *text.attributes,
        *text.labels.items(),
    )
    yield from _names(f"an attribute of the {locale} text", text.attributes)
    if max(len(text.attributes), len(text.labels)) > MAX_PAIRS:
        yield why("too_many_pairs", language=locale, limit=MAX_PAIRS)


def _variant(variant: Variant) -> Iterator[Reason]:
    yield from _identifier("SKU", variant.sku)
    yield from _money(variant.sku, "price", variant.price)
    if variant.sale_price is not None:
        yield from _money(variant.sku, "sale price", variant.sale_price)
        if variant.sale_price.currency != variant.price.currency:
            yield why("variant_currencies_differ", sku=variant.sku)
    if variant.stock is not None and variant.stock < 0:
        yield why("stock_below_zero", sku=variant.sku, stock=variant.stock)
    if len(variant.options) > MAX_PAIRS:
        yield why("too_many_options", sku=variant.sku, limit=MAX_PAIRS)
    if variant.options:
        yield from _strings(*variant.options)
        yield from _names(f"{variant.sku}: an option", variant.options)
    if variant.gtin is not None and shortened(variant.gtin):
        yield why("gtin_shortened", sku=variant.sku, gtin=variant.gtin)


def _money(sku: str, name: str, money: Money) -> Iterator[Reason]:
    if not money.amount.is_finite() or not 0 <= money.amount < 10**12:
        yield why("amount_wrong", sku=sku, name=name, amount=money.amount)
    if not is_currency(money.currency):
        yield why("currency_wrong", sku=sku, currency=repr(money.currency))


def _names(what: str, pairs: Pairs) -> Iterator[Reason]:
    if any(not name.strip() for name, _ in pairs):
        yield why("pair_without_name", what=what)


def _strings(*named: tuple[str, str]) -> Iterator[Reason]:
    together = "".join([part for pair in named for part in pair])
    if len(together) <= MAX_TEXT and (together.isascii() or _encodable(together)):
        return
    for name, value in named:
        if max(len(name), len(value)) > MAX_TEXT:
            yield why("text_too_long", name=repr(name[:40]), limit=MAX_TEXT, length=len(value))
        if not _encodable(name + value):
            yield why("half_a_character", name=ascii(name[:40]))


def _encodable(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
