"""The fitting facts: which one to three facts of a record answer a question.

A small model finds a fact that stands beside the question far more often than one in the middle
of a product's text, so the prompt repeats it there. Choosing is deterministic and takes no model:
topics that the question names (`words.json`), names and values that it shares with the record,
options that it asks for. Live facts are read from the record given, at this moment.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from catalog.product import Locale, Product, Variant
from pipeline.facts.asked import Asked, Lexicon
from pipeline.facts.choices import Choice, ChoiceReader, matching
from pipeline.facts.offers import Live, Row, live_facts, row
from pipeline.facts.options import OptionReader, Wish
from pipeline.lexicon.sentences import sentences
from pipeline.lexicon.words import Words, fold, shape

MOST_FACTS = 3
_ASKED = 4.5
"""The score of a price or stock that was asked for: as much as an attribute asked by its name."""
_SENTENCE = 0.9
"""A sentence of the description counts a little less than an attribute that shares as much."""
_LEAST = 0.4
"""A candidate that shares less than this with the question is no answer to it."""
_TOUCHED = 0.3
"""What is shared at least by a fact that a model may make something of."""
_NEAR = 0.9
"""How far below the best candidate another may lie and still be told."""
_NAMED = 0.6
"""The part of a title's telling words by which a question names it."""
_ON_TOPIC = 2.0
"""What a fact beside a choice must score: sharing a word with the question is not enough."""


Fits = Callable[[Variant], bool]
"""Whether a variant will do."""


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


