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

    def take(match: re.Match[str]) -> str:
        number = match["number"].replace(" ", "-")
        found.append(f"{number}{_unit(match)}")
        return f" {number} "

    return _MEASURE.sub(take, _TIMES.sub(" x ", text)), found


def _unit(match: re.Match[str]) -> str:
    if mark := match["mark"]:
        return "ft" if mark in ("'", "’", "′") else "in"
    return _UNITS[match["latin"] or match["han"]]
