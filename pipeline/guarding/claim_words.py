"""What money, discounts and stock are called: `templates/<locale>/guard.json`, one pattern of all.

An answer may mix languages, so both are read at once. The entries are regular expressions over
folded text.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import regex

from catalog.product import LOCALES, Locale
from pipeline.lexicon.words import Words

Status = str
"""in, out, preorder or backorder."""
STATUSES = ("in", "out", "preorder", "backorder")


@dataclass(frozen=True, slots=True)
class ClaimWords:
    """The lists of both languages; `join` and `unknown` are for each locale."""

    lists: Mapping[str, tuple[str, ...]]
    signs: Mapping[str, tuple[str, ...]]
    currencies: Mapping[str, tuple[str, ...]]
    stock: Mapping[Status, tuple[str, ...]]
    offer: Mapping[Status, tuple[str, ...]]
    bound: Mapping[Status, tuple[str, ...]]
    join: Mapping[Locale, str]
    unknown: Mapping[Locale, str]
    values: tuple[str, ...]

    @classmethod
    def load(cls, folder: Path, lexicons: Mapping[Locale, Words]) -> "ClaimWords":
        """Read `folder/<locale>/guard.json`. Raises `OSError`, `KeyError` or `ValueError`."""
        files = {
            locale: json.loads((folder / locale / "guard.json").read_text(encoding="utf-8"))
            for locale in LOCALES
        }
        names = [name for name, entry in files["en"].items() if isinstance(entry, list)]
        return cls(
            lists={name: _all(data[name] for data in files.values()) for name in names},
            signs=_merged(data["signs"] for data in files.values()),
            currencies=_merged(data["currencies"] for data in files.values()),
            stock=_merged(data["stock"] for data in files.values()),
            offer=_merged(data["offer"] for data in files.values()),
            bound=_merged(data["bound_offer"] for data in files.values()),
            join={locale: data["join"] for locale, data in files.items()},
            unknown={locale: data["unknown"] for locale, data in files.items()},
            values=_chinese_values(lexicons),
        )


def _all(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(entry for entries in lists for entry in entries)


def _merged(tables: Iterable[Mapping[str, Iterable[str]]]) -> dict[str, tuple[str, ...]]:
    merged: dict[str, tuple[str, ...]] = {}
    for table in tables:
        for key, entries in table.items():
            merged[key] = (*merged.get(key, ()), *entries)
    return merged


def _chinese_values(lexicons: Mapping[Locale, Words]) -> tuple[str, ...]:
    words = (word.strip() for w in lexicons.values() for word in (*w.colors, *w.sizes))
    return tuple(sorted({word for word in words if word and not word.isascii()}))


@dataclass(frozen=True, slots=True)
class Mark:
    """A place where something is claimed; `kind` names the form: `signed`, `stock_out`."""

    kind: str
    start: int
    end: int
    text: str

    @property
    def is_money(self) -> bool:
        """Whether it is an amount, a discount or a promise, and not about stock."""
        return not self.kind.startswith(("stock", "offer", "left"))

    @property
    def status(self) -> Status:
        """in, out, preorder or backorder; what is left is in stock."""
        return self.kind.partition("_")[2] or "in"


def any_of(entries: Iterable[str]) -> str:
    """An expression for one of `entries`, the longest first; Latin ones as whole words."""
    ordered = sorted(set(entries), key=lambda entry: (-len(entry), entry))
    return "(?:" + "|".join(map(_bounded, ordered)) + ")" if ordered else r"(?!)"


def _bounded(entry: str) -> str:
    """`entry` with word boundaries where it begins or ends with a Latin letter."""
    before, close, rest = entry.partition(")") if entry.startswith("(?<") else ("", "", entry)
    body = before + close + rest.replace(" ", r"\s+")
    if regex.match(r"(?:\(\?:|\[)?[a-z]", entry):
        body = rf"(?<![a-z]){body}"
    if regex.search(r"[a-z][?)]*$", entry):
        body = rf"(?:{body})(?![a-z])"
    return body


def compiled(expression: str) -> Any:
    """`expression` over folded text."""
    return regex.compile(expression)


def escaped(signs: Iterable[str]) -> str:
    """An expression for one of the currency signs."""
    ordered = sorted(signs, key=lambda sign: (-len(sign), sign))
    return "(?:" + "|".join(r"\$" if sign == "$" else sign for sign in ordered) + ")"
