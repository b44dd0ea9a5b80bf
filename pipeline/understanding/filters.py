"""Which products satisfy what a question demands, by sets of ids and the records of the moment.

Kinds, colours and words are looked up in indexes; texts, prices and stock are compared only within
the set that these have left, and only if it is not too large for that.
"""

from collections.abc import Iterable, Set
from dataclasses import dataclass
from itertools import islice

from catalog.product import Locale, Product
from pipeline.facts.options import OptionReader
from pipeline.found import Bounds, Order
from pipeline.records import Records
from pipeline.understanding.prices import is_within, price_in_order, said
from pipeline.understanding.profiler import Profile
from pipeline.understanding.profiles import Profiles
from pipeline.understanding.reading import Reading, Refusal

_TITLE = 4
"""A question with so many words of products quotes one, and its colours may be the title's."""
_FEW = 20
MOST = 2000
"""Above so many, products are first looked for by relevance."""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """`ids`: the products that will do, None if nothing was demanded or there are too `many`.

    `ranked`: the same by price, if an order was asked for. `unmet`: what nothing satisfies.
    """

    ids: frozenset[str] | None
    ranked: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    many: Set[str] | None = None


class Filters:
    """Narrows the products in memory."""

    def __init__(self, records: Records, options: OptionReader) -> None:
        self._records, self._options = records, options

    def narrow(
        self,
        reading: Reading,
        profiles: Profiles,
        locale: Locale,
        within: Set[str] | None = None,
        beyond: Bounds | None = None,
    ) -> Narrowed:
        """What satisfies `reading`, among `within` if given; `beyond` is a price of comparison."""
        ids = self._base(reading, profiles, within, locale)
        if ids is None:
            return Narrowed(None)
        if len(ids) > MOST:
            return Narrowed(None, many=ids)
        unmet: list[str] = []
        ids = self._told(reading, profiles, ids, unmet)
        ids = self._live(ids, reading, beyond, unmet)
        order = self._order(reading, beyond)
        ranked = self._ranked(ids, order, locale, reading.price.bounds) if order else ()
        return Narrowed(frozenset(ids), ranked, tuple(unmet))

    def _foreign(self, ids: Set[str], locale: Locale) -> bool:
        """Whether none of a few products has a text in the shopper's language: their words will
        not find them."""
        products = [self._records.get(id_) for id_ in islice(ids, _FEW)]
        return all(product is None or locale not in product.texts for product in products)

    def _base(
        self, reading: Reading, profiles: Profiles, within: Set[str] | None, locale: Locale
    ) -> Set[str] | None:
        """Where to look: by kind, else by the words named; None if anywhere will do."""
        of_kind = profiles.of_kind(reading.kind) if reading.kind is not None else frozenset[str]()
        given = within is not None
        if of_kind:
            within = of_kind if within is None else (of_kind & within or within)
        if within is not None:
            if reading.filters or given:
                return within
            known = sum(profiles.knows(term) for term in reading.terms)
            looks = reading.colors or reading.audience or (reading.brands and not reading.refers)
            asks = reading.sells or (reading.short and not reading.refers)
            plain = asks and not known
            if (looks and known < _TITLE) or plain or self._foreign(within, locale):
                return within
            return None
        if not reading.filters:
            return None
        by_terms = self._with_terms(reading, profiles, None)
        if by_terms is None and len(profiles.all()) <= MOST:
            return profiles.all()
        return by_terms

    def _told(
        self, reading: Reading, profiles: Profiles, ids: Set[str], unmet: list[str]
    ) -> Set[str]:
        """By what the products say of themselves."""
        ids = self._for(reading, profiles, ids)
        for brand in reading.brands:
            ids = ids & profiles.with_term(brand) or ids
        ids = self._colored(reading, profiles, ids, unmet)
        if reading.filters:
            ids = self._with_terms(reading, profiles, ids) or ids
        else:
            for number in (term for term in reading.terms if term.isdigit() and len(term) > 1):
                ids = ids & profiles.with_term(number) or ids
        return self._without(reading, profiles, ids, unmet)

    @staticmethod
    def _with_terms(reading: Reading, profiles: Profiles, ids: Set[str] | None) -> Set[str] | None:
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
        stated = {id_: profiles.known(id_).audience for id_ in ids}
        fitting = {id_ for id_, audience in stated.items() if audience & reading.audience}
        return fitting or {id_ for id_, audience in stated.items() if not audience} or ids

    def _colored(
        self, reading: Reading, profiles: Profiles, ids: Set[str], unmet: list[str]
    ) -> Set[str]:
        """Those that come in every colour named; a colour that none has is unmet."""
        for color in sorted(reading.colors):
            having = {id_ for id_ in ids if self.comes_in(profiles.known(id_), color)}
            if not having and any(profiles.known(id_).looks for id_ in ids):
                unmet.append(color)
            ids = having or ids
        for shade in reading.shades:
            ids = {id_ for id_ in ids if shade in profiles.known(id_).text} or ids
        return ids

    def comes_in(self, profile: Profile, color: str) -> bool:
        """Whether any form of a product has this canonical colour, or a shade of it."""
        return any(self._options.is_shade(own, color) for look in profile.looks for own in look)

    def _without(
        self, reading: Reading, profiles: Profiles, ids: Set[str], unmet: list[str]
    ) -> Set[str]:
        wanted = set(profiles.profiler.kinds.chain(reading.kind)) if reading.kind else set()
        for refusal in reading.refusals:
            kept = {id_ for id_ in ids if not self.refused(profiles.known(id_), refusal, wanted)}
            if not kept:
                unmet.append(refusal.said)
            ids = kept or ids
        return ids

    def refused(self, profile: Profile, refusal: Refusal, wanted: Set[str]) -> bool:
        """Whether a product is what is refused, in every form it comes in; a refused kind counts
        unless it is `wanted`."""
        if refusal.colors:
            return bool(profile.looks) and all(
                any(self._options.is_shade(own, color) for own in look for color in refusal.colors)
                for look in profile.looks
            )
        if refusal.brands and refusal.brands <= profile.terms:
            return True
        if (refusal.kinds - wanted) & profile.kinds:
            return True
        return bool(refusal.terms) and all(says(profile.text, term) for term in refusal.terms)

    def _live(
        self, ids: Set[str], reading: Reading, beyond: Bounds | None, unmet: list[str]
    ) -> Set[str]:
        """By prices and stock, as they are at this moment."""
        products = [p for p in map(self._records.get, ids) if p is not None]
        for bounds in filter(None, (reading.price.bounds, beyond)):
            kept = [p for p in products if any(is_within(v, bounds) for v in p.variants)]
            if not kept:
                unmet.append(said(bounds))
            products = kept or products
        if reading.sold_out:
            products = [p for p in products if not any(v.available for v in p.variants)] or products
        elif reading.available:
            products = [p for p in products if any(v.available for v in p.variants)] or products
        return {product.id for product in products}

    @staticmethod
    def _order(reading: Reading, beyond: Bounds | None) -> Order | None:
        price = reading.price
        if price.order is not None or beyond is not None:
            return price.order
        if price.cheaper:
            return "cheapest"
        return "dearest" if price.dearer else None

    def _ranked(
        self, ids: Iterable[str], order: Order, locale: Locale, bounds: Bounds | None
    ) -> tuple[str, ...]:
        """By price. Currencies are not compared: the shopper's language's products come first."""
        products = [p for p in map(self._records.get, ids) if p is not None]
        groups: dict[str, list[Product]] = {}
        for product in products:
            groups.setdefault(product.variants[0].price.currency, []).append(product)
        best = sorted(groups.values(), key=lambda g: (-sum(locale in p.texts for p in g), -len(g)))
        sign = 1 if order == "cheapest" else -1
        return tuple(
            product.id
            for group in best
            for product in sorted(
                group, key=lambda p: (sign * price_in_order(p, order, bounds), p.id)
            )
        )


def says(text: str, term: str) -> bool:
    """Whether `text`, which is `framed`, has this stem or these characters."""
    return (f" {term} " if term.isascii() else term) in text
