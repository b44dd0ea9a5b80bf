"""The fitting facts: which one to three facts of a record stand beside a question.

A small model finds a fact that stands beside the question far more often than one in the middle
of a product's text, so the prompt repeats it there. Choosing is deterministic and takes no model:
topics that the question names (`words.json`), names and values that it shares with the record,
options that it asks for. Live facts are read from the record given, at this moment.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from catalog.product import Locale, Product, Variant
from pipeline.facts.asked import Asked, Lexicon
from pipeline.facts.candidates import Candidates, Fact, Scored, is_long
from pipeline.facts.choices import ChoiceReader, meant
from pipeline.facts.offers import Row, live_facts, row
from pipeline.facts.options import OptionReader
from pipeline.lexicon.words import Words, fold

MOST_FACTS = 3
_LEAST = 0.4
"""A candidate that shares less than this with the question is no answer to it."""
_TOUCHED = 0.3
"""What is shared at least by a fact that a model may make something of."""
_SHARED = 0.2
"""What is shared at least by a passage of a long record that is told besides."""
_NEAR = 0.9
"""How far below the best candidate another may lie and still be told."""
_NAMED = 0.6
"""The part of a title's telling words by which a question names it."""
_ON_TOPIC = 2.0
"""What a fact beside a choice must score: sharing a word with the question is not enough."""


Fits = Callable[[Variant], bool]
"""Whether a variant will do."""


class FactFinder:
    """Chooses facts, with the words of every language."""

    def __init__(self, lexicons: Mapping[Locale, Words]) -> None:
        self._lexicons = lexicons
        self._lexicon = Lexicon(lexicons.values())
        self.options = OptionReader(lexicons)
        self._choices = ChoiceReader(self.options)
        self._candidates = Candidates(lexicons, self.options)

    def fitting(
        self, question: str, product: Product, locale: Locale, sku: str | None = None
    ) -> tuple[Fact, ...]:
        """The facts of `product` that answer `question`, the best first; none if none fits.

        `sku` is the variant that the shopper looks at: its price and stock are the ones asked for
        unless the question names others.
        """
        asked = Asked(question, product, self._lexicon)
        details = list(self._candidates.details(asked, product, locale))
        return self._fitting(asked, details, product, locale, sku)

    def beside(
        self,
        question: str,
        product: Product,
        locale: Locale,
        sku: str | None = None,
        *,
        searched: bool = False,
    ) -> tuple[Fact, ...]:
        """What stands beside `question` in a prompt: the facts that fit it.

        If none does, the product itself is the answer where it was `searched` for, or nothing in
        particular is asked. A long record, which its block may not hold, adds what shares most.
        """
        asked = Asked(question, product, self._lexicon)
        details = list(self._candidates.details(asked, product, locale))
        found = self._fitting(asked, details, product, locale, sku)
        if not found and (searched or asked.is_open):
            found = (self.introduce(product, locale),)
        if len(found) < MOST_FACTS and is_long(product, locale):
            found += tuple(fact for fact in _best(details, _SHARED) if fact not in found)
        return found[:MOST_FACTS]

    def introduce(self, product: Product, locale: Locale) -> Fact:
        """What it is called, costs, and whether it can be had."""
        live = live_facts(product, product.variants, locale, self.options)
        return Fact("product", name=product.text(locale).title, live=live)

    def row(self, question: str, product: Product, locale: Locale, fits: Fits) -> Row:
        """`product` as one of several that `question` asks for: its variants that are meant, of
        those the ones that `fits`."""
        asked = Asked(question, product, self._lexicon)
        wishes = [w for w in self.options.wishes(asked.text, product, locale) if w.values]
        variants = meant(product, wishes, None)
        is_part = len(variants) < len(product.variants)
        names = tuple(wish.said for wish in wishes) if is_part else ()
        variants = [variant for variant in variants if fits(variant)] or variants
        return row(product.text(locale).title, names, variants)

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
        return Asked(question, product, self._lexicon).is_open

    def knows(self, question: str, product: Product, locale: Locale, sku: str | None) -> bool:
        """Whether the record may answer `question`: some fact of it shares something with it, or
        the question asks for nothing in particular."""
        asked = Asked(question, product, self._lexicon)
        details = list(self._candidates.details(asked, product, locale))
        if asked.is_open or any(score >= _TOUCHED for score, _ in details):
            return True
        return bool(self._fitting(asked, details, product, locale, sku))

    def _fitting(
        self,
        asked: Asked,
        details: Sequence[Scored],
        product: Product,
        locale: Locale,
        sku: str | None,
    ) -> tuple[Fact, ...]:
        wishes = self.options.wishes(asked.text, product, locale)
        choices = self._choices.choices(wishes, product, locale)
        choices += tuple(self._choices.open(asked, wishes, product, locale))
        facts = [Fact("choice", choice=choice) for choice in choices]
        variants = meant(product, wishes, sku)
        live = self._candidates.live(asked, product, variants, locale, told=bool(facts))
        scored = [*live, *details]
        best = max((score for score, _ in scored), default=0.0)
        facts += _best(scored, max(_ON_TOPIC if facts else _LEAST, best - _NEAR))
        return tuple(facts[:MOST_FACTS])


def _best(scored: Iterable[Scored], least: float) -> list[Fact]:
    """The facts that score at least `least`, the best first."""
    enough = [(score, fact) for score, fact in scored if score >= least]
    return [fact for _, fact in sorted(enough, key=lambda pair: -pair[0])]
