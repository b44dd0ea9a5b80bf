"""Measures as one word each: "30 litre", "30-liter", "30L" and "30升" are all `30l`.

Only the spelling is made the same; nothing is converted, since a record says what it says.
"""

import re
from collections.abc import Mapping

_SPELLINGS: Mapping[str, str] = {
    "l": "l litre litres liter liters ltr 升 公升",
    "ml": "ml millilitre millilitres milliliter milliliters 毫升",
    "gal": "gal gals gallon gallons 加仑",
    "qt": "qt qts quart quarts 夸脱",
    "oz": "oz ounce ounces 盎司",
    "lb": "lb lbs pound pounds 磅",
    "kg": "kg kgs kilo kilos kilogram kilograms 公斤 千克",
    "g": "g gram grams gramme grammes 克",
    "mg": "mg milligram milligrams 毫克",
    "gsm": "gsm g/m2 g/sqm 克/平方米 克每平方米 克/平米 克/平",
    "mm": "mm millimetre millimetres millimeter millimeters 毫米",
    "cm": "cm centimetre centimetres centimeter centimeters 厘米 公分",
    "m": "m metre metres meter meters 米",
    "in": "in inch inches 英寸 寸 吋",
    "ft": "ft foot feet 英尺",
    "yd": "yd yds yard yards",
    "w": "w watt watts 瓦",
    "kw": "kw kilowatt kilowatts 千瓦",
    "v": "v volt volts 伏",
    "amp": "amp amps ampere amperes 安培",
    "mah": "mah 毫安",
    "btu": "btu btus",
    "gb": "gb gigabyte gigabytes",
    "tb": "tb terabyte terabytes",
    "pack": "pk pack packs",
    "piece": "pc pcs piece pieces 片装 件装 只装 个装 支装",
}
_UNITS = {word: unit for unit, words in _SPELLINGS.items() for word in words.split()}
_LATIN = "|".join(sorted((w for w in _UNITS if w.isascii()), key=len, reverse=True))
_HAN = "|".join(sorted((w for w in _UNITS if not w.isascii()), key=len, reverse=True))
_DIGIT = "零一二三四五六七八九"
_SPELT = re.compile(rf"([{_DIGIT}两十百]+)(?=\s?(?:{_HAN}))")
_AND_TENTHS = re.compile(rf"(\d)\s?(?:米|m(?![a-z0-9]))([{_DIGIT[1:]}\d])(?![{_DIGIT}两十百\d.])")
NUMBER = r"\d+(?:[.,]\d+)*(?:(?:-|\s)?\d+/\d+)?|\d+/\d+"
_MEASURE = re.compile(
    rf"(?<![a-z0-9_.])(?P<number>{NUMBER})(?:"
    rf"\s*(?P<mark>\"|”|''|′′|'|’|′)(?![a-z0-9_])"
    rf"|[\s-]?(?P<latin>{_LATIN})(?![a-z0-9_])\.?"
    rf"|\s?(?P<han>{_HAN}))"
)
_TIMES = re.compile(r"(?<=[\d\"'a-z′.])\s*[x×*]\s*(?=\d)")


def measured(text: str) -> tuple[str, list[str]]:
    """Folded `text` without its measures, and the measures as words, such as `30l`.

    The bare numbers stay in the text, for those who leave the unit out.
    """
    found: list[str] = []
    text = spelled_out(text)

    def take(match: re.Match[str]) -> str:
        number = match["number"].replace(" ", "-")
        found.append(f"{number}{_unit(match)}")
        return f" {number} "

    return _MEASURE.sub(take, _TIMES.sub(" x ", text)), found


def spelled_out(text: str) -> str:
    """Folded `text` with the numbers of its Chinese measures as digits: 三十公分, 一米八."""
    if not _SPELT.search(text) and not _AND_TENTHS.search(text):
        return text
    text = _SPELT.sub(lambda match: _digits(match.group()), text)
    return _AND_TENTHS.sub(lambda m: f"{m[1]}.{_digits(m[2])}米", text)


def _digits(written: str) -> str:
    """A Chinese number under a thousand in digits; several digits alone as they stand."""
    if written.isascii():
        return written
    if not {"十", "百"} & set(written):
        return "".join(str(_value(sign)) for sign in written)
    total, digit = 0, 0
    for sign in written:
        if sign in "十百":
            total, digit = total + (digit or 1) * (10 if sign == "十" else 100), 0
        else:
            digit = _value(sign)
    return str(total + digit)


def _value(sign: str) -> int:
    return 2 if sign == "两" else _DIGIT.index(sign)


def _unit(match: re.Match[str]) -> str:
    if mark := match["mark"]:
        return "ft" if mark in ("'", "’", "′") else "in"
    return _UNITS[match["latin"] or match["han"]]
