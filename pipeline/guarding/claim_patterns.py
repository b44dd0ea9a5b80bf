"""What a claim looks like: where in a text an amount or an availability begins, or may begin.

The `regex` library is used because it tells the beginning of a match from none, which is what a
stream needs to know at its end.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pipeline.guarding.claim_words import ClaimWords, Mark, any_of, compiled, escaped
from pipeline.guarding.numerals import CHINESE, DIGITS, ENGLISH, FEW


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
