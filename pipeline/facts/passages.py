"""Which passages of a product answer a question: by its words, with no model in between.

A passage is worth the part of the question's telling words that it has. Words of the title count
little, since every passage of the product is about it; a passage that speaks of what was asked in
other words ("fits" for "compatible", `hints` in words.json) counts a little too. How rare a word
is in the catalogue, how often it occurs and how long the passage is were measured, and say nothing
more within one product (`python -m benchmarks.passages`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipeline.lexicon.units import measured
from pipeline.lexicon.words import Words, fold, framed, terms

_TITLE = 0.3
"""What a word of the title counts for, beside 1 for any other."""
_HINT = 0.2
"""What speaking of the same in other words counts for."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question's words with what each counts for, and the ways to speak of what it asks.

    `whole` is what all the words count for together, at least 1.
    """

    words: Mapping[str, float]
    says: tuple[tuple[str, ...], ...]
    whole: float


class PassageRanker:
    """Ranks passages with the words of every language."""

    def __init__(self, languages: Iterable[Words]) -> None:
        every = tuple(languages)
        self._stop = frozenset[str]().union(*(words.stop for words in every))
        self._hints = [hint for words in every for hint in words.hints]

    def wanted(self, question: str, titles: Iterable[str]) -> Wanted:
        """`question` taken apart once; `titles` are those of the product it is about."""
        known = frozenset[str]().union(*map(_words_of, titles))
        asked = _words_of(question) - self._stop
        words = {word: _TITLE if word in known else 1.0 for word in asked}
        text = framed(question)
        says = tuple(h.says for h in self._hints if any(cue in text for cue in h.ask))
        return Wanted(words, says, max(1.0, sum(words.values())))

    def score(self, wanted: Wanted, name: str, text: str) -> float:
        """How much of what is `wanted` the attribute `name: text` has, or the sentence `text`
        where `name` is empty: 0 for nothing, about 1 for all."""
        passage = f"{name} {text}" if name else text
        shared = sum(wanted.words[word] for word in wanted.words.keys() & _words_of(passage))
        if wanted.says:
            shaped = _framed(passage)
            shared += _HINT * sum(any(way in shaped for way in says) for says in wanted.says)
        return shared / wanted.whole

    def scores(
        self, question: str, titles: Iterable[str], passages: Sequence[tuple[str, str]]
    ) -> list[float]:
        """The score of each of `passages`, (name, text), for `question`."""
        wanted = self.wanted(question, titles)
        return [self.score(wanted, name, text) for name, text in passages]


@lru_cache(maxsize=8192)
def _words_of(text: str) -> frozenset[str]:
    """Stems, pairs of Chinese characters and measures; the texts of a product come again with
    every question about it."""
    rest, measures = measured(fold(text))
    return frozenset((*terms(rest), *measures))


_framed = lru_cache(maxsize=8192)(framed)


def forget() -> None:
    """Take every text apart anew from now on: to measure what that costs."""
    _words_of.cache_clear()
    _framed.cache_clear()
