"""Brands by their Chinese names, `templates/brands.csv`: 劳力士 is refused where Rolex is sold."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

from pipeline.lexicon.words import fold, terms


class Brands:
    """Finds brands in questions, by the terms that products write them with."""

    def __init__(self, names: Mapping[str, str], lines: Iterable[str] = ()) -> None:
        """`names` maps a Chinese name to the Latin one; `lines` are Latin ones without one."""
        latin = {*names.values(), *lines}
        self._terms = {
            fold(name): frozenset(terms(brand))
            for name, brand in sorted(names.items(), key=lambda pair: -len(pair[0]))
        }
        self._single = frozenset(term for brand in latin for term in _alone(brand))

    @classmethod
    def load(cls, folder: Path) -> "Brands":
        """Read `folder/brands.csv`. Raises `OSError` or `KeyError`."""
        with (folder / "brands.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        names = {name: row["brand"] for row in rows for name in row["zh"].split("|") if name}
        return cls(names, [row["brand"] for row in rows if not row["zh"]])

    def among(self, words: Iterable[str]) -> frozenset[str]:
        """Those of `words`, terms, that are the whole name of a brand or of a product line."""
        return frozenset(words) & self._single

    def named(self, text: str) -> tuple[frozenset[str], frozenset[str]]:
        """The Latin terms of the brands in folded `text`, and the Chinese terms they stand for."""
        latin: set[str] = set()
        han: set[str] = set()
        for name, brand in self._terms.items():
            if name in text:
                latin |= brand
                han |= set(terms(name))
                text = text.replace(name, " ")
        return frozenset(latin), frozenset(han)


def _alone(brand: str) -> list[str]:
    found = list(terms(brand))
    return found if len(found) == 1 else []
