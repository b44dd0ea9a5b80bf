"""How much of what a question names is in the texts of the products found for it."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import log

from pipeline.lexicon.analysis import Analyser, Terms
from pipeline.lexicon.vocabulary import Vocabulary
from pipeline.searching.lexical import Row

_END = re.compile(r"\b(?:for|with|without|in|of|from|that|to|on|under|over|by)\b")
"""Behind it, an English noun phrase says what the thing is for, made of or comes with."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """`share`, 0 to 1, of the words, the rare ones counting more. `head`: whether the thing itself
    ("shade" in "patio sun shade") stands in a title. `latin`: whether the best one's title is."""

    share: float
    head: bool
    latin: bool = True


def coverage(
    text: str, rows: Iterable[Row], products: int, analyser: Analyser, vocabulary: Vocabulary
) -> Coverage:
    """Of `text` by `rows`, each the words of one text of a product found."""
    rows = list(rows)
    said = vocabulary.known(analyser.question(text))
    total = sum(weight * _rarity(word, products, vocabulary) for word, weight in said.items())
    if total == 0.0:
        return Coverage(1.0, True)
    best = max((_covered(said, row, products, vocabulary) for row in rows), default=0.0)
    titles = {word for row in rows for word in row.words["title"]}
    head = any(word in titles for word in _head(text, analyser, vocabulary))
    latin = any(_is_latin(row.words["title"]) for row in rows[:1])
    return Coverage(best / total, head, latin)


def _covered(said: Terms, row: Row, products: int, vocabulary: Vocabulary) -> float:
    return sum(
        weight * _rarity(word, products, vocabulary)
        for word, weight in said.items()
        if any(word in words for words in row.words.values())
    )


def _is_latin(words: Collection[str]) -> bool:
    return 2 * sum(word.isascii() for word in words) > len(words)


def strangers(text: str, analyser: Analyser, vocabulary: Vocabulary) -> list[str]:
    """The words of `text` that no product of the shop has, however they may be misspelt."""
    words = [word for word in analyser.question(text) if len(word) > 2 and word.isalpha()]
    return [w for w in words if not any(near in vocabulary for near in vocabulary.known({w: 1.0}))]


def _rarity(word: str, products: int, vocabulary: Vocabulary) -> float:
    return log(1 + products / (1 + vocabulary.count(word)))


def _head(text: str, analyser: Analyser, vocabulary: Vocabulary) -> Iterable[str]:
    """The last word of the noun phrase, however the shop spells it."""
    phrase = _END.split(text.lower())[0]
    words = list(analyser.question(phrase)) or list(analyser.question(text))
    return vocabulary.known({words[-1]: 1.0}) if words else ()
