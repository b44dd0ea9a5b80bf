"""Claims in a sentence, and which words of it belong to which: "S is in stock, L is sold out"."""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import regex

from pipeline.guarding.claim_patterns import Patterns
from pipeline.guarding.claim_words import ClaimWords, Mark, any_of, compiled

_COMMAS = compiled(r"[,，;；]|\bbut\b|\bwhile\b|但是?|而|不过")
_JOINED = compiled(r"[,，;；]|\bbut\b|\bwhile\b|\band\b|但是?|而|不过|和")
_TURNED = {
    "stock_in": "stock_out",
    "stock_out": "stock_in",
    "offer_in": "offer_out",
    "offer_out": "offer_in",
}


@dataclass(frozen=True, slots=True)
class Said:
    """A claim with the words around it that say of what. `fresh`: nothing before it counts."""

    mark: Mark
    before: str
    after: str
    fresh: bool = False

    @property
    def around(self) -> str:
        """The claim with both sides."""
        return f"{self.before} {self.mark.text} {self.after}"


def plain(text: str) -> str:
    """`text` in one width and case, character for character: every place stays what it is."""
    return text.lower() if text.isascii() else "".join(map(_plain, text))


def _plain(character: str) -> str:
    folded = unicodedata.normalize("NFKC", character).casefold()
    return folded if len(folded) == 1 else character


def marks(
    text: str, patterns: Patterns, spellings: Sequence[str], *, asks_price: bool
) -> Iterator[Mark]:
    """The claims in folded `text`, from left to right."""
    place = 0
    while place < len(text):
        mark = patterns.at(text, place, spellings, asks_price=asks_price, partial=False)
        if mark is not None:
            yield mark
        place = place + 1 if mark is None else max(mark.end, place + 1)


class ClauseReader:
    """Gives each claim of a sentence its words."""

    def __init__(self, words: ClaimWords) -> None:
        lists = words.lists
        self._after = compiled(rf"\s*{any_of(lists['after'])}")
        self._denied = compiled(any_of(lists["negators"]))
        self._not_denied = compiled(any_of(lists["not_negators"]))
        self._except = compiled(any_of(lists["except"]))
        self._doubt = compiled(any_of(lists["doubts"]))
        self._not_stock = compiled(any_of(lists["not_stock"]))
        self._all = compiled(any_of(lists["all"]))

    def stock(self, text: str, found: Sequence[Mark], names: Callable[[str], object]) -> list[Said]:
        """Claims of availability; `names` tells whether a part names an option value."""
        said: list[Said] = []
        before, fresh = text[: found[0].start], True
        for mark, following in zip(found, [*found[1:], None], strict=True):
            gap = text[mark.end : following.start if following else None]
            after, handed = (gap, "") if following is None else self._shared(gap, names)
            said += self._parted(Said(mark, before, after, fresh))
            before, fresh = handed, bool(regex.search("[;；]", gap))
        return said

    def _parted(self, said: Said) -> Iterator[Said]:
        """A claim and what it is said not to hold of: "in S and M, but not in L"."""
        except_for = self._except.search(said.after)
        kind = _TURNED.get(said.mark.kind)
        if except_for is None or kind is None:
            yield said
            return
        yield replace(said, after=said.after[: except_for.start()])
        turned = replace(said.mark, kind=kind, text="")
        yield Said(turned, "", said.after[except_for.end() :])

    def _shared(self, gap: str, names: Callable[[str], object]) -> tuple[str, str]:
        """What of the words between two claims belongs to the first, and what to the second."""
        for parting in (_COMMAS, _JOINED):
            *_, last = [0, *(match.end() for match in parting.finditer(gap))]
            if last and names(gap[last:]):
                return gap[:last], gap[last:]
        if self._after.match(gap) or not names(gap):
            return gap, ""
        return "", gap

    def is_denied(self, before: str) -> bool:
        """Whether the words right before a claim turn it round."""
        clause = _COMMAS.split(before)[-1]
        return self._denied.search(self._not_denied.sub(" ", clause)) is not None

    def is_doubted(self, before: str) -> bool:
        """Whether it is not claimed for certain: such a sentence is not taken at its word."""
        return self._doubt.search(_COMMAS.split(before)[-1]) is not None

    def is_of_something_else(self, before: str) -> bool:
        """Whether it is information that is not available, and not a product."""
        return self._not_stock.search(_COMMAS.split(before)[-1]) is not None

    def is_of_all(self, said: Said) -> bool:
        """Whether it is claimed of every one."""
        return self._all.search(said.around) is not None


def amount_clauses(text: str, found: Sequence[Mark]) -> list[str]:
    """For each amount the part of `text` that says what it is for: "$45 for S, $50 for L"."""
    commas = [m for m in _JOINED.finditer(text) if not _within(m, found)]
    places = [0, *(m.end() for m in commas), len(text)]
    parts = list(pairwise(places))
    clauses: list[tuple[int, int]] = []
    for start, end in parts:
        has_amount = any(start <= mark.start < end for mark in found)
        if clauses and not (
            has_amount and any(clauses[-1][0] <= m.start < clauses[-1][1] for m in found)
        ):
            clauses[-1] = (clauses[-1][0], end)
        else:
            clauses.append((start, end))
    return [
        next(text[start:end] for start, end in clauses if start <= mark.start < end)
        for mark in found
    ]


def _within(match: Any, found: Sequence[Mark]) -> bool:
    return any(mark.start <= match.start() < mark.end for mark in found)


def without_leads(text: str, stock: Sequence[Mark]) -> list[Mark]:
    """`stock` without the "have" of "have it in stock", which only leads to the claim, and without
    the "it" of "have it"."""
    kept: list[Mark] = []
    for mark, following in zip(stock, [*stock[1:], None], strict=False):
        leads = (
            following is not None
            and mark.kind.startswith("offer")
            and following.kind.startswith(("stock", "left"))
            and not any(comma in text[mark.end : following.start] for comma in ",，;；")
        )
        goes_on = bool(kept) and mark.kind.startswith("offer") and _adjoins(kept[-1], mark, text)
        if not leads and not goes_on:
            kept.append(mark)
    return kept


def _adjoins(first: Mark, second: Mark, text: str) -> bool:
    return first.kind.startswith("offer") and not text[first.end : second.start].strip()


def blank(text: str, money: Sequence[Mark]) -> str:
    """`text` without the amounts, whose digits are no sizes."""
    for mark in money:
        text = text.replace(mark.text, " " * len(mark.text))
    return text
