"""A question's words with those that mean the same in this shop.

Only the lexical leg needs them: an encoder knows the usual ones, and cannot know a shop's own.
"""

from collections.abc import Iterable, Mapping, Sequence

from pipeline.lexicon.analysis import Analyser, Terms

_SHARE = 0.8
"""What a synonym counts for, where the word itself counts for 1."""

Words = Mapping[str, float]


class Thesaurus:
    """Groups of phrases that mean the same, ready to be looked up by any of their words."""

    def __init__(self, groups: Sequence[Sequence[str]], analyser: Analyser) -> None:
        self._by_word: dict[str, list[tuple[Words, Words]]] = {}
        for group in groups:
            phrases = [found for phrase in group if (found := analyser.question(phrase))]
            for phrase in phrases:
                others = _together(other for other in phrases if other is not phrase)
                self._by_word.setdefault(next(iter(phrase)), []).append((phrase, others))

    def widened(self, terms: Terms) -> dict[str, float]:
        """`terms`, and the words of every phrase that means the same as one among them."""
        found = dict(terms)
        for word in terms:
            for phrase, others in self._by_word.get(word, ()):
                if phrase.keys() <= terms.keys():
                    for other, weight in others.items():
                        found[other] = max(found.get(other, 0.0), weight * _SHARE)
        return found


def _together(phrases: Iterable[Words]) -> dict[str, float]:
    """Every word once, at its highest weight."""
    words: dict[str, float] = {}
    for phrase in phrases:
        for word, weight in phrase.items():
            words[word] = max(words.get(word, 0.0), weight)
    return words
