"""What each product is, in the words that questions are understood by; it follows changes.

A question that filters ("shirts under $40, not red") is answered by sets: products by kind, by
word, by colour. Prices and stock are not kept here: they are read from the records.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Set

from catalog.product import Product
from pipeline.understanding.profiler import Profile, Profiler


class Profiles:
    """The profiles of the products in memory, and sets of product ids by kind and by word."""

    def __init__(self, profiler: Profiler) -> None:
        self.profiler = profiler
        self._profiles: dict[str, Profile] = {}
        self._by_kind: dict[str, set[str]] = {}
        self._by_term: dict[str, set[str]] = {}
        self._brands: Counter[str] = Counter()
        self._mentioned: Counter[str] = Counter()
        self._own: Counter[str] = Counter()

    def copy(self) -> "Profiles":
        """The same, to be changed alone; a profile itself never changes."""
        copied = Profiles(self.profiler)
        copied._profiles = dict(self._profiles)
        copied._by_kind = {kind: set(ids) for kind, ids in self._by_kind.items()}
        copied._by_term = {term: set(ids) for term, ids in self._by_term.items()}
        copied._brands, copied._own = self._brands.copy(), self._own.copy()
        copied._mentioned = self._mentioned.copy()
        return copied

    def add(self, product: Product) -> None:
        """Know `product` from now on."""
        self.remove(product.id)
        profile = self._profiles[product.id] = self.profiler.profile(product)
        self._own.update(profile.own)
        self._brands.update(profile.brands)
        self._mentioned.update(profile.mentioned)
        for kind in profile.kinds:
            self._by_kind.setdefault(kind, set()).add(product.id)
        for term in profile.terms:
            self._by_term.setdefault(term, set()).add(product.id)

    def remove(self, product_id: str) -> None:
        """Forget it, whatever it was."""
        profile = self._profiles.pop(product_id, None)
        if profile is None:
            return
        for counts, gone in (
            (self._own, profile.own),
            (self._brands, profile.brands),
            (self._mentioned, profile.mentioned),
        ):
            _discount(counts, gone)
        _take(self._by_kind, profile.kinds, product_id)
        _take(self._by_term, profile.terms, product_id)

    def get(self, product_id: str) -> Profile | None:
        """The profile of a product that is in memory."""
        return self._profiles.get(product_id)

    def known(self, product_id: str) -> Profile:
        """The same, of one that the sets name. Raises `KeyError`."""
        return self._profiles[product_id]

    def of_kind(self, kind: str) -> Set[str]:
        """The products that are of this kind, or of a sort of it. Not to be kept."""
        return self._by_kind.get(kind, frozenset())

    def with_term(self, term: str) -> Set[str]:
        """The products with this word in title, brand, category or options. Not to be kept."""
        return self._by_term.get(term, frozenset())

    def knows(self, term: str) -> bool:
        """Whether any product has this word."""
        return term in self._by_term

    def is_brand(self, term: str) -> bool:
        """Whether any product has this word in its brand."""
        return term in self._brands

    def carries(self, kind: str) -> bool:
        """Whether any product is of this kind, or of a sort of it, or names it."""
        return kind in self._by_kind or kind in self._mentioned

    def sold(self) -> Mapping[str, int]:
        """The kinds that the shop sells, with how many products each has."""
        return self._own

    def all(self) -> Set[str]:
        """Every product id."""
        return self._profiles.keys()


def _discount(counts: Counter[str], gone: Iterable[str]) -> None:
    for key in gone:
        counts[key] -= 1
        if not counts[key]:
            del counts[key]


def _take(table: dict[str, set[str]], keys: Iterable[str], product_id: str) -> None:
    for key in keys:
        ids = table[key]
        ids.discard(product_id)
        if not ids:
            del table[key]
