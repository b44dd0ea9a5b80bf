"""The words by which a question is understood, one locale's: `templates/<locale>/cues.json`.

They are data, so that a shop can add its own: bounds of a price, negations, words before an
identifier, and what turns that are not about a product are recognised by.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog.product import LOCALES, Locale
from pipeline.lexicon.words import fold, framed, shape


@dataclass(frozen=True, slots=True)
class Cues:
    """One locale's file, as written; `phrases` and `alternatives` prepare its lists."""

    locale: Locale
    data: Mapping[str, Any]

    @classmethod
    def load(cls, folder: Path, locale: Locale) -> "Cues":
        """Read `folder/locale/cues.json`. Raises `OSError` or `ValueError`."""
        path = folder / locale / "cues.json"
        return cls(locale, json.loads(path.read_text(encoding="utf-8")))

    def words(self, *path: str) -> tuple[str, ...]:
        """The list at `path`, width and case made the same. Raises `KeyError`."""
        found: Any = self.data
        for name in path:
            found = found[name]
        return tuple(fold(word) for word in found)


def load_cues(folder: Path) -> tuple[Cues, ...]:
    """Those of every locale: a shopper may mix languages, so each question is read by all."""
    return tuple(Cues.load(folder, locale) for locale in LOCALES)


def every(cues: Iterable[Cues], *path: str) -> tuple[str, ...]:
    """The words at `path` of all locales."""
    return tuple(word for c in cues for word in c.words(*path))


def phrases(words: Iterable[str]) -> tuple[str, ...]:
    """`words` as they are looked for in a `framed` question, the longest first."""
    shaped = {shape(word) for word in words} - {""}
    return tuple(sorted(shaped, key=lambda phrase: (-len(phrase), phrase)))


def has_any(text: str, wanted: Sequence[str]) -> bool:
    """Whether one of the `phrases` is in `text`, which is `framed`."""
    return any(phrase in text for phrase in wanted)


def alternatives(words: Iterable[str]) -> str:
    """A regular expression for any of `words` in folded text: Latin ones as whole words only."""
    ordered = sorted(set(words), key=lambda word: (-len(word), word))
    return "(?:" + "|".join(_pattern(word) for word in ordered) + ")"


def _pattern(word: str) -> str:
    body = re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’]?")
    if word[0].isascii() and word[0].isalnum():
        body = rf"(?<![a-z0-9]){body}"
    if word[-1].isascii() and word[-1].isalnum():
        body = rf"{body}(?![a-z0-9])"
    return body


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """`text` with these places blanked; the others keep theirs."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def clauses(text: str) -> Iterator[tuple[int, str]]:
    """The parts of `text` between punctuation marks, each with the place where it begins."""
    for match in re.finditer(r"[^,.;:!?()\n，。；：！？、（）]+", text):
        yield match.start(), match.group()


__all__ = [
    "Cues", "alternatives", "clauses", "every", "framed", "has_any", "load_cues", "phrases",
    "without",
]  # fmt: skip
