"""What a question leans on: the page, what the conversation showed, or nothing.

A shopper on a page or in a conversation means its product until something else is named.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from catalog.product import LOCALES, Locale, Product
from pipeline.facts.options import OptionReader
from pipeline.found import Bounds
from pipeline.lexicon.words import framed, terms
from pipeline.records import Records
from pipeline.types import Turn
from pipeline.understanding.filters import says
from pipeline.understanding.prices import price_of
from pipeline.understanding.profiler import Profile
from pipeline.understanding.profiles import Profiles
from pipeline.understanding.reading import Reading

Reference = Literal["page", "conversation", "none"]
_STUFF = frozenset({"material", "fabric", "filling"})
"""Topics whose words are things that products are made of."""
_TELLING = 2
"""Words of another product's that name it."""


@dataclass(frozen=True, slots=True)
class Focus:
    """`products`: those that it is about, the first above all; then nothing is searched.

    Otherwise `within`: where to search, None for everywhere; `wider`: where else if nothing there
    will do. `beyond`: a price to be below or
    above. `prefer`: products that come first if they satisfy.
    """

    reference: Reference = "none"
    products: tuple[str, ...] = ()
    within: Set[str] | None = None
    wider: Set[str] | None = None
    beyond: Bounds | None = None
    prefer: tuple[str, ...] = ()


