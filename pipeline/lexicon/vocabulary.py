"""The words that products are described by, to find the one that a misspelt word was meant to be.

A typing error seldom changes a word's first letter, so only words with the same one and about the
same length are compared: a question costs under a millisecond over half a million words.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise

from rapidfuzz import process
from rapidfuzz.distance import OSA

_SHORTEST = 4
"""Letters below which a word is taken as it is: too many others are one letter away."""
_TWO_ERRORS = 8
"""Letters from which two errors are forgiven."""
_MISSPELT, _SPLIT = 0.8, 0.9
"""What a word that was only guessed counts for."""


class Vocabulary:
    """Words with their number of products. It only grows; words may be added while it is read."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._near: dict[tuple[str, int], list[str]] = {}

    def __contains__(self, word: str) -> bool:
        return word in self._counts

    def __len__(self) -> int:
        return len(self._counts)

    def count(self, word: str) -> int:
        """How many products have it."""
        return self._counts.get(word, 0)

    def add(self, words: Iterable[str]) -> None:
        """Count one product's words."""
        for word in words:
            known = self._counts.get(word, 0)
            self._counts[word] = known + 1
            if not known and len(word) >= _SHORTEST and word.isalpha() and word.isascii():
                self._near.setdefault((word[0], len(word)), []).append(word)

    def known(self, terms: Mapping[str, float]) -> dict[str, float]:
        """`terms` with each unknown word replaced by what it was probably meant to be."""
        found: dict[str, float] = {}
        for word, weight in terms.items():
            for meant, share in self._meant(word):
                found[meant] = max(found.get(meant, 0.0), weight * share)
        return self._joined(terms, found)

    def _meant(self, word: str) -> list[tuple[str, float]]:
        if word in self._counts or len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
            return [(word, 1.0)]
        if halves := self._halves(word):
            return [(half, _SPLIT) for half in halves]
        return [(near, _MISSPELT) for near in self._nearest(word)] or [(word, 1.0)]

    def _halves(self, word: str) -> tuple[str, str] | None:
        """The two known words of which `word` is made, the most usual ones."""
        pairs = (
            (word[:at], word[at:])
            for at in range(3, len(word) - 2)
            if word[:at] in self._counts and word[at:] in self._counts
        )
        return max(pairs, key=self._usual, default=None)

    def _usual(self, pair: tuple[str, str]) -> int:
        return min(self._counts[word] for word in pair)

    def _nearest(self, word: str) -> list[str]:
        errors = 2 if len(word) >= _TWO_ERRORS else 1
        best: list[str] = []
        least = errors
        for length in range(len(word) - errors, len(word) + errors + 1):
            choices = self._near.get((word[0], length), ())
            for near, distance, _ in process.extract(
                word, choices, scorer=OSA.distance, score_cutoff=least, limit=5
            ):
                if distance < least:
                    best, least = [], int(distance)
                best.append(near)
        return sorted(best, key=lambda near: -self._counts[near])[:2]

    def _joined(self, terms: Mapping[str, float], found: dict[str, float]) -> dict[str, float]:
        """With neighbours that are known as one word: "back pack" finds a backpack."""
        words = list(terms)
        for left, right in pairwise(words):
            if left.isascii() and right.isascii() and (whole := left + right) in self._counts:
                found[whole] = max(found.get(whole, 0.0), _SPLIT * terms[left])
        return found
