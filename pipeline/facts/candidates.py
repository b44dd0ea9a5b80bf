"""What a record has to say, each fact with how well it fits a question."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from catalog.product import Locale, Product, Variant
from pipeline.facts.asked import Asked
from pipeline.facts.choices import Choice
from pipeline.facts.offers import Live, live_facts
from pipeline.facts.options import OptionReader
from pipeline.lexicon.sentences import sentences
from pipeline.lexicon.words import Words

_ASKED = 4.5
"""The score of a price or stock that was asked for: as much as an attribute asked by its name."""
_LONG = 600
"""Bytes, about 150 tokens. The texts of a longer record do not stand in the prompt as a whole, or
are too many to find something in."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact to stand beside the question; `kind` says which fields count.

    detail: `name` and `value`; price and stock: `live`, of the variant `asked` for; choice:
    `choice`; product: `name` is its title, and `live`.
    """

    kind: Literal["detail", "price", "stock", "choice", "product"]
    name: str = ""
    value: str = ""
    asked: tuple[str, ...] = ()
    live: Live | None = None
    choice: Choice | None = None


Scored = tuple[float, Fact]
"""A fact and its score."""


class Candidates:
    """Scores the facts of a record; what is true of options is derived, not scored."""

    def __init__(self, lexicons: Mapping[Locale, Words], options: OptionReader) -> None:
        self._lexicons, self._options = lexicons, options

    def live(
        self,
        asked: Asked,
        product: Product,
        variants: Sequence[Variant],
        locale: Locale,
        *,
        told: bool,
    ) -> Iterator[Scored]:
        """Price and stock, if asked for; a choice that is `told` says the stock already."""
        stock = "stock" in asked.topics and not told
        if not stock and "price" not in asked.topics:
            return
        live = live_facts(product, variants, locale, self._options)
        names: tuple[str, ...] = ()
        if len(variants) == 1 < len(product.variants):
            names = tuple(self._options.say(product, v, locale) for _, v in variants[0].options)
        if "price" in asked.topics:
            yield _ASKED, Fact("price", asked=names, live=live)
        if stock:
            yield _ASKED, Fact("stock", asked=names, live=live)

    def details(self, asked: Asked, product: Product, locale: Locale) -> Iterator[Scored]:
        """Every attribute, and every sentence of the description as one without a name."""
        text = product.text(locale)
        labels = self._lexicons[locale].labels
        if product.brand:
            yield _detail(asked, labels["brand"], product.brand)
        for name, value in text.attributes:
            yield _detail(asked, name, value)
        if text.category:
            yield _detail(asked, labels["category"], text.category)
        for sentence in sentences(text.description):
            yield _detail(asked, "", sentence)


def is_long(product: Product, locale: Locale) -> bool:
    """Whether the record has more to say than a reader finds at once."""
    text = product.text(locale)
    told = (text.description, *(part for pair in text.attributes for part in pair))
    return sum(len(part.encode(errors="replace")) for part in told) > _LONG


def _detail(asked: Asked, name: str, value: str) -> Scored:
    return asked.score(name, value), Fact("detail", name, value)
