"""The live facts of a product, grouped so that thirty variants read as two lines."""

from collections.abc import Sequence
from dataclasses import dataclass

from catalog.product import Availability, Locale, Money, Product, Variant
from pipeline.facts.options import OptionReader


@dataclass(frozen=True, slots=True)
class Offer:
    """A price and the variants it is for; no `variants` means all of them."""

    price: Money
    sale_price: Money | None
    variants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StockLine:
    """What can be had of one value of the first option; `value` is empty without options.

    `available` and `sold_out` are the values of the other options. `left` is the count, where the
    shop counts and the line is about one variant.
    """

    value: str
    status: Availability
    available: tuple[str, ...] = ()
    sold_out: tuple[str, ...] = ()
    left: int | None = None


@dataclass(frozen=True, slots=True)
class Live:
    """Prices and stock of a product's variants, in the shopper's language."""

    offers: tuple[Offer, ...]
    stock: tuple[StockLine, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One product among several: what it costs at least, and whether it can be had.

    `asked` are the values that the price is of, `lowest` whether others cost more.
    """

    title: str
    asked: tuple[str, ...]
    price: Money
    before: Money | None
    lowest: bool
    status: Availability


def row(title: str, asked: tuple[str, ...], variants: Sequence[Variant]) -> Row:
    """The row of a product of which `variants` are meant; those that can be had come first."""
    having = [variant for variant in variants if variant.available] or variants
    best = min(having, key=lambda variant: paid(variant).amount)
    several = len({paid(variant).amount for variant in having}) > 1
    before = best.price if best.sale_price else None
    return Row(title, asked, paid(best), before, several, best.availability)


def paid(variant: Variant) -> Money:
    """What it costs now."""
    return variant.sale_price or variant.price


def live_facts(
    product: Product, variants: Sequence[Variant], locale: Locale, options: OptionReader
) -> Live:
    """What `variants` of `product` cost and which can be had, as of this record."""
    said = {
        variant.sku: tuple(options.say(product, value, locale) for _, value in variant.options)
        for variant in variants
    }
    return Live(_offers(variants, said), _stock(variants, said))


def _offers(variants: Sequence[Variant], said: dict[str, tuple[str, ...]]) -> tuple[Offer, ...]:
    groups: dict[tuple[Money, Money | None], list[Variant]] = {}
    for variant in variants:
        groups.setdefault((variant.price, variant.sale_price), []).append(variant)
    if len(groups) == 1:
        return tuple(Offer(price, sale) for price, sale in groups)
    return tuple(
        Offer(price, sale, _covered(group, variants, said))
        for (price, sale), group in groups.items()
    )


def _covered(
    group: Sequence[Variant], variants: Sequence[Variant], said: dict[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """Names of the variants in `group`: the first option's value where it has all of them."""
    names: dict[str, None] = {}
    for variant in group:
        values = said[variant.sku]
        siblings = [v for v in variants if said[v.sku][:1] == values[:1]]
        whole = all(sibling in group for sibling in siblings)
        names[values[0] if whole and values else " ".join(values) or variant.sku] = None
    return tuple(names)


def _stock(variants: Sequence[Variant], said: dict[str, tuple[str, ...]]) -> tuple[StockLine, ...]:
    groups: dict[str, list[Variant]] = {}
    for variant in variants:
        groups.setdefault("".join(said[variant.sku][:1]), []).append(variant)
    return tuple(_line(value, group, said) for value, group in groups.items())


def _line(value: str, group: Sequence[Variant], said: dict[str, tuple[str, ...]]) -> StockLine:
    having = [variant for variant in group if variant.available]
    rest = {variant.sku: " ".join(said[variant.sku][1:]) for variant in group}
    return StockLine(
        value=value,
        status=(having or group)[0].availability,
        available=tuple(dict.fromkeys(rest[v.sku] for v in having if rest[v.sku])),
        sold_out=tuple(
            dict.fromkeys(rest[v.sku] for v in group if not v.available and rest[v.sku])
        ),
        left=group[0].stock if len(group) == 1 and group[0].available else None,
    )
