"""Numbers as people write them: 1,299.00, 9,99, １４９, 一百四十九, thirty-one."""

from decimal import Decimal, InvalidOperation

DIGITS = r"(?>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+\.\d+|\d+,\d{1,2}(?!\d)|\d+)"
CHINESE = r"(?>[零〇一二两三四五六七八九十百千万]{1,12}(?:点[零〇一二三四五六七八九]{1,4})?)"

_UNIT_WORDS = "zero one two three four five six seven eight nine"
_TEEN_WORDS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS = {word: number for number, word in enumerate(_UNIT_WORDS.split())}
_TEENS = {word: number + 10 for number, word in enumerate(_TEEN_WORDS.split())}
_TENS = {word: number * 10 for number, word in enumerate(_TEN_WORDS.split(), start=2)}
_SCALES = {"hundred": 100, "thousand": 1000}
_WORDS = _UNITS | _TEENS | _TENS
_UNIT = "|".join(_UNITS)
_TALL = rf"(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{_UNIT}))?|(?:{'|'.join(_TEENS)}))"
_LARGE = rf"(?:hundred|thousand)(?:(?:\s+and)?\s+(?:{_TALL}|{_UNIT}))?"
ENGLISH = rf"(?<![a-z])(?:{_TALL}(?:[\s-]{_LARGE}){{0,2}}|{_LARGE}(?:[\s-]{_LARGE})?)"
"""From ten on: a smaller number is a common word, and counts only before a currency."""
FEW = rf"(?<![a-z])(?:{_UNIT})(?:[\s-]{_LARGE}){{0,2}}"

_DIGIT = {
    character: value
    for value, row in enumerate(("零〇", "一", "二两", "三", "四", "五", "六", "七", "八", "九"))
    for character in row
}
_SCALE = {"十": 10, "百": 100, "千": 1000}


def number(text: str) -> Decimal | None:
    """The number that folded `text` says; None if it cannot be told for certain."""
    text = text.strip()
    if text[:1].isdigit():
        return _digits(text)
    return _english(text) if text.isascii() else _chinese(text)


def _digits(text: str) -> Decimal | None:
    whole, comma, end = text.rpartition(",")
    if comma and "." not in end and len(end) < 3:
        text = f"{whole}.{end}"
    try:
        return Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None


def _english(text: str) -> Decimal | None:
    total, current = 0, 0
    for word in text.replace("-", " ").split():
        if word in _SCALES:
            current = max(current, 1) * _SCALES[word]
            if word == "thousand":
                total, current = total + current, 0
        elif word in _WORDS:
            current += _WORDS[word]
        elif word != "and":
            return None
    return Decimal(total + current)


def _chinese(text: str) -> Decimal | None:
    whole, _, after = text.partition("点")
    value = _chinese_whole(whole)
    if value is None or not all(character in _DIGIT for character in after):
        return None
    decimals = "".join(str(_DIGIT[character]) for character in after)
    return Decimal(f"{value}.{decimals}") if decimals else Decimal(value)


def _chinese_whole(text: str) -> int | None:
    if len(text) > 1 and all(character in _DIGIT for character in text):
        return int("".join(str(_DIGIT[character]) for character in text))
    total, section, digit, scale = 0, 0, 0, 10
    for character in text:
        if character in _DIGIT:
            digit, scale = _DIGIT[character], 10 if character in "零〇" else scale
        elif character in _SCALE:
            scale = _SCALE[character]
            section, digit, scale = section + max(digit, 1) * scale, 0, scale // 10 or 1
        elif character == "万":
            total, section, digit = (section + digit) * 10_000, 0, 0
        else:
            return None
    short = scale if digit and section and "零" not in text and "〇" not in text else 1
    return total + section + digit * (short if text[-2:-1] in _SCALE and text[-2:-1] != "十" else 1)
