"""What a product must be before it may enter the catalogue."""

from collections.abc import Iterator

from catalog.formats.money import is_currency
from catalog.product import LOCALES, Money, Pairs, Product, Text, Variant
from catalog.skus import shortened, sku_key

MAX_ID = 200
"""Characters of a product id or SKU."""
MAX_TEXT = 20_000
"""Characters of a title, description, attribute or option."""
MAX_PAIRS = 200
"""Attributes of a text, labels of a text, or options of a variant."""
MAX_VARIANTS = 2_000


def problems(product: Product) -> tuple[str, ...]:
    """Everything that is wrong with `product`, each in one sentence; empty if it is sound."""
    return tuple(_problems(product))


def _problems(product: Product) -> Iterator[str]:
    yield from _identifier("product id", product.id)
    if product.locale not in product.texts:
        yield f"there is no text in the product's own language, {product.locale!r}"
    for locale, text in product.texts.items():
        if locale not in LOCALES:
            yield f"language {locale!r} is not one of {', '.join(LOCALES)}"
        yield from _text(locale, text)
    yield from _strings(("brand", product.brand), ("url", product.url), ("image", product.image))
    if not 1 <= len(product.variants) <= MAX_VARIANTS:
        yield f"a product has 1 to {MAX_VARIANTS} variants, not {len(product.variants)}"
    seen: set[str] = set()
    for variant in product.variants:
        yield from _variant(variant)
        key = sku_key(variant.sku)
        if key in seen:
            yield f"SKU {variant.sku!r} occurs twice"
        seen.add(key)


def _identifier(name: str, value: str) -> Iterator[str]:
    if not sku_key(value):
        yield f"the {name} is empty"
    elif len(value) > MAX_ID:
        yield f"the {name} is longer than {MAX_ID} characters"
    elif not value.isprintable() or value != value.strip():
        yield f"the {name} {value!r} has control characters or blanks around it"
    elif shortened(value):
        yield f"the {name} {value!r} is a number that a spreadsheet has shortened"


def _text(locale: str, text: Text) -> Iterator[str]:
    if not text.title.strip():
        yield f"the {locale} title is empty"
    yield from _strings(
        (f"{locale} title", text.title),
        (f"{locale} description", text.description),
        (f"{locale} category", text.category),
        *text.attributes,
        *text.labels.items(),
    )
    yield from _names(f"an attribute of the {locale} text", text.attributes)
    if max(len(text.attributes), len(text.labels)) > MAX_PAIRS:
        yield f"the {locale} text has more than {MAX_PAIRS} attributes or labels"


def _variant(variant: Variant) -> Iterator[str]:
    yield from _identifier("SKU", variant.sku)
    yield from _money(variant.sku, "price", variant.price)
    if variant.sale_price is not None:
        yield from _money(variant.sku, "sale price", variant.sale_price)
        if variant.sale_price.currency != variant.price.currency:
            yield f"{variant.sku}: price and sale price have different currencies"
    if variant.stock is not None and variant.stock < 0:
        yield f"{variant.sku}: stock {variant.stock} is below zero"
    if len(variant.options) > MAX_PAIRS:
        yield f"{variant.sku}: more than {MAX_PAIRS} options"
    if variant.options:
        yield from _strings(*variant.options)
        yield from _names(f"{variant.sku}: an option", variant.options)
    if variant.gtin is not None and shortened(variant.gtin):
        yield f"{variant.sku}: GTIN {variant.gtin} is a number that a spreadsheet has shortened"


def _money(sku: str, name: str, money: Money) -> Iterator[str]:
    if not money.amount.is_finite() or not 0 <= money.amount < 10**12:
        yield f"{sku}: {name} {money.amount} is not an amount"
    if not is_currency(money.currency):
        yield f"{sku}: currency {money.currency!r} is not a code like USD"


def _names(what: str, pairs: Pairs) -> Iterator[str]:
    if any(not name.strip() for name, _ in pairs):
        yield f"{what} has no name"


def _strings(*named: tuple[str, str]) -> Iterator[str]:
    together = "".join([part for pair in named for part in pair])
    if len(together) <= MAX_TEXT and (together.isascii() or _encodable(together)):
        return
    for name, value in named:
        if max(len(name), len(value)) > MAX_TEXT:
            yield f"{name[:40]!r} is longer than {MAX_TEXT} characters ({len(value)})"
        if not _encodable(name + value):
            yield f"{name[:40]!r} has half a character (a lone surrogate)"


def _encodable(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
