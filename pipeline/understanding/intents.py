"""Turns that are not about a product: greetings, service matters, small talk.

They are recognised by words (`templates/<locale>/intents.json`), before any vector, and answered
by the shop's own texts (`pipeline/replying/policies.py`), never by the model: it knows no order
and no policy. A word that is misspelt by one letter is still recognised.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz.distance import OSA

from catalog.product import LOCALES, Locale
from pipeline.lexicon.words import fold, framed, shape

_ORDER_NUMBER = re.compile(
    r"\b(?:order|purchase|or?der|parcel|shipment)\s*(?:no|number|id|nr)?\.?\s*[#:]?\s*\d{4,}"
)
_DRAWN_OUT = re.compile(r"([a-z])\1{2,}")
"""As in "heyyy"."""
_ORDER = "#order"
"""Stands in rules for an order with its number."""
_SHORTEST = 5
"""Letters of the shortest word whose misspellings are recognised."""


@dataclass(frozen=True, slots=True)
class Rule:
    """All of `terms` must occur, each as one of its phrases."""

    terms: tuple[tuple[str, ...], ...]

    def fits(self, text: str) -> bool:
        """Whether `text`, which is `framed`, has them all."""
        return all(any(phrase in text for phrase in term) for term in self.terms)


@dataclass(frozen=True, slots=True)
class Intent:
    """One kind of turn. With `most_words`, a longer question has something else at heart.

    `record_first`: where the question is about a product whose record answers it, that counts.
    """

    name: str
    rules: tuple[Rule, ...]
    unless: tuple[str, ...] = ()
    most_words: int | None = None
    record_first: bool = False

    def fits(self, text: str, length: int) -> bool:
        """Whether `text`, which is `framed` and has `length` words, is such a turn."""
        if self.most_words is not None and length > self.most_words:
            return False
        if any(phrase in text for phrase in self.unless):
            return False
        return any(rule.fits(text) for rule in self.rules)


class IntentReader:
    """Reads questions with the intents of every locale; the first that fits counts."""

    def __init__(self, intents: Mapping[Locale, Sequence[Intent]]) -> None:
        self._intents = intents
        self._words = _vocabulary(intent for each in intents.values() for intent in each)

    @classmethod
    def load(cls, folder: Path) -> "IntentReader":
        """Read `folder/<locale>/intents.json`. Raises `OSError`, `KeyError` or `ValueError`."""
        return cls({locale: _load(folder / locale / "intents.json") for locale in LOCALES})

    @property
    def names(self) -> frozenset[str]:
        """What any question may be found to be."""
        return frozenset(intent.name for each in self._intents.values() for intent in each)

    def read(self, text: str) -> Intent | None:
        """What `text` wants, if that is not a product."""
        folded = _DRAWN_OUT.sub(r"\1", fold(text))
        spelled = self._spelled(framed(folded))
        if _ORDER_NUMBER.search(folded):
            spelled += f"{_ORDER} "
        length = len(spelled.split()) + sum(not c.isascii() for c in spelled) // 2
        for intents in self._intents.values():
            for intent in intents:
                if intent.fits(spelled, length):
                    return intent
        return None

    def _spelled(self, text: str) -> str:
        """`text` with words that are one letter away from a known one spelt as that is."""
        return " " + " ".join(self._meant(word) for word in text.split()) + " "

    def _meant(self, word: str) -> str:
        if word in self._words or not word.isalpha() or not word.isascii() or len(word) < _SHORTEST:
            return word
        return next((known for known in self._words if _is_slip(word, known)), word)


def _is_slip(word: str, known: str) -> bool:
    """Two letters changed places, one is missing or too many; in a long word, one is wrong."""
    if len(known) < _SHORTEST or abs(len(word) - len(known)) > 1:
        return False
    if sorted(word) == sorted(known):
        return OSA.distance(word, known, score_cutoff=1) == 1
    if word[0] != known[0] or (len(word) == len(known) and len(word) <= _SHORTEST + 1):
        return False
    return OSA.distance(word, known, score_cutoff=1) == 1


def _load(path: Path) -> tuple[Intent, ...]:
    data = json.loads(path.read_text(encoding="utf-8"))
    groups = data["groups"]
    return tuple(_intent(row, groups) for row in data["intents"])


def _intent(row: Mapping[str, Any], groups: Mapping[str, Sequence[str]]) -> Intent:
    rules = tuple(Rule(tuple(_term(term, groups) for term in rule)) for rule in row["rules"])
    unless = _shaped(row.get("unless", ()))
    first = bool(row.get("record_first", False))
    return Intent(row["name"], rules, unless, row.get("most_words"), first)


def _term(term: str, groups: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    if term == _ORDER:
        return (_ORDER,)
    return _shaped(groups[term[1:]] if term.startswith("@") else (term,))


def _shaped(phrases: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(shape(phrase) for phrase in phrases))


def _vocabulary(intents: Iterable[Intent]) -> frozenset[str]:
    """Every Latin word of the rules, in its stem."""
    rules = (rule for intent in intents for rule in intent.rules)
    phrases = (phrase for rule in rules for term in rule.terms for phrase in term)
    return frozenset(word for phrase in phrases for word in phrase.split() if word.isascii())
