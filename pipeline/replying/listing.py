"""Several products as an answer: for questions that ask for things, not for a fact of one.

"A red dress under $50", "which chairs do you have", "the cheapest pillow": a small model that is
given one product's facts reads aloud whichever is nearest to the words. The products that were
found, with their prices of this moment, are the answer.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from catalog.product import Locale, Money, Product, Variant
from pipeline.facts.fitting import FactFinder
from pipeline.facts.offers import paid
from pipeline.found import Bounds, Found, Understood
from pipeline.lexicon.cues import every, has_any, load_cues, phrases
from pipeline.lexicon.kinds import Kinds
from pipeline.lexicon.words import framed, terms
from pipeline.prompting.rendering import Renderer
from pipeline.types import Question, Source

MOST = 3
_SHORT = 12
"""Words, or pairs of Chinese characters, of a question that is rather a search than a story."""
_OF_THINGS = frozenset({"price", "stock", "color", "size", "material", "fabric", "category"})
"""What one may ask of several products at once; all else is asked of one."""

_BOUND = re.compile(r"([<>]=) (\d+(?:\.\d+)?)")
_CURRENCY = re.compile(r"[A-Z]{3}$")


class Lister:
    """Says several products in a line; holds no state. Read-only, for any thread."""

    def __init__(
        self, facts: FactFinder, renderers: Mapping[Locale, Renderer], templates: Path
    ) -> None:
        """With the words in `templates`. Raises `OSError`, `KeyError` or `ValueError`."""
        cues = load_cues(templates)
        self._facts, self._renderers = facts, renderers
        self._kinds = Kinds.load(templates)
        self._wants = phrases(every(cues, "sell") + every(cues, "which"))
        self._points = phrases(every(cues, "reference"))
        self._definite = phrases(every(cues, "definite"))

    def asks_for_things(self, question: Question, found: Found, sources: Sequence[Source]) -> bool:
        """Whether `question` asks for products that will do, and they were searched for."""
        if not sources or sources[0].why != "search" or found.intent is not None:
            return False
        what, product = found.explain.understood, sources[0].product
        if found.explain.winner == "price" or _demands(what):
            return True
        text = framed(question.text)
        if has_any(text, self._points) or self._is_named(question, text, product):
            return False
        topics = self._facts.topics(question.text, product)
        if has_any(text, self._wants) or (what.kind and "price" in topics):
            return topics <= _OF_THINGS and not self._is_open(question, product)
        short = len(list(terms(question.text))) <= _SHORT
        return short and not topics and not self._tells(question, product)

    def line(self, question: Question, found: Found, sources: Sequence[Source]) -> str:
        """The products of `sources` that are of the kind asked for, at most `MOST`."""
        what = found.explain.understood
        decided = found.explain.winner == "price" or _demands(what)
        vague = not decided if what.kind is None else not self._of_kind(sources, what)
        return self._line(question, what, sources, what.order or ("near" if vague else ""))

    def nearest(self, question: Question, found: Found, sources: Sequence[Source]) -> str:
        """The same, to stand behind what could not be met."""
        return self._line(question, found.explain.understood, sources, "")

    def wish(self, said: str, what: Understood, locale: Locale) -> str:
        """What could not be met, in the shopper's language."""
        if said in what.without:
            return f"no {said}" if locale == "en" else f"不要{said}"
        if amounts := dict(_BOUND.findall(said)):
            currency = _CURRENCY.search(said)
            usual = "CNY" if locale == "zh" else "USD"
            return self._bounds(amounts, currency.group() if currency else usual, locale)
        return self._facts.say_color(said, locale)

    def _line(
        self, question: Question, what: Understood, sources: Sequence[Source], lead: str
    ) -> str:
        text = question.text
        for refused in what.without:
            text = text.replace(refused, " ")
        shown = self._of_kind(sources, what) or [source.product for source in sources[:1]]
        rows = [
            self._facts.row(text, product, question.locale, lambda v: _fits(v, what.bounds))
            for product in shown[:MOST]
        ]
        lead = lead if len(rows) > 1 or lead == "near" else ""
        return self._renderers[question.locale].listing(rows, lead)

    def _of_kind(self, sources: Sequence[Source], what: Understood) -> list[Product]:
        """Those whose title or category names the kind; all where none was named."""
        products = [source.product for source in sources]
        return [p for p in products if what.kind is None or what.kind in self._named(p)]

    def _named(self, product: Product) -> set[str]:
        texts = " ; ".join(f"{t.title} ; {t.category}" for t in product.texts.values())
        named = self._kinds.in_text(texts)
        return {kind for name in named for kind in self._kinds.chain(name.kind)}

    def _is_open(self, question: Question, product: Product) -> bool:
        """Whether it asks in which colours or sizes something comes."""
        facts = self._facts.fitting(question.text, product, question.locale)
        return any(f.choice is not None and f.choice.status == "choices" for f in facts)

    def _is_named(self, question: Question, text: str, product: Product) -> bool:
        """Whether one product is meant: by most of its title, or by "the" and a part of it."""
        if self._facts.asks_of_one(question.text, product):
            return True
        part = self._facts.named(question.text, product)
        return part > 0 and has_any(text, self._definite)

    def _tells(self, question: Question, product: Product) -> bool:
        """Whether the record answers with an attribute that is not only what kind it is."""
        facts = self._facts.fitting(question.text, product, question.locale)
        kind = product.text(question.locale).category
        return any(f.kind == "detail" and f.name and f.value != kind for f in facts)

    def _bounds(self, amounts: Mapping[str, str], currency: str, locale: Locale) -> str:
        low, high = (
            Money(Decimal(amounts[sign]), currency) if sign in amounts else None
            for sign in (">=", "<=")
        )
        return self._renderers[locale].bounds(low, high)


def _demands(what: Understood) -> bool:
    """Whether it says which products will do."""
    return bool(what.bounds or what.order or what.without or what.available or what.unmet)


def _fits(variant: Variant, bounds: Bounds | None) -> bool:
    if bounds is None:
        return True
    price = paid(variant)
    if bounds.currency is not None and price.currency != bounds.currency:
        return False
    low, high = bounds.low, bounds.high
    return (low is None or price.amount >= low) and (high is None or price.amount <= high)
