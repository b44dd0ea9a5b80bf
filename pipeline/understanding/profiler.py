"""What a product is, in the words that questions are understood by, read from its record."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from catalog.product import Product, Text
from pipeline.facts.options import OptionReader
from pipeline.lexicon.cues import Cues, has_any, phrases
from pipeline.lexicon.kinds import Kinds, Named, head, plain
from pipeline.lexicon.words import Words, framed, shape, terms

Audience = Literal["men", "women", "kids"]
_LIST = re.compile(r"[/、,，;；|]")
_FORM = re.compile(r"\s\S{1,6}款(?=\s|$)")
"""As in "床垫 床笠款": made like one, not one."""
_TAGS = frozenset({"tag", "标签"})
AUDIENCES: tuple[Audience, ...] = ("men", "women", "kids")


@dataclass(frozen=True, slots=True)
class Profile:
    """`kinds`: what it is, and what that is a sort of. `own`: without the broader ones.

    `mentioned` are the kinds that its title, category and options name, whatever it is itself,
    `has` those that its other texts do.
    `audience` is for whom the shop says it is. `looks` are the canonical colours of each form it
    comes in, `sure` whether the shop states them and does not only mention them. `text` is all
    that it says of itself, `framed`; `terms` those of its title, brand, category and options,
    `brands` those of its brand.
    """

    own: frozenset[str]
    kinds: frozenset[str]
    mentioned: frozenset[str]
    has: frozenset[str]
    audience: frozenset[Audience]
    looks: tuple[frozenset[str], ...]
    sure: bool
    text: str
    terms: frozenset[str]
    brands: frozenset[str]


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
        own = frozenset(kind for text in texts for kind in self._kinds(text, product.brand))
        places = framed(" ; ".join(f"{text.title} ; {text.category}" for text in texts))
        values = [
            spelling
            for name, options in product.options.items()
            for value in options
            for spelling in (value, *(text.labels.get(value, "") for text in texts))
        ]
        written = " ; ".join((*(f"{t.title} ; {t.category}" for t in texts), *values))
        told = f"{written} ; {product.brand}"
        rest = " ; ".join(
            part
            for text in texts
            for part in (*(f"{n} {v}" for n, v in text.attributes), text.description)
        )
        sure, looks = self._looks(product)
        return Profile(
            own=own,
            kinds=frozenset(broad for kind in own for broad in self.kinds.chain(kind)),
            mentioned=frozenset(_free(self.kinds.in_text(written))),
            has=frozenset(name.kind for name in self.kinds.in_text(rest)),
            audience=frozenset(w for w in AUDIENCES if has_any(places, self._stated[w])),
            looks=looks,
            sure=sure,
            text=framed(f"{told} ; {rest}"),
            terms=frozenset(terms(told)) - self._stop,
            brands=frozenset(terms(product.brand)) - self._stop,
        )

    def _looks(self, product: Product) -> tuple[bool, tuple[frozenset[str], ...]]:
        """By options, else by title and attributes that list colours, else as described; before
        them, whether they are stated."""
        texts = list(product.texts.values())
        colors = self._options.colors_of
        optional = [
            colors(f"{value} ; {' ; '.join(t.labels.get(value, '') for t in texts)}")
            for values in product.options.values()
            for value in values
        ]
        listed = [
            colors(part)
            for text in texts
            for name, value in text.attributes
            if self._options.names_color(name)
            for part in _LIST.split(value)
        ]
        whole = [colors(" ; ".join(text.title for text in texts))]
        described = [colors(" ; ".join(text.description for text in texts))]
        for looks in (optional, listed + whole, described):
            if told := [look for look in looks if look]:
                return looks is not described, tuple(told)
        return False, ()

    def _kinds(self, text: Text, brand: str) -> Iterable[str]:
        """What the title's head says, set right by the category; else what the category says,
        the tags, or the description first."""
        title = plain(_FORM.sub("", text.title))
        named = _unbranded(self.kinds.named(title), title, brand)
        name = head(named, self.limit(title))
        category = [found.kind for found in self.kinds.in_text(_leaf(text.category))]
        rest = f"{self._tags(text)} ; {text.description.replace(text.title, ' ; ')}"
        if name is None:
            return category or self._first(rest)
        root = [*self.kinds.chain(name.kind)][-1]
        other = [k for k in category if root not in self.kinds.chain(k)]
        if other and not any(self.kinds.is_broad(kind) for kind in other):
            return [*other, name.kind]
        return [name.kind, *(k for k in category if self._same_line(k, name.kind))]

    def _same_line(self, one: str, other: str) -> bool:
        return one in self.kinds.chain(other) or other in self.kinds.chain(one)

    def _first(self, text: str) -> list[str]:
        """The first kind that `text` names, rather a narrow one."""
        kinds = [name.kind for name in self.kinds.in_text(text)]
        return [k for k in kinds if not self.kinds.is_broad(k)][:1] or kinds[:1]

    @staticmethod
    def _tags(text: Text) -> str:
        return " ; ".join(value for name, value in text.attributes if shape(name).strip() in _TAGS)

    def limit(self, text: str) -> int:
        """Where a noun phrase ends and what it is for, with or from begins."""
        places = [at for at in (text.find(end) for end in self._ends) if at > 0]
        return min(places, default=len(text)) + 1


def _unbranded(named: list[Named], title: str, brand: str) -> list[Named]:
    """Without those that only say the brand: Apple's charger is no apple."""
    mark = plain(brand)
    at = title.find(mark) if len(mark) > 2 else -1
    return [n for n in named if at < 0 or not at < n.start < n.end < at + len(mark)]


def _free(named: list[Named]) -> Iterator[str]:
    """The kinds that are not the first part of a compound: 绿茶蛋黄酥 is no tea."""
    for name, following in zip_longest(named, named[1:]):
        if following is None or following.start - name.end > 1:
            yield name.kind


def _leaf(category: str) -> str:
    """The narrowest part of a category such as "Men > Shirts"."""
    return category.rsplit(">", 1)[-1].strip()
