"""Whether an answer is right, by rule and without a model.

Right means: one of the right values stands, as whole words, within the first 40 words (80
characters in Chinese), and no competing value does. A competing value is one that the question
lists as wrong or, when an amount of money was asked for, any other amount.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

WORDS, CHARACTERS = 40, 80
"""The window, in English words and in Chinese characters."""

_CJK = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_LOOSE_SPACE = re.compile(rf"\s+(?=[{_CJK}/+*×:;])|(?<=[{_CJK}/+*×:;])\s+")
"""Space that says nothing: "45 * 45cm" is "45*45cm"."""
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_MONEY = re.compile(
    rf"(?:[$€£¥]|\b(?:usd|cny|rmb|eur|gbp))\s*(?P<after>{_NUMBER})"
    rf"|(?P<before>{_NUMBER})\s*(?:美元|欧元|英镑|港元|日元|元|块|[€£]|(?:dollars?|usd|cny|rmb|eur|gbp)\b)"
    r"|(?<![\d.,])(?P<cents>\d[\d,]*\.\d\d)(?![\d.]*\d)"
)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question with its right and competing values. `kind` is what it asks about."""

    question: str
    answers: tuple[str, ...]
    wrong: tuple[str, ...]
    sku: str | None
    chinese: bool
    kind: str


def labelled(row: Mapping[str, Any]) -> Labelled:
    """A line of a question file. Raises `KeyError` if it has no question or no right values."""
    question = str(row["question"])
    language = row.get("lang")
    chinese = bool(re.search(f"[{_CJK}]", question)) if language is None else language == "zh"
    sku = row.get("sku")
    return Labelled(
        question=question,
        answers=tuple(map(str, row["answers"])),
        wrong=tuple(map(str, row.get("wrong") or ())),
        sku=None if sku is None else str(sku),
        chinese=chinese,
        kind=str(row.get("kind") or "all"),
    )


def is_right(answer: str, question: Labelled) -> bool:
    """Whether `answer` has a right value in the window, and no competing one."""
    seen = window(answer, question.chinese)
    if not any(has_value(seen, value) for value in question.answers):
        return False
    if any(has_value(seen, value) for value in question.wrong):
        return False
    asked = {amount for value in question.answers for amount in amounts(value)}
    return not asked or amounts(seen) <= asked


def window(answer: str, chinese: bool) -> str:
    """The part of `answer` that counts, normalised."""
    text = normalised(answer)
    if chinese:
        return text[:CHARACTERS]
    return " ".join(text.split()[:WORDS])


def normalised(text: str) -> str:
    """`text` in one width and one case, with single spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split())


def has_value(text: str, value: str) -> bool:
    """Whether normalised `text` has `value` as whole words: 9.99 is neither in 19.99 nor 9.995.

    Chinese has no space between words: there only letters and digits need an end.
    """
    wanted, text = (_LOOSE_SPACE.sub("", normalised(t)) for t in (value, text))
    if not wanted:
        return False
    left = rf"(?<![^\W_{_CJK}])(?<!\d[.,])" if _is_letter(wanted[0]) else ""
    right = rf"(?![^\W_{_CJK}])(?![.,]\d)" if _is_letter(wanted[-1]) else ""
    return re.search(left + re.escape(wanted) + right, text) is not None


def amounts(text: str) -> set[Decimal]:
    """Every amount of money in `text`: with a currency beside it, or with two decimals."""
    found = set()
    for match in _MONEY.finditer(normalised(text)):
        number = next(group for group in match.groups() if group is not None)
        try:
            found.add(Decimal(number.replace(",", "")))
        except InvalidOperation:
            continue
    return found


def _is_letter(character: str) -> bool:
    return character.isalnum() and not re.match(f"[{_CJK}]", character)
