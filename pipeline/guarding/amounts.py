"""What an amount in a text says: how much, in which currencies that can be, or how much off."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import regex

from catalog.product import Money, Variant
from pipeline.guarding.claim_words import ClaimWords, Mark, any_of, compiled, escaped
from pipeline.guarding.numerals import CHINESE, DIGITS, ENGLISH, FEW, number

_NUMBER = compiled(f"{DIGITS}|{CHINESE}|{ENGLISH}|{FEW}")
_DIME = compiled(r"(\d|[零一二三四五六七八九])$")
_HUNDRED, _TEN = Decimal(100), Decimal(10)
_CENT = Decimal("0.01")
_HALF_POINT = Decimal("0.5")


@dataclass(frozen=True, slots=True)
class Amount:
    """Numbers that are all claimed. `share` is what is left to pay of 100; `off` is taken off.

    `values` may be empty: something is promised that no record can say. `currencies` empty: any.
    """

    kind: Literal["price", "off", "share"]
    values: tuple[Decimal, ...]
    currencies: frozenset[str] = frozenset()


class AmountReader:
    """Reads the marks of money, with the words of every language."""

    def __init__(self, words: ClaimWords) -> None:
        lists = words.lists
        self._signs = _table(words.signs)
        self._units = _table(words.currencies)
        self._cents = compiled(any_of(lists["cents"]))
        self._sign = compiled(escaped(words.signs))
        self._unit = compiled(any_of(words.currencies))
        self._off_after = compiled(rf"\s?{any_of(lists['off'])}")
        self._off_before = compiled(rf"{any_of(lists['saving'])}\s?(?:by|of|up to)?\s?$")

    def read(self, mark: Mark, text: str) -> Amount:
        """The amount at `mark` in folded `text`."""
        if mark.kind in ("half", "promise"):
            return Amount("share", (Decimal(50),) if mark.kind == "half" else ())
        found = tuple(value for value in map(number, _NUMBER.findall(mark.text)))
        if not found or None in found:
            return Amount("price", ())
        values = tuple(value for value in found if value is not None)
        if mark.kind == "percent":
            return Amount("share", tuple(_HUNDRED - value for value in values))
        if mark.kind == "zhe":
            return Amount("share", tuple(map(_of_hundred, values)))
        return self._money(mark, text, values)

    def _money(self, mark: Mark, text: str, values: tuple[Decimal, ...]) -> Amount:
        off = self._off_after.match(text, mark.end) or self._off_before.search(text[: mark.start])
        unit = _NUMBER.sub(" ", mark.text)
        if self._cents.search(unit):
            values = tuple(value / _HUNDRED for value in values)
        elif len(values) == 2 and mark.kind == "united" and _DIME.search(mark.text):
            values = (values[0] + values[1] / _TEN,)
        if regex.search(r"k\b|千|thousand|万", unit):
            scale = 10_000 if "万" in unit else 1000
            values = tuple(value * scale for value in values)
        return Amount("off" if off else "price", values, self._currencies(unit))

    def _currencies(self, unit: str) -> frozenset[str]:
        """Those that the sign and the word leave possible; none if neither is there."""
        sign = self._sign.search(unit)
        codes = _lookup(self._signs, sign.group()) if sign else frozenset[str]()
        if name := self._unit.search(unit):
            meant = _lookup(self._units, name.group())
            return codes & meant or meant
        return codes


def is_true(amount: Amount, variants: Sequence[Variant]) -> bool:
    """Whether one of `variants` has the price, the sale or the saving that is claimed."""
    return bool(amount.values) and all(
        any(_fits(amount, value, variant) for variant in variants) for value in amount.values
    )


def _fits(amount: Amount, value: Decimal, variant: Variant) -> bool:
    price, sale = variant.price, variant.sale_price
    if amount.kind == "price":
        return any(_same(amount, value, money) for money in (price, sale) if money is not None)
    if sale is None or sale.amount >= price.amount:
        return False
    if amount.kind == "off":
        return _same(amount, value, Money(price.amount - sale.amount, price.currency))
    return abs(sale.amount * _HUNDRED / price.amount - value) <= _HALF_POINT


def _same(amount: Amount, value: Decimal, money: Money) -> bool:
    return value == money.amount and (not amount.currencies or money.currency in amount.currencies)


def _of_hundred(value: Decimal) -> Decimal:
    """八折 and 八五折, 8折 and 85折: both say how much of the price is left."""
    return value * _TEN if value < _TEN else value


def _table(names: Mapping[str, tuple[str, ...]]) -> list[tuple[Any, frozenset[str]]]:
    ordered = sorted(names, key=lambda name: (-len(name), name))
    return [
        (compiled(r"\$" if name == "$" else any_of([name])), frozenset(names[name]))
        for name in ordered
    ]


def _lookup(table: list[tuple[Any, frozenset[str]]], text: str) -> frozenset[str]:
    for name, codes in table:
        if name.fullmatch(text):
            return codes
    return frozenset()
