"""Texts to the words that the lexical leg compares, the same for products and questions.

Latin words become light English stems; Chinese, which has no spaces, single characters and pairs
of neighbours; measures one word each (`pipeline/lexicon/units.py`); a model number is kept whole
and in parts, so that "KX-TS208W" is found by "kxts208w" and by "ts208w".
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from catalog.product import LOCALES
from pipeline.lexicon.cues import without
from pipeline.lexicon.units import NUMBER, measured
from pipeline.lexicon.words import Words, fold, stem
from pipeline.prompting.rendering import TEMPLATES

_HAN = r"\u3400-\u9fff\uf900-\ufaff"
_RUNS = re.compile(
    rf"(?P<number>(?<![a-z0-9_-])(?:{NUMBER})(?![a-z0-9_]))"
    rf"|(?P<word>[a-z0-9\u00c0-\u024f]+(?:[.'’/+&-][a-z0-9\u00c0-\u024f]+)*)|(?P<han>[{_HAN}]+)"
)
_PARTS = re.compile(r"[.'’/+&-]+")
_IS_HAN = re.compile(f"[{_HAN}]")
_PARTICLES = frozenset("的了吗呢么有没是不和与在我你他她它们这那个件款请问想要买啊吧嘛")

CHARACTER, PAIR, WORD, BARE_NUMBER = 0.3, 1.0, 1.0, 0.7
"""What a single Chinese character, a pair of them, a word and a number without unit count for."""


def has_han(text: str) -> bool:
    """Whether there is a Chinese character in `text`."""
    return _IS_HAN.search(text) is not None


@dataclass(frozen=True, slots=True)
class Analyser:
    """`stop` are stems, and `phrases` runs of characters, that tell no product from another."""

    stop: frozenset[str]
    phrases: tuple[str, ...]

    def document(self, text: str) -> list[str]:
        """Every word of a product's text, as often as it occurs."""
        return [word for word, _ in _words(fold(text))]

    def question(self, text: str) -> dict[str, float]:
        """The words that a question is searched by, and how much each counts."""
        folded = fold(text)
        spans = [span for phrase in self.phrases for span in _places(phrase, folded)]
        folded = without(folded, spans)
        found: dict[str, float] = {}
        for word, weight in _words(folded):
            if word not in self.stop and word not in _PARTICLES:
                found[word] = max(weight, found.get(word, 0.0))
        return found


@cache
def standard_analyser() -> Analyser:
    """With the stop words of the languages as shipped."""
    lexicons = [Words.load(TEMPLATES, locale) for locale in LOCALES]
    return analyser({word for words in lexicons for word in words.stop})


def analyser(stop: set[str]) -> Analyser:
    """One that leaves out `stop`, stems and runs of Chinese characters."""
    han = sorted((word for word in stop if has_han(word)), key=lambda word: -len(word))
    return Analyser(frozenset(word for word in stop if not has_han(word)), tuple(han))


def _places(phrase: str, text: str) -> Iterator[tuple[int, int]]:
    """Where `phrase` is in `text`."""
    at = text.find(phrase)
    while at >= 0:
        yield at, at + len(phrase)
        at = text.find(phrase, at + 1)


def _words(folded: str) -> Iterator[tuple[str, float]]:
    text, measures = measured(folded)
    for measure in measures:
        yield measure, WORD
    for run in _RUNS.finditer(text):
        if run["han"]:
            yield from _characters(run["han"])
        elif run["number"]:
            yield run["number"].replace(" ", "-"), BARE_NUMBER
        else:
            for word in _forms(run["word"]):
                yield word, WORD


def _characters(run: str) -> Iterator[tuple[str, float]]:
    alone = PAIR if len(run) == 1 else CHARACTER
    for at, character in enumerate(run):
        yield character, alone
        if at + 1 < len(run):
            yield run[at : at + 2], PAIR


@lru_cache(maxsize=65_536)
def _forms(word: str) -> tuple[str, ...]:
    """The stem of a word; of a compound, its parts and the whole written together."""
    whole = word.replace("’", "'")
    if "'" in whole:
        return (stem(whole),)
    parts = [part for part in _PARTS.split(whole) if part]
    if len(parts) == 1:
        return (stem(parts[0]),)
    return (*(stem(part) for part in parts), stem("".join(parts)))


Terms = Mapping[str, float]
"""Words with what they count for."""
