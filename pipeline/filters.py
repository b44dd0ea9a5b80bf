"""Which products satisfy what a question demands, by sets of ids and the records of the moment.

Kinds, colours and words are looked up in indexes; prices and stock are compared only within the
set that these have left.
"""

from collections.abc import Iterable, Set
from dataclasses import dataclass
from decimal import Decimal

from catalog.product import Locale, Product, Variant
from pipeline.found import Bounds, Order
from pipeline.hotshelf import HotShelf
from pipeline.options import OptionReader
from pipeline.profiles import Profile, Profiles
from pipeline.understand import Reading, Refusal

MOST = 5000
"""A set above this is narrowed by relevance before its prices are compared."""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """`ids`: the products that will do, None if nothing was demanded. `ranked`: the same by
    price, if an order was asked for. `unmet`: what nothing satisfies, as said."""

    ids: frozenset[str] | None
    ranked: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()


class Filters:
    """Narrows a shelf's products."""

    def __init__(self, shelf: HotShelf, options: OptionReader) -> None:
        self._shelf, self._options = shelf, options

    def narrow(
        self,
        reading: Reading,
        profiles: Profiles,
        locale: Locale,
        within: Set[str] | None = None,
        beyond: Bounds | None = None,
    ) -> Narrowed:
        """What satisfies `reading`, among `within` if given; `beyond` is a price of comparison."""
        ids, unmet = self._told(reading, profiles, within)
        if ids is None:
            return Narrowed(None, (), tuple(unmet))
        if len(ids) > MOST:
            return Narrowed(frozenset(ids), (), tuple(unmet))
        ids = self._live(ids, reading, beyond, unmet)
        order = self._order(reading, beyond)
        ranked = self.ranked(ids, order, locale, reading.price.bounds) if order else ()
        return Narrowed(frozenset(ids), ranked, tuple(unmet))

    def settle(
        self, ids: Iterable[str], reading: Reading, locale: Locale
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Those of `ids`, in their order or by price, whose records satisfy; and what is unmet."""
        unmet: list[str] = []
        kept = self._live(dict.fromkeys(ids).keys(), reading, None, unmet)
        order = self._order(reading, None)
        if order:
            return self.ranked(kept, order, locale, reading.price.bounds), tuple(unmet)
        return tuple(id_ for id_ in ids if id_ in kept), tuple(unmet)

    def _told(
        self, reading: Reading, profiles: Profiles, within: Set[str] | None
    ) -> tuple[Set[str] | None, list[str]]:
        """By what the products say of themselves."""
        unmet: list[str] = []
        ids = within
        if reading.kind is not None:
            of_kind = profiles.of_kind(reading.kind)
            if of_kind:
                ids = of_kind if ids is None else ids & of_kind or ids
        demands = reading.filters or within is not None
        if ids is None:
            ids = self._by_terms(reading, profiles, None) if demands else None
            if ids is None and not (reading.refusals and demands):
                return None, unmet
            ids = profiles.all() if ids is None else ids
        elif not (demands or reading.colors or reading.audience):
            return None, unmet
        ids = self._for(reading, profiles, ids)
        ids = self._colored(reading, profiles, ids, unmet)
        if demands and reading.kind is not None:
            ids = self._by_terms(reading, profiles, ids) or ids
        return self._without(reading.refusals, profiles, ids, reading.kind, unmet), unmet

    @staticmethod
    def _by_terms(reading: Reading, profiles: Profiles, ids: Set[str] | None) -> Set[str] | None:
        """Those that have the question's telling words, as many of them as leave any."""
        for term in sorted(reading.terms, key=lambda t: (len(profiles.with_term(t)), t)):
            having = profiles.with_term(term)
            both = having if ids is None else ids & having
            ids = both or ids
        return ids

    @staticmethod
    def _for(reading: Reading, profiles: Profiles, ids: Set[str]) -> Set[str]:
        """For whom: those that say so; else those that say nothing."""
        if not reading.audience:
            return ids
        stated = {id_: _profile(profiles, id_).audience for id_ in ids}
        fitting = {id_ for id_, audience in stated.items() if audience & reading.audience}
        return fitting or {id_ for id_, audience in stated.items() if not audience} or ids

    def _colored(
        self, reading: Reading, profiles: Profiles, ids: Set[str], unmet: list[str]
    ) -> Set[str]:
        """Those that come in every colour named; a colour that none has is unmet."""
        for color in sorted(reading.colors):
            having = {id_ for id_ in ids if self._comes_in(_profile(profiles, id_), color)}
            if not having and any(_profile(profiles, id_).looks for id_ in ids):
                unmet.append(color)
            ids = having or ids
        return ids

    def _comes_in(self, profile: Profile, color: str) -> bool:
        return any(self._options.is_shade(own, color) for look in profile.looks for own in look)

    def _without(
        self,
        refusals: Iterable[Refusal],
        profiles: Profiles,
        ids: Set[str],
        kind: str | None,
        unmet: list[str],
    ) -> Set[str]:
        for refusal in refusals:
            kept = {
                id_
                for id_ in ids
                if not self._is_refused(_profile(profiles, id_), refusal, kind, profiles)
            }
            if not kept:
                unmet.append(refusal.said)
            ids = kept or ids
        return ids

    def _is_refused(
        self, profile: Profile, refusal: Refusal, kind: str | None, profiles: Profiles
    ) -> bool:
        if refusal.colors:
            return bool(profile.looks) and all(
                any(self._options.is_shade(own, color) for own in look for color in refusal.colors)
                for look in profile.looks
            )
        wanted = set(profiles.profiler.kinds.chain(kind)) if kind else set()
        if refusal.kinds - wanted & profile.kinds:
            return True
        return bool(refusal.terms) and all(says(profile.text, term) for term in refusal.terms)

    def _live(
        self, ids: Set[str], reading: Reading, beyond: Bounds | None, unmet: list[str]
    ) -> Set[str]:
        """By prices and stock, as they are at this moment."""
        products = [p for p in map(self._shelf.get, ids) if p is not None]
        for bounds in (reading.price.bounds, beyond):
            if bounds is None:
                continue
            kept = [p for p in products if any(_within(v, bounds) for v in p.variants)]
            if not kept:
                unmet.append(said(bounds))
            products = kept or products
        if reading.available:
            kept = [p for p in products if any(v.available for v in p.variants)]
            products = kept or products
        return {product.id for product in products}

    @staticmethod
    def _order(reading: Reading, beyond: Bounds | None) -> Order | None:
        price = reading.price
        if price.order is not None or beyond is not None:
            return price.order
        if price.cheaper:
            return "cheapest"
        return "dearest" if price.dearer else None

    def ranked(
        self, ids: Iterable[str], order: Order, locale: Locale, bounds: Bounds | None = None
    ) -> tuple[str, ...]:
        """By price. Currencies are not compared: the shopper's language's products come first."""
        products = [p for p in map(self._shelf.get, ids) if p is not None]
        groups: dict[str, list[Product]] = {}
        for product in products:
            groups.setdefault(product.variants[0].price.currency, []).append(product)
        best = sorted(groups.values(), key=lambda g: (-sum(locale in p.texts for p in g), -len(g)))
        sign = 1 if order == "cheapest" else -1
        return tuple(
            product.id
            for group in best
            for product in sorted(group, key=lambda p: (sign * _price(p, order, bounds), p.id))
        )


def price_of(variant: Variant) -> Decimal:
    """What it costs now."""
    return (variant.sale_price or variant.price).amount


def said(bounds: Bounds) -> str:
    """Bounds in short: "<= 100 USD"."""
    low = "" if bounds.low is None else f">= {bounds.low}"
    high = "" if bounds.high is None else f"<= {bounds.high}"
    return " ".join(part for part in (low, high, bounds.currency or "") if part)


def _price(product: Product, order: Order, bounds: Bounds | None) -> Decimal:
    """The lowest or highest price, within the bounds if any is."""
    prices = [price_of(v) for v in product.variants if bounds is None or _within(v, bounds)]
    prices = prices or [price_of(variant) for variant in product.variants]
    return min(prices) if order == "cheapest" else max(prices)


def _within(variant: Variant, bounds: Bounds) -> bool:
    price = price_of(variant)
    if bounds.currency is not None and variant.price.currency != bounds.currency:
        return False
    if bounds.low is not None and (price < bounds.low or (bounds.strict and price == bounds.low)):
        return False
    return not (
        bounds.high is not None
        and (price > bounds.high or (bounds.strict and price == bounds.high))
    )


def says(text: str, term: str) -> bool:
    """Whether `text`, which is `framed`, has this stem or these characters."""
    return (f" {term} " if term.isascii() else term) in text


def _profile(profiles: Profiles, product_id: str) -> Profile:
    """Of a product that the sets name."""
    profile = profiles.get(product_id)
    if profile is None:
        raise KeyError(product_id)
    return profile
