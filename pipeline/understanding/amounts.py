"""Numbers that may be money, as shoppers write them: "$1,200", "twenty bucks", "两三百块"."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from pipeline.lexicon.cues import Cues, alternatives, every

_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_HAN_DIGIT = "零〇一二两三四五六七八九"
_HAN_SCALE = {"十": 10, "百": 100, "千": 1000, "万": 10000}
_ENDS_WORD = re.compile(r"[a-z0-9._]")
_HAN = rf"[{_HAN_DIGIT}十百千万]+"


@dataclass(frozen=True, slots=True)
class Amount:
    """A number and its place; `upto`: the other end of "两三百". `unit`: it measures something."""

    value: Decimal
    start: int
    end: int
    currency: str | None = None
    unit: bool = False
    upto: Decimal | None = None


class AmountReader:
    """Finds the amounts of a folded text."""

    def __init__(self, cues: Iterable[Cues]) -> None:
        cues = tuple(cues)
        self._currencies = {
            name.casefold(): code
            for c in cues
            for code, names in c.data["bounds"]["currencies"].items()
            for name in names
        }
        self._numbers: Mapping[str, int] = {
            word: value for c in cues for word, value in c.data["bounds"]["numbers"].items()
        }
        words = alternatives(word for word in self._numbers if word.isascii() and len(word) > 1)
        money = alternatives(self._currencies)
        spelt = rf"(?:a\s+)?{words}(?:[\s-]+(?:and\s+)?{words})*"
        self._amount = re.compile(
            rf"(?P<before>{money})?\s*(?P<number>(?:{_DIGITS})(?:\s*(?:k(?![a-z])|[百千万]))?"
            rf"|{_HAN}|{spelt}|(?<![a-z])an?(?=\s+{money}))\s*(?:(?P<more>多|来|几))?(?P<after>{money})?"
        )
        units = alternatives(every(cues, "bounds", "units"))
        self._unit = re.compile(rf"\s*-?\s*{units}")
        self._ends_unit = re.compile(rf"\d{units}$")

    def read(self, text: str) -> list[Amount]:
        """In the order of the text; parts of words such as "iphone12" are none."""
        found = []
        for match in self._amount.finditer(text):
            at = match.start("number")
            if at > 0 and _ENDS_WORD.match(text[at - 1]) and not match.group("before"):
                continue
            value, upto = self._value(match.group("number").strip())
            if value is None:
                continue
            named = match.group("before") or match.group("after")
            currency = self._currencies.get(named) if named else None
            end = match.end() if match.group("after") else match.end("number")
            if match.group("more"):
                end = match.end("more") if not match.group("after") else match.end()
            tail = text[end : end + 1]
            letters = tail.isascii() and tail.isalnum()
            measured = letters or self._unit.match(text, end) or self._ends_unit.search(text[:at])
            unit = currency is None and bool(measured)
            start = match.start("before") if match.group("before") else at
            found.append(Amount(value, start, end, currency, unit, upto))
        return found

    def _value(self, written: str) -> tuple[Decimal | None, Decimal | None]:
        if written[0].isdigit():
            scale = {"k": 1000, **_HAN_SCALE}.get(written[-1], 1)
            digits = written.rstrip("k百千万").replace(",", "").strip()
            return Decimal(digits) * scale, None
        if written[0].isascii():
            return self._spelt(written), None
        return _han(written)

    def _spelt(self, written: str) -> Decimal:
        """ "two hundred and fifty", "a grand"."""
        total, group = 0, 0
        for word in re.findall(r"[a-z]+", written):
            value = self._numbers.get(word)
            if value is None:
                continue
            if value >= 100:
                group = (group or 1) * value
                total, group = (total + group, 0) if value > 100 else (total, group)
            else:
                group += value
        return Decimal(total + group or 1)


def _han(written: str) -> tuple[Decimal | None, Decimal | None]:
    """A Chinese number, or the two ends of "两三百" and "七八十"; "两百五" is 250."""
    if range_ := re.fullmatch(rf"([{_HAN_DIGIT}])([{_HAN_DIGIT}])([十百千万]+)", written):
        first, second, scale = range_.groups()
        ends = [_plain_han(digit + scale) for digit in (first, second)]
        return ends[0], ends[1]
    return _plain_han(written), None


def _plain_han(written: str) -> Decimal | None:
    if all(digit in _HAN_DIGIT for digit in written):
        if len(written) > 1:
            return Decimal("".join(str(_digit(d)) for d in written))
        return Decimal(_digit(written))
    total, group, digit, scale = 0, 0, 0, 1
    for sign in written:
        if sign in _HAN_DIGIT:
            digit = _digit(sign)
            scale = 1 if sign in "零〇" else scale
            continue
        size = _HAN_SCALE[sign]
        if size == 10000:
            total, group = total + (group + digit or 1) * size, 0
        else:
            group += (digit or 1) * size
        digit, scale = 0, size // 10
    return Decimal(total + group + digit * scale)


def _digit(sign: str) -> int:
    return 0 if sign in "零〇" else 2 if sign == "两" else "一二三四五六七八九".index(sign) + 1
