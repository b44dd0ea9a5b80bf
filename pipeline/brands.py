"""Brands by their Chinese names, `templates/brands.csv`: 劳力士 is refused where Rolex is sold."""

import csv
from collections.abc import Mapping
from pathlib import Path

from pipeline.words import fold, terms


class Brands:
    """Finds brands in questions, by the terms that products write them with."""

    def __init__(self, names: Mapping[str, str]) -> None:
        """`names` maps a Chinese name to the Latin one."""
        self._terms = {
            fold(name): frozenset(terms(brand))
            for name, brand in sorted(names.items(), key=lambda pair: -len(pair[0]))
        }

    @classmethod
    def load(cls, folder: Path) -> "Brands":
        """Read `folder/brands.csv`. Raises `OSError` or `KeyError`."""
        with (folder / "brands.csv").open(encoding="utf-8", newline="") as file:
            return cls(
                {
                    name: row["brand"]
                    for row in csv.DictReader(file)
                    for name in row["zh"].split("|")
                }
            )

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
