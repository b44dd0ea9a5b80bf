"""What money, discounts and stock are called: `templates/<locale>/guard.json`, one pattern of all.

An answer may mix languages, so both are read at once. The entries are regular expressions over
folded text. The `regex` library is used because it tells a beginning of a match from none, which
is what a stream needs to know at its end.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import regex

from catalog.product import LOCALES, Locale
from pipeline.numerals import CHINESE, DIGITS, ENGLISH, FEW
from pipeline.words import Words

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


@dataclass(frozen=True, slots=True)
class Form:
    """How something is claimed, and what must stand right `before` it, if anything must.

    A lookbehind of varying length will not do: at the beginning of a text the library takes it
    for a partial match.
    """

    pattern: Any
    before: Any = None

    def at(self, text: str, place: int, partial: bool) -> Any:
        """The match that begins at `place`; with `partial` one that may come to be."""
        match = self.pattern.match(text, place, partial=partial)
        if match is None or self.before is None:
            return match
        return match if self.before.search(text, max(place - _REACH, 0), place) else None


_REACH = 48
"""How far back it is looked for what stands before a claim."""


class Patterns:
    """Where a claim begins in folded text: one expression for shoppers who ask for a price and one
    for those who do not, made once."""

    def __init__(self, words: ClaimWords) -> None:
        stock = Form(compiled(stock_expression(words)))
        self._forms = {asks: (*money_forms(words, asks), stock) for asks in (False, True)}
        self._bound = sorted(
            ((word, status) for status, entries in words.bound.items() for word in entries),
            key=lambda pair: -len(pair[0]),
        )

    def at(
        self, text: str, place: int, spellings: Iterable[str], *, asks_price: bool, partial: bool
    ) -> Mark | None:
        """The claim that begins at `place`; with `partial` one that may begin there too, if what
        comes next makes it one. `spellings` are option values that 有 makes a claim with."""
        if place and _in_word(text, place):
            return None
        for form in self._forms[asks_price]:
            if (match := form.at(text, place, partial)) is not None:
                return Mark(match.lastgroup or "", place, match.end(), match.group())
        return self._value_at(text, place, spellings, partial)

    def _value_at(
        self, text: str, place: int, spellings: Iterable[str], partial: bool
    ) -> Mark | None:
        for word, status in self._bound:
            if not text.startswith(word, place):
                continue
            rest = text[place + len(word) :]
            for spelling in spellings:
                if rest.startswith(spelling) or (partial and spelling.startswith(rest)):
                    end = min(place + len(word) + len(spelling), len(text))
                    return Mark(f"offer_{status}", place, end, text[place:end])
        return None


def _in_word(text: str, place: int) -> bool:
    """Whether `place` is inside a Latin word, where no claim begins."""
    here, before = text[place], text[place - 1]
    return here.isascii() and here.isalpha() and before.isascii() and before.isalpha()


def money_forms(words: ClaimWords, asks_price: bool) -> Iterator[Form]:
    """Amounts, discounts and promises. With `asks_price` bare numbers and percents count too."""
    lists = words.lists
    percent = rf"{DIGITS}\s?{any_of(lists['percent'])}"
    yield Form(compiled(_money(words, percent, asks_price)))
    yield Form(
        compiled(rf"(?P<percent>{percent})"),
        compiled(rf"{any_of(lists['saving'])}\s?(?:by|of|up to)?\s?$"),
    )
    priced = any_of((*lists["price_words"], *lists["price_leads"]))
    unit = any_of((*words.currencies, *lists["cents"]))
    yield Form(compiled(rf"(?P<united>{FEW}\s?-?{unit})"), compiled(rf"{priced}\s$"))
    yield Form(compiled(rf"(?P<united>{unit})"), compiled(rf"{FEW}[\s-]$"))
    yield Form(compiled(rf"(?P<zhe>{_ZHE})"), compiled(r"(?:打|享受?)\s?$"))
    chinese = "(?>[零一二两三四五六七八九十百千万]{2,12})"
    yield Form(
        compiled(
            rf"(?P<bare>{_EDGE}(?:{DIGITS}|{chinese})(?!\s?{any_of(lists['percent'])})(?![-/]\d))"
        ),
        compiled(rf"{any_of(lists['price_words'])}[^\d,.;!?，。；！？]{{0,16}}$"),
    )
    if asks_price:
        yield Form(
            compiled(rf"(?P<bare>{_EDGE}{DIGITS}(?=\s*(?:[.,;!?，。；！？)]|$)))"),
            compiled(rf"(?:(?:^|[\s，,：:]){any_of(lists['price_leads'])}\s?|^\s*)$"),
        )


_EDGE = r"(?<!\d)(?<!\d[.,])"


def _money(words: ClaimWords, percent: str, asks_price: bool) -> str:
    """What is money by itself, whatever stands before it."""
    signs, lists = escaped(words.signs), words.lists
    number = f"(?:{DIGITS}|{CHINESE}|{ENGLISH})"
    span = rf"\s?[-–~至到]\s?(?:{signs}\s?)?"
    unit = any_of((*words.currencies, *lists["cents"]))
    several = r"(?:\s?(?:k(?![a-z])|万|千|thousand))?"
    dime = r"(?:[\d零一二三四五六七八九](?![\d个件]))?"
    off = "" if asks_price else rf"\s?-?{any_of(lists['off'])}"
    priced = "(?!叠)" if asks_price else "(?=优惠|起|促销|销售|特价|出售)"
    forms = [
        rf"(?P<signed>(?<![a-z]){signs}\s?{DIGITS}(?:{span}{DIGITS})?{several}(?:\s?{unit})?)",
        rf"(?P<united>{_EDGE}{number}(?:{span}{number})?{several}\s?-?{unit}{dime})",
        rf"(?P<percent>{_EDGE}{percent}{off})",
        rf"(?P<zhe>{_EDGE}{_ZHE}{priced})",
        rf"(?P<half>{any_of(lists['half'])})",
        rf"(?P<promise>{any_of(lists['promises'])})",
    ]
    if asks_price:
        forms.append(rf"(?P<bare>{_EDGE}(?<![\w-])\d+\.\d\d(?!\d)(?!\s?[a-z\u3400-\u9fff%]))")
    return "|".join(forms)


_ZHE = r"(?>\d{1,2}(?:\.\d)?|[一二三四五六七八九]{1,2})\s?折"


def escaped(signs: Iterable[str]) -> str:
    """An expression for one of the currency signs."""
    ordered = sorted(signs, key=lambda sign: (-len(sign), sign))
    return "(?:" + "|".join(r"\$" if sign == "$" else sign for sign in ordered) + ")"


def stock_expression(words: ClaimWords) -> str:
    """Claims of availability."""
    many = rf"(?<!\d)(?P<count>{DIGITS}|[一二两三四五六七八九十]{{1,5}})"
    counted = "|".join(
        entry.replace(" ", r"\s?").replace("{n}", rf"\s?{many}").removeprefix(r"\s?")
        for entry in words.lists["left"]
    )
    spelled = any_of(words.values)
    bound = rf"\s?(?:{spelled}|(?=(?:的|了|哦|呢)?\s*(?:[，。！？；,;!]|$)))"
    forms = [rf"(?P<left>{counted})"]
    forms += [
        rf"(?P<stock_{status}>{any_of(words.stock[status])})"
        for status in ("preorder", "backorder", "out", "in")
    ]
    forms += [
        rf"(?P<offer_{status}>{any_of(words.offer[status])}"
        rf"|{any_of(words.bound[status])}{bound})"
        for status in ("out", "in")
    ]
    return "|".join(forms)
