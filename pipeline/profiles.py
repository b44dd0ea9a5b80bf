"""What each product is, in the words that questions are understood by; it follows changes.

A question that filters ("shirts under $40, not red") is answered by sets: products by kind, by
word, by colour. Prices and stock are not kept here: they are read from the records.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from catalog.product import Product, Text
from pipeline.cues import Cues, has_any, phrases
from pipeline.kinds import Kinds, head
from pipeline.options import OptionReader
from pipeline.words import Words, framed, terms

Audience = Literal["men", "women", "kids"]
AUDIENCES: tuple[Audience, ...] = ("men", "women", "kids")


@dataclass(frozen=True, slots=True)
class Profile:
    """`kinds`: what it is, and what that is a sort of. `own`: without the broader ones.

    `audience` is for whom the shop says it is. `colors` are canonical. `text` is its title, brand,
    category and attributes, `framed`; `terms` those of its title, brand, category and options.
    """

    own: frozenset[str]
    kinds: frozenset[str]
    audience: frozenset[Audience]
    colors: frozenset[str]
    text: str
    title: str
    terms: frozenset[str]


class Profiler:
    """Reads profiles from records."""

    def __init__(
        self, kinds: Kinds, options: OptionReader, cues: Iterable[Cues], lexicons: Iterable[Words]
    ) -> None:
        every = tuple(cues)
        self.kinds = kinds
        self._options = options
        self._stated = {
            who: phrases(word for c in every for word in c.words("audience_stated", who))
            for who in AUDIENCES
        }
        self._ends = tuple(
            f" {word} " for c in every for word in c.words("heads") if word.isascii()
        )
        self._stop = frozenset[str]().union(*(words.stop for words in lexicons))

    def profile(self, product: Product) -> Profile:
        """What `product` is."""
        texts = list(product.texts.values())
        own = frozenset(kind for text in texts for kind in self._kinds(text))
        titles = framed(" ; ".join(f"{text.title} ; {_leaf(text.category)}" for text in texts))
        attributes = " ; ".join(f"{n} {v}" for text in texts for n, v in text.attributes)
        values = [
            spelling
            for name, options in product.options.items()
            for value in options
            for spelling in (value, *(text.labels.get(value, "") for text in texts))
        ]
        told = f"{titles} ; {product.brand} ; {' ; '.join(values)}"
        return Profile(
            own=own,
            kinds=frozenset(broad for kind in own for broad in self.kinds.chain(kind)),
            audience=frozenset(w for w in AUDIENCES if has_any(titles, self._stated[w])),
            colors=self._options.colors_of(" ; ".join(text.title for text in texts))
            | self._options.colors_of(" ; ".join(values)),
            text=framed(f"{told} ; {attributes}"),
            title=titles,
            terms=frozenset(terms(told)) - self._stop,
        )

    def _kinds(self, text: Text) -> Iterable[str]:
        """The title's head, and the category's; without either, what the description says first."""
        title, category = framed(text.title), framed(_leaf(text.category))
        found = []
        if (named := head(self.kinds.named(title), self.limit(title))) is not None:
            found.append(named.kind)
        found += [name.kind for name in self.kinds.named(category)]
        if not found:
            first = framed(text.description[:200])
            found += [name.kind for name in self.kinds.named(first)[:1]]
        return found

    def limit(self, text: str) -> int:
        """Where a noun phrase ends and what it is for, with or from begins."""
        places = [at for at in (text.find(end) for end in self._ends) if at > 0]
        return min(places, default=len(text)) + 1


class Profiles:
    """The profiles of a shelf's products, and sets of product ids by kind and by word."""

    def __init__(self, profiler: Profiler) -> None:
        self.profiler = profiler
        self._profiles: dict[str, Profile] = {}
        self._by_kind: dict[str, set[str]] = {}
        self._by_term: dict[str, set[str]] = {}
        self._own: Counter[str] = Counter()

    def add(self, product: Product) -> None:
        """Know `product` from now on."""
        self.remove(product)
        profile = self._profiles[product.id] = self.profiler.profile(product)
        self._own.update(profile.own)
        for kind in profile.kinds:
            self._by_kind.setdefault(kind, set()).add(product.id)
        for term in profile.terms:
            self._by_term.setdefault(term, set()).add(product.id)

    def remove(self, product: Product) -> None:
        """Forget it, whatever it was."""
        profile = self._profiles.pop(product.id, None)
        if profile is None:
            return
        self._own -= Counter(profile.own)
        _take(self._by_kind, profile.kinds, product.id)
        _take(self._by_term, profile.terms, product.id)

    def get(self, product_id: str) -> Profile | None:
        """The profile of a product that is on the shelf."""
        return self._profiles.get(product_id)

    def of_kind(self, kind: str) -> frozenset[str]:
        """The products that are of this kind, or of a sort of it."""
        return frozenset(self._by_kind.get(kind, ()))

    def with_term(self, term: str) -> frozenset[str]:
        """The products that have this word in their title, brand, category or options."""
        return frozenset(self._by_term.get(term, ()))

    def knows(self, term: str) -> bool:
        """Whether any product has this word."""
        return term in self._by_term

    def sold(self) -> Mapping[str, int]:
        """The kinds that the shop sells, with how many products each has."""
        return self._own

    def all(self) -> frozenset[str]:
        """Every product id."""
        return frozenset(self._profiles)


def _leaf(category: str) -> str:
    """The narrowest part of a category such as "Men > Shirts"."""
    return category.rsplit(">", 1)[-1].strip()


def _take(table: dict[str, set[str]], keys: Iterable[str], product_id: str) -> None:
    for key in keys:
        ids = table[key]
        ids.discard(product_id)
        if not ids:
            del table[key]