class FactFinder:
    """Chooses facts, with the words of every language."""

    def __init__(self, lexicons: Mapping[Locale, Words]) -> None:
        self._lexicons = lexicons
        self._lexicon = Lexicon(lexicons.values())
        self.options = OptionReader(lexicons)
        self._choices = ChoiceReader(self.options)

    def fitting(
        self, question: str, product: Product, locale: Locale, sku: str | None = None
    ) -> tuple[Fact, ...]:
        """The facts of `product` that answer `question`, the best first; none if none fits.

        `sku` is the variant that the shopper looks at: its price and stock are the ones asked for
        unless the question names others.
        """
        asked = Asked(question, product, self._lexicon)
        wishes = self.options.wishes(asked.text, product, locale)
        facts = [Fact("choice", choice=c) for c in self._choices.choices(wishes, product, locale)]
        facts += self._open_choices(asked, product, locale, wishes)
        variants = _meant(product, wishes, sku)
        scored = [
            *self._live(asked, product, variants, locale, told=bool(facts)),
            *self._details(asked, product, locale),
        ]
        least = _ON_TOPIC if facts else _LEAST
        best = max((score for score, _ in scored), default=0.0)
        near = [(score, fact) for score, fact in scored if score >= max(least, best - _NEAR)]
        facts += [fact for _, fact in sorted(near, key=lambda pair: -pair[0])]
        return tuple(facts[:MOST_FACTS])

    def introduce(self, product: Product, locale: Locale) -> Fact:
        """What it is called, costs, and whether it can be had."""
        live = live_facts(product, product.variants, locale, self.options)
        return Fact("product", name=product.text(locale).title, live=live)

    def row(self, question: str, product: Product, locale: Locale, fits: Fits) -> Row:
        """`product` as one of several that `question` asks for: its variants that are meant, of
        those the ones that `fits`."""
        asked = Asked(question, product, self._lexicon)
        wishes = [w for w in self.options.wishes(asked.text, product, locale) if w.values]
        meant = _meant(product, wishes, None)
        names = tuple(wish.said for wish in wishes) if len(meant) < len(product.variants) else ()
        meant = [variant for variant in meant if fits(variant)] or meant
        return row(product.text(locale).title, names, meant)

    def say_color(self, color: str, locale: Locale) -> str:
        """A canonical colour in the shopper's language; anything else as it is."""
        return self._lexicons[locale].color_names.get(color, color)

    def named(self, question: str, product: Product) -> float:
        """Which part of what tells in the title of `product` is in `question`, from 0 to 1; a
        title of one word counts for nothing."""
        words = self._lexicon.telling(fold(question))
        titles = (self._lexicon.telling(text.title) for text in product.texts.values())
        return max((len(t & words) / len(t) for t in titles if len(t) > 1), default=0.0)

    def asks_of_one(self, question: str, product: Product) -> bool:
        """Whether `question` names `product`."""
        return self.named(question, product) >= _NAMED

    def topics(self, question: str, product: Product) -> frozenset[str]:
        """What `question` asks about `product`."""
        return Asked(question, product, self._lexicon).topics

    def is_open(self, question: str, product: Product) -> bool:
        """Whether `question` asks nothing in particular about `product`."""
        asked = Asked(question, product, self._lexicon)
        return not asked.terms and not asked.topics

    def knows(self, question: str, product: Product, locale: Locale, sku: str | None) -> bool:
        """Whether the record may answer `question`: some fact of it shares something with it, or
        the question asks for nothing in particular."""
        if self.is_open(question, product):
            return True
        asked = Asked(question, product, self._lexicon)
        if self.fitting(question, product, locale, sku):
            return True
        return any(score >= _TOUCHED for score, _ in self._details(asked, product, locale))

    def _open_choices(
        self, asked: Asked, product: Product, locale: Locale, wishes: Sequence[Wish]
    ) -> Iterator[Fact]:
        """Which values an option has, when the question asks for the option and names none."""
        named = {wish.option for wish in wishes}
        for name in product.options:
            if name in named:
                continue
            topic = ""
            if self.options.is_color(product, name):
                topic = "color"
            elif self.options.is_size(product, name):
                topic = "size"
            label = shape(self.options.name(product, name, locale))
            if topic in asked.topics or label in asked.text:
                yield Fact("choice", choice=self._choices.all_of(name, product, locale))

    def _live(
        self,
        asked: Asked,
        product: Product,
        variants: Sequence[Variant],
        locale: Locale,
        *,
        told: bool,
    ) -> Iterator[tuple[float, Fact]]:
        """Price and stock, if asked for; a choice that is `told` says the stock already."""
        stock = "stock" in asked.topics and not told
        if not stock and "price" not in asked.topics:
            return
        live = live_facts(product, variants, locale, self.options)
        names: tuple[str, ...] = ()
        if len(variants) == 1 < len(product.variants):
            names = tuple(self.options.say(product, v, locale) for _, v in variants[0].options)
        if "price" in asked.topics:
            yield _ASKED, Fact("price", asked=names, live=live)
        if stock:
            yield _ASKED, Fact("stock", asked=names, live=live)

    def _details(
        self, asked: Asked, product: Product, locale: Locale
    ) -> Iterator[tuple[float, Fact]]:
        text = product.text(locale)
        labels = self._lexicons[locale].labels
        if product.brand:
            yield self._detail(asked, labels["brand"], product.brand)
        for name, value in text.attributes:
            yield self._detail(asked, name, value)
        if text.category:
            yield self._detail(asked, labels["category"], text.category)
        for sentence in sentences(text.description):
            yield _SENTENCE * asked.share(sentence), Fact("detail", "", sentence)

    @staticmethod
    def _detail(asked: Asked, name: str, value: str) -> tuple[float, Fact]:
        return asked.score(name, value), Fact("detail", name, value)


def _meant(product: Product, wishes: Sequence[Wish], sku: str | None) -> Sequence[Variant]:
    """The variants that a question about price or stock means."""
    chosen: dict[str, list[str]] = {}
    for wish in wishes:
        chosen.setdefault(wish.option, []).extend(wish.values)
    if wished := {option: values for option, values in chosen.items() if values}:
        return matching(product.variants, wished) or product.variants
    return [variant for variant in product.variants if variant.sku == sku] or product.variants
