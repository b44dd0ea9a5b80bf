"""What a question asks about, and how well a fact of a record fits it."""

from collections.abc import Iterable
from functools import lru_cache

from catalog.product import Product
from pipeline.facts.passages import PassageRanker
from pipeline.lexicon.words import Words, fold, framed, shape, terms

_TOPIC = 3.0
_OFF_TOPIC = 1.0
"""Taken from an attribute that is about something else too: the filling's weight, when only the
filling was asked for."""
_NUMBER = 5
"""Characters of a SKU that is hardly a word or a size besides."""
_EXACT, _NAME = 1.5, 1.0


class Lexicon:
    """The topics and the telling words of every language together."""

    def __init__(self, words: Iterable[Words]) -> None:
        every = tuple(words)
        self.ranker = PassageRanker(every)
        self._topics = [topic for w in every for topic in w.topics]
        self._stop = frozenset[str]().union(*(w.stop for w in every))
        self.topics_of_name = lru_cache(maxsize=8192)(self._topics_of_name)

    def asked_topics(self, question: str) -> frozenset[str]:
        """The topics whose words are in `question`, which is `framed`."""
        return frozenset(t.name for t in self._topics if any(cue in question for cue in t.ask))

    def telling(self, text: str) -> frozenset[str]:
        """The terms of `text` that carry meaning."""
        return frozenset(terms(text)) - self._stop

    def _topics_of_name(self, name: str) -> frozenset[str]:
        shaped = framed(name)
        return frozenset(t.name for t in self._topics if any(cue in shaped for cue in t.names))


class Asked:
    """A question about a product, taken apart once.

    `text` is the question `framed`, without the product's title and numbers, which would answer
    everything.
    """

    def __init__(self, question: str, product: Product, lexicon: Lexicon) -> None:
        rest = fold(question)
        titles = [text.title for text in product.texts.values()]
        for title in titles:
            rest = rest.replace(fold(title), " ")
        for number in (product.id, *(variant.sku for variant in product.variants)):
            rest = rest.replace(fold(number), " ") if len(number) >= _NUMBER else rest
        self._lexicon = lexicon
        self.text = framed(rest)
        self.topics = lexicon.asked_topics(self.text)
        self.terms = lexicon.telling(rest).difference(*map(terms, titles))
        self._wanted = lexicon.ranker.wanted(rest, titles)

    @property
    def is_open(self) -> bool:
        """Whether nothing in particular is asked."""
        return not self.terms and not self.topics

    def score(self, name: str, value: str) -> float:
        """How well the attribute `name: value` fits, or the sentence `value` where `name` is
        empty; 0 if it shares nothing with the question."""
        score = self._lexicon.ranker.score(self._wanted, name, value)
        own = set(terms(name))
        if own:
            score += _NAME * len(own & self.terms) / len(own)
            score += _EXACT * (shape(name) in self.text)
        about = self._lexicon.topics_of_name(name)
        if common := about & self.topics:
            score += _TOPIC * len(common) - _OFF_TOPIC * len(about - self.topics)
        return score
