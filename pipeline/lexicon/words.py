"""The words of one language: what shoppers ask about, what colours and sizes are called.

They are data (`templates/<locale>/words.json`), so that a shop can add its own. Matching is by
form, not by meaning: Latin words are compared by a light stem, Chinese by characters.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from catalog.product import Locale

RUNS = re.compile(r"[a-z0-9]+(?:[.'’][a-z0-9]+)*|[\u3400-\u9fff\uf900-\ufaff]+")
_NAME_LENGTH = 40
_VOWELS = frozenset("aeiou")


@dataclass(frozen=True, slots=True)
class Topic:
    """Something a shopper asks about: by which words, and how shops name the attribute."""

    name: str
    ask: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hint:
    """Words in a question, and the words in which a text speaks of the same."""

    ask: tuple[str, ...]
    says: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """One locale's words.

    `colors` and `sizes` map a shaped word to its canonical name, `color_names` a canonical colour
    to how this locale says it, `shades` a canonical colour to the one it is a shade of.
    `hints` say in which words texts speak of what is asked for. `idioms` are phrases in which
    "small" is no size; `amounts` units after which "30" is none.
    """

    locale: Locale
    speakers: Mapping[str, str]
    labels: Mapping[str, str]
    stop: frozenset[str]
    topics: tuple[Topic, ...]
    hints: tuple[Hint, ...]
    colors: Mapping[str, str]
    color_names: Mapping[str, str]
    shades: Mapping[str, str]
    sizes: Mapping[str, str]
    size_names: frozenset[str]
    idioms: tuple[str, ...]
    amounts: tuple[str, ...]
    units_before: tuple[str, ...]
    units_after: tuple[str, ...]

    @classmethod
    def load(cls, folder: Path, locale: Locale) -> "Words":
        """Read `folder/locale/words.json`. Raises `OSError`, `KeyError` or `ValueError`."""
        data = json.loads((folder / locale / "words.json").read_text(encoding="utf-8"))
        return cls(
            locale=locale,
            speakers=data["speakers"],
            labels=data["labels"],
            stop=frozenset(term for word in data["stop"] for term in terms(word)),
            topics=tuple(
                Topic(t["topic"], tuple(map(shape, t["ask"])), tuple(map(shape, t["names"])))
                for t in data["topics"]
            ),
            hints=_hints(data["topics"], data["hints"]),
            colors=_by_word(data["colors"]),
            color_names={name: words[0] for name, words in data["colors"].items()},
            shades=data["shades"],
            sizes=_by_word(data["sizes"]),
            size_names=frozenset(map(shape, data["size_names"])),
            idioms=tuple(map(shape, data["size_idioms"])),
            amounts=tuple(map(shape, data["amounts"])),
            units_before=tuple(map(shape, data["size_units"]["before"])),
            units_after=tuple(map(shape, data["size_units"]["after"])),
        )


def _hints(
    topics: Sequence[Mapping[str, Any]], more: Sequence[Mapping[str, Any]]
) -> tuple[Hint, ...]:
    """Every topic is a hint too, with what `more` adds to the one of the same name."""
    asks: dict[str, list[str]] = {}
    says: dict[str, list[str]] = {}
    for entry in (*topics, *more):
        asks.setdefault(entry["topic"], []).extend(map(shape, entry["ask"]))
        ways = entry["names"] if "names" in entry else entry["says"]
        says.setdefault(entry["topic"], []).extend(map(shape, ways))
    return tuple(Hint(tuple(asks[name]), tuple(says[name])) for name in asks)


def _by_word(table: Mapping[str, list[str]]) -> dict[str, str]:
    """Shaped word to canonical name, the longest first so that the most exact is found first."""
    pairs = [(shape(word), name) for name, words in table.items() for word in words]
    return dict(sorted(pairs, key=lambda pair: -len(pair[0])))


def fold(text: str) -> str:
    """Width and case made the same."""
    return unicodedata.normalize("NFKC", text).casefold()


def shape(text: str) -> str:
    """`text` as stems and runs of Chinese characters with one space between.

    A Latin word at an edge keeps a space outside, so that `shape(a) in shape(b)` matches whole
    words in English and any run of characters in Chinese.
    """
    return _shaped_name(text) if len(text) <= _NAME_LENGTH else _shape(text)


def _shape(text: str) -> str:
    parts = [stem(run) if run[0].isascii() else run for run in RUNS.findall(fold(text))]
    if not parts:
        return ""
    left = " " if parts[0][0].isascii() else ""
    right = " " if parts[-1][0].isascii() else ""
    return left + " ".join(parts) + right


_shaped_name = lru_cache(maxsize=16_384)(_shape)
"""Names and values of options and attributes come again with every question."""


def framed(text: str) -> str:
    """`shape` with a space on both sides: what to look words up in."""
    return f" {shape(text).strip()} "


def terms(text: str) -> Iterator[str]:
    """Stems of Latin words and pairs of Chinese characters (a lone one as it is)."""
    for run in RUNS.findall(fold(text)):
        if run[0].isascii():
            yield stem(run)
        elif len(run) == 1:
            yield run
        else:
            yield from (run[i : i + 2] for i in range(len(run) - 1))


def stem(word: str) -> str:
    """A light English stem: ships, shipped and shipping are one word."""
    word = word.replace("’", "'").removesuffix("'s").replace("'", "")
    if word.isdigit() or len(word) < 4:
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(("ches", "shes", "sses", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in ("ing", "ed"):
        root = word.removesuffix(suffix)
        if root != word and len(root) > 2 and _VOWELS & set(root):
            doubled = root[-1] == root[-2] and root[-1] not in "lsz"
            word = root[:-1] if doubled else root
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word
