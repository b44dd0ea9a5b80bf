"""Kinds of things, by what shoppers call them: the vocabulary in `templates/kinds.csv`.

It knows many more kinds than a shop sells, which is how a question for one that is not sold is
told from a question in other words. A kind may be a sort of another: a desk lamp is a lamp.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from catalog.product import Locale
from pipeline.lexicon.words import RUNS, fold

_LONGEST = 4
"""Words in the longest English name of a kind."""


@dataclass(frozen=True, slots=True)
class Named:
    """A kind named in a text, and where: places in the `plain` text."""

    kind: str
    start: int
    end: int


class Kinds:
    """Finds kinds in texts. `broader` maps a kind to the one it is a sort of."""

    def __init__(
        self, names: Mapping[str, Mapping[Locale, tuple[str, ...]]], broader: Mapping[str, str]
    ) -> None:
        self._names = names
        self.broader = broader
        self._broad = frozenset(broader.values())
        self._latin: dict[str, str] = {}
        self._han: dict[str, str] = {}
        for kind, by_locale in names.items():
            for word in (word for words in by_locale.values() for word in words):
                key = plain(word).strip()
                (self._latin if key.isascii() else self._han).setdefault(key, kind)
        self._longest_han = max(map(len, self._han), default=0)

    @classmethod
    def load(cls, folder: Path) -> "Kinds":
        """Read `folder/kinds.csv`. Raises `OSError`, `KeyError` or `ValueError`."""
        names: dict[str, dict[Locale, tuple[str, ...]]] = {}
        broader: dict[str, str] = {}
        with (folder / "kinds.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                names[row["kind"]] = {
                    "en": tuple(filter(None, row["en"].split("|"))),
                    "zh": tuple(filter(None, row["zh"].split("|"))),
                }
                if row["of"]:
                    broader[row["kind"]] = row["of"]
        if unknown := set(broader.values()) - set(names):
            raise ValueError(f"kinds.csv: no such kind: {', '.join(sorted(unknown))}")
        return cls(names, broader)

    def named(self, text: str) -> list[Named]:
        """The kinds in `text`, which is `plain`, in its order; the longest names win, and of
        two as long as each other the later: a bedside table is not a bed."""
        every = [name for at in range(len(text)) for name in self._at(text, at)]
        found: list[Named] = []
        for name in sorted(every, key=lambda n: (n.start - n.end, -n.start)):
            if all(name.end <= other.start or other.end <= name.start for other in found):
                found.append(name)
        return sorted(found, key=lambda n: n.start)

    def in_text(self, text: str) -> list[Named]:
        """The same for any text."""
        return self.named(plain(text))

    def is_broad(self, kind: str) -> bool:
        """Whether other kinds are a sort of this one."""
        return kind in self._broad

    def chain(self, kind: str) -> Iterator[str]:
        """`kind` and whatever it is a sort of."""
        while kind:
            yield kind
            kind = self.broader.get(kind, "")

    def siblings(self, kind: str) -> list[str]:
        """Kinds that are a sort of the same thing, nearest first, without `kind` itself."""
        rings = list(self.chain(kind))[1:]
        found: dict[str, None] = {}
        for ring in rings:
            found[ring] = None
            found.update((k, None) for k in self._names if ring in self.chain(k) and k != kind)
        return list(found)

    def modifiers(
        self, said: str, kind: str, telling: Callable[[str], frozenset[str]]
    ) -> frozenset[str]:
        """What tells a sort from the kind: of 记忆枕, which is a pillow, 记忆."""
        for name in sorted(self._names[kind]["zh"], key=len):
            if said.endswith(name) and said != name:
                return telling(said.removesuffix(name))
        return frozenset()

    def say(self, kind: str, locale: Locale) -> str:
        """The kind's usual name."""
        return next(iter(self._names[kind][locale]), kind)

    def _at(self, text: str, at: int) -> Iterator[Named]:
        """The names that begin at this place."""
        if text[at] == " ":
            return
        if text[at].isascii():
            if text[at - 1] != " ":
                return
            yield from self._latin_at(text, at)
        for length in range(1, min(self._longest_han, len(text) - at) + 1):
            if (kind := self._han.get(text[at : at + length])) is not None:
                yield Named(kind, at, at + length)

    def _latin_at(self, text: str, at: int) -> Iterator[Named]:
        end = at
        for _ in range(_LONGEST):
            end = text.find(" ", end + 1)
            if end < 0:
                break
            if (kind := self._latin.get(text[at:end])) is not None:
                yield Named(kind, at, end)


def plain(text: str) -> str:
    """Words in the singular and runs of Chinese characters, one space between and around.

    Not stems: who cares for a carpet asks for no car.
    """
    return f" {' '.join(map(_singular, RUNS.findall(fold(text))))} "


def place(text: str, name: Named) -> tuple[int, int]:
    """Where in `text`, which is folded, the kind named in its `plain` form stands."""
    at, start, end = 1, len(text), len(text)
    for run in RUNS.finditer(text):
        token = _singular(run.group())
        if at <= name.start < at + len(token):
            start = run.start() + (0 if token.isascii() else name.start - at)
        if at < name.end <= at + len(token):
            end = run.end() if token.isascii() else run.start() + name.end - at
        at += len(token) + 1
    return start, end


def _singular(word: str) -> str:
    if not word[0].isascii() or len(word) < 4:
        return word
    word = word.replace("’", "'").removesuffix("'s").replace("'", "")
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("oes") and len(word) > 5:
        return word[:-2]
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def head(named: Iterable[Named], limit: int) -> Named | None:
    """The kind that a noun phrase is about: the last one named before `limit`, else the first."""
    every = list(named)
    before = [name for name in every if name.end <= limit]
    return before[-1] if before else (every[0] if every else None)