class FollowUps:
    """Finds what questions lean on."""

    def __init__(self, records: Records, options: OptionReader) -> None:
        self._records, self._options = records, options

    def focus(
        self,
        reading: Reading,
        profiles: Profiles,
        page: str | None,
        turns: Sequence[Turn],
        locale: Locale,
    ) -> Focus:
        """What `reading` leans on."""
        shown = [ids for ids in (self._known(t.product_ids, profiles) for t in turns) if ids]
        if reading.place is not None and shown:
            several = next((ids for ids in reversed(shown) if len(ids) > 1), shown[-1])
            if reading.place < len(several):
                return Focus("conversation", (several[reading.place],))
        if reading.other_one and (other := _other_of_two(shown)):
            return Focus("conversation", (other,))
        on_page = self._known((page,) if page else (), profiles)
        current = on_page or (shown[-1] if shown else ())
        if not current:
            return Focus()
        reference: Reference = "page" if on_page else "conversation"
        earlier = [id_ for ids in reversed(shown) for id_ in ids if id_ not in current]
        return self._lean(reading, profiles, reference, current, earlier, locale)

    def _lean(
        self,
        reading: Reading,
        profiles: Profiles,
        reference: Reference,
        current: tuple[str, ...],
        earlier: Sequence[str],
        locale: Locale,
    ) -> Focus:
        about = profiles.known(current[0])
        if reading.kind is not None:
            same = tuple(id_ for id_ in current if reading.kind in profiles.known(id_).kinds)
            if not same:
                if reading.goes_with and (within := profiles.of_kind(reading.kind)):
                    return Focus(reference, (), within, prefer=_belonging(profiles, about, within))
                return self._other_kind(reading, profiles, reference, current, earlier)
            if not reading.refers and self._names_another(reading, profiles, current):
                return Focus()
            if reading.filters or reading.another:
                return self._filtered(reading, profiles, reference, same)
            fresh = reading.sells or reading.listing
            if fresh and not (reading.refers or reading.definite) and reading.colors:
                return Focus(reference, (), profiles.of_kind(reading.kind), prefer=same)
            return Focus(reference, (*same, *(id_ for id_ in current if id_ not in same)))
        if reading.comparative and not reading.refers and not self._has_sizes(current[0]):
            return Focus(reference, (), self._alike(profiles, current))
        if reading.another or reading.filters or reading.refusals:
            return self._filtered(reading, profiles, reference, current)
        others = about.audience and reading.audience and not about.audience & reading.audience
        if others and not reading.refers and not reading.fits:
            return Focus(reference, (), self._alike(profiles, current))
        if not reading.refers and self._leaves(reading, profiles, current, locale):
            return Focus()
        if turned := self._turned_to(reading, profiles, current):
            return Focus(reference, (), turned)
        return Focus(reference, self._meant(reading, profiles, current, about))

    def _has_sizes(self, id_: str) -> bool:
        """Whether a bigger one may be another size of the same."""
        product = self._records.get(id_)
        options = product.options if product is not None else ()
        return any(product is not None and self._options.is_size(product, o) for o in options)

    def _turned_to(
        self, reading: Reading, profiles: Profiles, current: tuple[str, ...]
    ) -> Set[str]:
        """Others of the kind, of which alone a word is true: 羊毛的呢, of a cotton rug."""
        if not reading.turns or reading.refers or reading.topics - _STUFF:
            return frozenset()
        texts = " ".join(profiles.known(id_).text for id_ in current)
        alike = self._alike(profiles, current)
        new = (term for term in sorted(reading.terms) if not says(texts, term))
        found = (alike & profiles.with_term(term) for term in new)
        return next((ids for ids in found if ids), frozenset())

    def _other_kind(
        self,
        reading: Reading,
        profiles: Profiles,
        reference: Reference,
        current: tuple[str, ...],
        earlier: Sequence[str],
    ) -> Focus:
        """A kind is named that the product at hand is not of."""
        kind = reading.kind or ""
        back = [id_ for id_ in earlier if kind in profiles.known(id_).kinds]
        if back and not (reading.sells or reading.filters):
            return Focus("conversation", tuple(back))
        has = kind in profiles.known(current[0]).has
        beside = reading.points or has or reading.fits
        asks = (reading.sells and not has) or reading.filters or reading.another or reading.trades
        if beside and not asks:
            return Focus(reference, current)
        return Focus()

    def _filtered(
        self,
        reading: Reading,
        profiles: Profiles,
        reference: Reference,
        current: tuple[str, ...],
    ) -> Focus:
        """Another one, a cheaper one, the cheapest of these, none in red."""
        price = reading.price
        if reading.another or ((price.cheaper or price.dearer) and not price.order):
            if reading.colors and not reading.another:
                return Focus(reference, current)
            among = self._alike(profiles, current) - set(current)
            points = reading.listing or reading.refers or reading.definite
            if len(current) > 1 and points and not reading.another and not reading.than:
                return Focus(reference, (), frozenset(current))
            beyond = None
            if price.cheaper or price.dearer:
                beyond = self._beyond(current, cheaper=price.cheaper)
            return (
                Focus(reference, (), among, beyond=beyond) if among else Focus(reference, current)
            )
        if len(current) > 1:
            return Focus(reference, (), frozenset(current), self._alike(profiles, current))
        if reading.available and not reading.listing:
            return Focus(reference, current)
        several = len(profiles.known(current[0]).looks) > 1
        if several and reading.refusals and not price.bounds and not price.order:
            return Focus(reference, current)
        if reading.refers and not reading.listing and not reading.sells:
            return Focus(reference, current)
        return Focus(reference, (), self._alike(profiles, current))

    def _alike(self, profiles: Profiles, current: tuple[str, ...]) -> Set[str]:
        """The products of the same kind, the narrowest that has others."""
        own = profiles.known(current[0]).own
        sets = sorted((profiles.of_kind(kind) for kind in own), key=len)
        wider = [
            profiles.of_kind(broad) for kind in own for broad in profiles.profiler.kinds.chain(kind)
        ]
        return next((ids for ids in (*sets, *wider) if len(ids) > 1), frozenset(current))

    def _beyond(self, current: tuple[str, ...], *, cheaper: bool) -> Bounds | None:
        """Below the cheapest of these, or above the dearest."""
        products = [p for p in map(self._records.get, current) if p is not None]
        currency = products[0].variants[0].price.currency
        prices: list[Decimal] = [
            price_of(v) for p in products for v in p.variants if v.price.currency == currency
        ]
        if cheaper:
            return Bounds(None, min(prices), currency, strict=True)
        return Bounds(max(prices), None, currency, strict=True)

    def _names_another(
        self, reading: Reading, profiles: Profiles, current: tuple[str, ...]
    ) -> bool:
        """Whether a word tells another product of the kind from those at hand."""
        ids = profiles.of_kind(reading.kind or "")
        texts = " ".join(profiles.known(id_).text for id_ in current)
        say = profiles.profiler.kinds.say
        usual = {say(reading.kind, locale) for locale in LOCALES} if reading.kind else set()
        told = reading.terms | frozenset(terms(reading.said) if reading.said not in usual else ())
        return any(not says(texts, term) and profiles.with_term(term) & ids for term in told)

    def _leaves(
        self, reading: Reading, profiles: Profiles, current: tuple[str, ...], locale: Locale
    ) -> bool:
        """Whether something else is named, though no kind that is known."""
        texts = " ".join(profiles.known(id_).text for id_ in current)
        new = [term for term in reading.terms if not says(texts, term)]
        if any(profiles.is_brand(term) for term in new):
            return True
        known = [profiles.with_term(term) for term in new if profiles.knows(term)]
        if len(known) >= _TELLING and len(frozenset.intersection(*map(frozenset, known))) > 0:
            return True
        product = self._records.get(current[0])
        if not (reading.sells and new) or reading.topics or reading.colors or product is None:
            return False
        if not any(term.isascii() or profiles.knows(term) for term in new):
            return False
        return len(new) == len(reading.terms) and not self._wishes(reading, product, locale)

    def _wishes(self, reading: Reading, product: Product, locale: Locale) -> bool:
        return bool(self._options.wishes(framed(reading.text), product, locale))

    def _meant(
        self, reading: Reading, profiles: Profiles, current: tuple[str, ...], about: Profile
    ) -> tuple[str, ...]:
        """The products at hand, the one that a colour or a word singles out first."""
        if len(current) == 1:
            return current
        if reading.colors and not reading.refers:
            for id_ in current:
                looks = profiles.known(id_).looks
                if any(
                    self._options.is_shade(own, color)
                    for look in looks for own in look for color in reading.colors
                ):  # fmt: skip
                    return (id_, *(other for other in current if other != id_))
        told = {id_: _told(reading, profiles.known(id_)) for id_ in current}
        if max(told.values()) > told[current[0]]:
            return tuple(sorted(current, key=lambda id_: -told[id_]))
        return current

    def _known(self, ids: Sequence[str], profiles: Profiles) -> tuple[str, ...]:
        return tuple(id_ for id_ in ids if self._records.get(id_) is not None and profiles.get(id_))


def _other_of_two(shown: Sequence[Sequence[str]]) -> str | None:
    """Of two that were shown, the one that the last turn was not about."""
    two = next((ids for ids in reversed(shown) if len(ids) == len(set(ids)) == 2), None)
    if two is None:
        return None
    return two[0] if shown[-1][0] == two[1] and len(shown[-1]) == 1 else two[1]


def _belonging(profiles: Profiles, about: Profile, within: Set[str]) -> tuple[str, ...]:
    """Those that share words with a product as things of one series do, the most first."""
    shared = {id_: len(profiles.known(id_).terms & about.terms) for id_ in within}
    most = max(shared.values())
    return tuple(sorted(id_ for id_, count in shared.items() if count == most > 0))


def _told(reading: Reading, profile: Profile) -> int:
    """How many of the question's words the product's title and brand have."""
    return len(reading.terms & profile.terms)
