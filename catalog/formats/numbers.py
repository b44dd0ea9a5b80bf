"""Numbers as people and spreadsheets write them, read exactly or not at all.

`1.299,00`, `1 234,56`, `1'234.50` and `1,23,456.78` each say by themselves what they are.
`1,299` does not: it is read only when the other numbers of the file tell how it writes decimals,
and refused otherwise.
"""

import re
import unicodedata
from decimal import Decimal
from typing import Literal

from catalog.formats.model import Decimals
from catalog.formats.reasons import Reason, why

Role = Literal["point", "comma"]

_BLANKS = str.maketrans(dict.fromkeys("\u00a0\u202f\u2009\u2007", " ") | {"’": "'", "٬": "'"})
_PLAIN = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,2})?")
_SHAPE = re.compile(r"[0-9][0-9., ']*")
_SCIENTIFIC = re.compile(r"[+-]?\d+(?:[.,]\d+)?e[+-]?\d+", re.IGNORECASE)
_GROUPED = {
    sep: re.compile(rf"\d{{1,3}}(?:{re.escape(sep)}\d{{3}})+") for sep in (".", ",", " ", "'")
}
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}")
_MAX_DIGITS = 15


class NumberError(ValueError):
    """Not a number, or more than one; `why` says how to write it."""

    def __init__(self, why: Reason) -> None:
        super().__init__(why.reason)
        self.why = why


def normal(text: str) -> str:
    """`text` with full-width digits, odd blanks and apostrophes made plain, and stripped."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text.translate(_BLANKS))
    return plain.strip()


def evidence(text: str) -> Role | None:
    """How a number writes decimals, if it shows it: `12.50` and `1,299.00` show a point."""
    number = normal(text)
    if not _SHAPE.fullmatch(number):
        return None
    point, comma = number.count("."), number.count(",")
    if point and comma:
        return "point" if number.rfind(".") > number.rfind(",") else "comma"
    if point > 1 or comma > 1:
        return "comma" if point else "point"
    if point + comma == 1 and not _undecided(number):
        return "point" if point else "comma"
    return None


def merged(roles: set[Role]) -> Decimals:
    """How a file writes decimals, from what its numbers show."""
    if len(roles) == 2:
        return "mixed"
    return next(iter(roles), "unknown")


def parse_number(text: str, decimals: Decimals = "unknown", places: int = 2) -> Decimal:
    """The number in `text`. Raises `NumberError`.

    `decimals` is how the file writes them; `places` is how many the unit has (3 for KWD).
    """
    number = normal(text)
    if _PLAIN.fullmatch(number):
        return Decimal(number)
    _refuse_what_is_none(number)
    separator = _decimal_separator(number, decimals, places)
    whole, _, fraction = number.partition(separator) if separator else (number, "", "")
    digits = _ungrouped(whole, number)
    if not fraction.isdigit() and separator:
        raise _unreadable(number)
    if len(digits) + len(fraction) > _MAX_DIGITS:
        raise NumberError(why("too_many_digits", limit=_MAX_DIGITS))
    return Decimal(f"{digits}.{fraction}" if fraction else digits)


def _refuse_what_is_none(number: str) -> None:
    if not number:
        raise NumberError(why("number_empty"))
    if _SCIENTIFIC.fullmatch(number):
        raise NumberError(why("shortened"))
    if number[0] in "-−(" and any(map(str.isdigit, number)):
        raise NumberError(why("below_zero"))
    if not _SHAPE.fullmatch(number):
        raise _unreadable(number)


def _decimal_separator(number: str, decimals: Decimals, places: int) -> str:
    """The sign before the decimals, or "" if there are none."""
    point, comma = number.count("."), number.count(",")
    role = evidence(number)
    if point + comma == 0:
        return ""
    if point + comma > 1 and not (point and comma):
        return ""
    if role is not None:
        return "." if role == "point" else ","
    sign = "." if point else ","
    if decimals == ("comma" if sign == "." else "point"):
        return ""
    whole, _, fraction = number.partition(sign)
    if decimals not in ("point", "comma"):
        both = {"whole": f"{whole}{fraction}", "decimal": f"{whole}.{fraction}"}
        raise NumberError(why("number_ambiguous", number=number, **both))
    if places == 3:
        return sign
    both = {"thousands": f"{whole}{fraction}{sign}00", "decimal": f"{whole}{sign}{fraction[:2]}"}
    raise NumberError(why("three_decimals", sign=repr(sign), **both))


def _undecided(number: str) -> bool:
    """Whether the one separator of `number` may be of thousands or of decimals."""
    if " " in number or "'" in number:
        return False
    whole, fraction = re.split("[.,]", number)
    return len(fraction) == 3 and 1 <= len(whole) <= 3 and whole[0] != "0"


def _ungrouped(whole: str, number: str) -> str:
    """The digits of the part before the decimals, if its groups are right."""
    if whole.isdigit():
        return whole
    kinds = {char for char in whole if not char.isdigit()}
    if len(kinds) == 1 and _GROUPED[kinds.pop()].fullmatch(whole):
        return re.sub(r"\D", "", whole)
    if _INDIAN.fullmatch(whole):
        return whole.replace(",", "")
    raise _unreadable(number)


def _unreadable(number: str) -> NumberError:
    return NumberError(why("number_unreadable"))
