"""What changed between two states of a product, field by field."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from catalog.product import LOCALES, Locale, Money, Pairs, Product, Text, Variant


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field, before and after; None where there was or is nothing.

    `field` is `title`, `attribute`, `price` and so on, or `product` and `variant` for a whole one.
    `locale` tells whose text, `sku` whose variant, `name` which attribute, option or label.
    """

    field: str
    old: str | None
    new: str | None
    locale: Locale | None = None
    sku: str | None = None
    name: str | None = None


def changes(old: Product | None, new: Product | None) -> tuple[FieldChange, ...]:
    """Every field in which `old` and `new` differ; their versions do not count."""
    return tuple(_changes(old, new))


def same(old: Product, new: Product) -> bool:
    """Whether nothing but the version differs."""
    return next(_changes(old, new), None) is None


def _changes(old: Product | None, new: Product | None) -> Iterator[FieldChange]:
    if old is None or new is None:
        if old is not new:
            yield FieldChange("product", _title(old), _title(new))
        return
    for field in ("brand", "url", "image", "locale"):
        yield from _field(field, getattr(old, field), getattr(new, field))
    for locale in LOCALES:
        yield from _text(locale, old.texts.get(locale), new.texts.get(locale))
    yield from _variants(old.variants, new.variants)


def _text(locale: Locale, old: Text | None, new: Text | None) -> Iterator[FieldChange]:
    if old is new:
        return
    before, after = old or Text(""), new or Text("")
    for field in ("title", "description", "category"):
        yield from _field(field, getattr(before, field), getattr(after, field), locale)
    yield from _pairs("attribute", before.attributes, after.attributes, locale=locale)
    yield from _mapping("label", before.labels, after.labels, locale=locale)


def _variants(old: tuple[Variant, ...], new: tuple[Variant, ...]) -> Iterator[FieldChange]:
    before = {variant.sku: variant for variant in old}
    after = {variant.sku: variant for variant in new}
    for sku in {**before, **after} if before.keys() != after.keys() else ():
        if sku not in after:
            yield FieldChange("variant", _offer(before[sku]), None, sku=sku)
        elif sku not in before:
            yield FieldChange("variant", None, _offer(after[sku]), sku=sku)
    for variant in new:
        if variant.sku in before:
            yield from _variant(before[variant.sku], variant)
    kept = [variant.sku for variant in old if variant.sku in after]
    if kept != (order := [variant.sku for variant in new if variant.sku in before]):
        yield FieldChange("order", ", ".join(kept), ", ".join(order))


def _variant(old: Variant, new: Variant) -> Iterator[FieldChange]:
    if old is new:
        return
    sku = new.sku
    yield from _field("price", str(old.price), str(new.price), sku=sku, same=old.price == new.price)
    sale = _amount(old.sale_price), _amount(new.sale_price)
    yield from _field("sale_price", *sale, sku=sku, same=old.sale_price == new.sale_price)
    yield from _field("stock", _count(old.stock), _count(new.stock), sku=sku)
    yield from _field("availability", old.availability, new.availability, sku=sku)
    yield from _field("gtin", old.gtin, new.gtin, sku=sku)
    yield from _pairs("option", old.options, new.options, sku=sku)


def _field(
    field: str,
    old: str | None,
    new: str | None,
    locale: Locale | None = None,
    sku: str | None = None,
    *,
    same: bool = False,
) -> Iterator[FieldChange]:
    if old != new and not same:
        yield FieldChange(field, old or None, new or None, locale, sku)


def _pairs(
    field: str, old: Pairs, new: Pairs, *, locale: Locale | None = None, sku: str | None = None
) -> Iterator[FieldChange]:
    """By name where names are single; by place where they repeat or only their order changed."""
    if old == new:
        return
    before, after = dict(old), dict(new)
    if before != after and len(before) == len(old) and len(after) == len(new):
        yield from _mapping(field, before, after, locale=locale, sku=sku)
        return
    for was, now in zip_longest(old, new):
        if was != now:
            name = (now or was)[0]
            yield FieldChange(field, was and was[1], now and now[1], locale, sku, name)


def _mapping(
    field: str,
    old: Mapping[str, str],
    new: Mapping[str, str],
    *,
    locale: Locale | None = None,
    sku: str | None = None,
) -> Iterator[FieldChange]:
    for name in {**old, **new}:
        if old.get(name) != new.get(name):
            yield FieldChange(field, old.get(name), new.get(name), locale, sku, name)


def _title(product: Product | None) -> str | None:
    return None if product is None else product.text(product.locale).title


def _offer(variant: Variant) -> str:
    options = ", ".join(value for _, value in variant.options)
    return f"{variant.price}, {options}" if options else str(variant.price)


def _amount(money: Money | None) -> str | None:
    return None if money is None else str(money)


def _count(stock: int | None) -> str | None:
    return None if stock is None else str(stock)
