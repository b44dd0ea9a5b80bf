"""Prices asked for: bounds ("between $5 and $10", "三百元以内") and order ("cheapest", "最贵的").

Only numbers that can be money count: a number with a unit, or that counts something, is left alone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from pipeline.found import Bounds, Order
from pipeline.lexicon.cues import Cues, alternatives, every
from pipeline.lexicon.words import Words, stem
from pipeline.understanding.amounts import Amount, AmountReader

_AROUND = Decimal("0.2")
"""How far from "around 100" a price may lie."""
_LEAST_RANGE = 10
"""A bare "2-3" is hardly a range of prices."""
_WORD = re.compile(r"\s*([a-z]+)")
_SIDES = ("upper", "lower", "around")
_FLIPPED = {"upper": "lower", "lower": "upper"}


@dataclass(frozen=True, slots=True)
class PriceWish:
    """What a question says of prices; `cheaper` and `dearer` compare with something known.

    `spans` are the places that said it.
    """

    bounds: Bounds | None = None
    order: Order | None = None
    cheaper: bool = False
    dearer: bool = False
    spans: tuple[tuple[int, int], ...] = ()


class BoundsReader:
    """Reads `PriceWish`es from folded questions."""

    def __init__(self, cues: Iterable[Cues], lexicons: Iterable[Words]) -> None:
        cues = tuple(cues)
        self._amounts = AmountReader(cues)
        self._stop = frozenset[str]().union(*(words.stop for words in lexicons))
        self._before = _Sided({side: every(cues, "bounds", f"{side}_before") for side in _SIDES})
        self._after = _Sided({side: every(cues, "bounds", f"{side}_after") for side in _SIDES})
        self._filler = re.compile(alternatives(every(cues, "bounds", "filler")) + r"\s*$")
        self._not = re.compile(alternatives(every(cues, "bounds", "flip")) + r"\s*$")
        self._to = re.compile(rf"\s*{alternatives(every(cues, 'bounds', 'to'))}\s*")
        self._between = re.compile(alternatives(every(cues, "bounds", "between")) + r"\s*$")
        self._sizes = re.compile(alternatives(every(cues, "bounds", "not_price")) + r"\s*$")
        self._bargain = re.compile(alternatives(every(cues, "order", "bargain")))
        self._strict = frozenset(every(cues, "bounds", "strict"))
        self._orders = [
            (name, re.compile(alternatives(every(cues, "order", name))))
            for name in ("cheapest", "dearest", "cheaper", "dearer", "cheap")
        ]

    def read(self, text: str) -> PriceWish:
        """The prices that `text`, which is folded, asks for."""
        amounts = self._amounts.read(text)
        found: list[tuple[Bounds, tuple[int, int]]] = []
        at = 0
        while at < len(amounts):
            pair = self._pair(text, amounts[at : at + 2])
            read = pair or self._single(text, amounts[at])
            if read is not None:
                found.append(read)
            at += 2 if pair else 1
        bounds: Bounds | None = None
        for one, _ in found:
            bounds = one if bounds is None else _both(bounds, one)
        return self._ordered(text, bounds, [span for _, span in found])

    def _ordered(self, text: str, bounds: Bounds | None, spans: list[tuple[int, int]]) -> PriceWish:
        rest = self._bargain.sub(lambda match: " " * len(match.group()), text)
        for start, end in spans:
            rest = rest[:start] + " " * (end - start) + rest[end:]
        said: dict[str, tuple[int, int]] = {}
        for name, pattern in self._orders:
            for match in pattern.finditer(rest):
                said.setdefault(name, match.span())
                rest = rest[: match.start()] + " " * len(match.group()) + rest[match.end() :]
        order: Order | None = None
        if "cheapest" in said:
            order = "cheapest"
        elif "dearest" in said:
            order = "dearest"
        cheaper = "cheaper" in said or "cheap" in said
        every_span = (*spans, *said.values())
        return PriceWish(bounds, order, cheaper, "dearer" in said, every_span)

    def _pair(self, text: str, amounts: Sequence[Amount]) -> tuple[Bounds, tuple[int, int]] | None:
        """Two amounts with "to" between them."""
        if len(amounts) < 2:
            return None
        low, high = amounts
        if not self._to.fullmatch(text[low.end : high.start]) or high.unit:
            return None
        between = self._between.search(text[: low.start])
        currency = high.currency or low.currency
        if (
            not currency
            and not between
            and (min(low.value, high.value) < _LEAST_RANGE or self._sizes.search(text[: low.start]))
        ):
            return None
        if not currency and not self._is_price(text, high):
            return None
        start = between.start() if between else low.start
        first, last = sorted((low.value, high.value))
        return Bounds(first, last, currency), (start, high.end)

    def _single(self, text: str, amount: Amount) -> tuple[Bounds, tuple[int, int]] | None:
        if amount.unit:
            return None
        before = text[: amount.start]
        while filler := self._filler.search(before):
            before = before[: filler.start()]
        side, cue, start = self._before.at_end(before)
        if side == "around" and (outer := self._before.at_end(before[:start]))[0]:
            side, cue, start = outer
        flipped = self._not.search(before[:start]) if side in _FLIPPED else None
        if flipped is not None:
            side, start, cue = _FLIPPED[side], flipped.start(), ""
        after, cue_after, end = self._after.at_start(text, amount.end)
        if side in ("", "around") and after:
            side, cue, start = after, cue_after, amount.start
        elif not after:
            end = amount.end
        if not side and amount.upto is not None and amount.currency:
            return Bounds(amount.value, amount.upto, amount.currency), (amount.start, end)
        if not side or (not amount.currency and not after and not self._is_price(text, amount)):
            return None
        if side == "around" and not amount.currency and not after:
            return None
        return self._bounds(side, amount, strict=cue in self._strict), (start, end)

    def _bounds(self, side: str, amount: Amount, *, strict: bool) -> Bounds:
        value, top = amount.value, amount.upto or amount.value
        if side == "upper":
            return Bounds(None, top, amount.currency, strict)
        if side == "lower":
            return Bounds(value, None, amount.currency, strict)
        return Bounds(value * (1 - _AROUND), top * (1 + _AROUND), amount.currency)

    def _is_price(self, text: str, amount: Amount) -> bool:
        """Whether nothing that is counted follows a number without a currency."""
        word = _WORD.match(text, amount.end)
        return word is None or stem(word.group(1)) in self._stop or word.group(1) in self._stop


class _Sided:
    """Cues of several sides, found at the edge of a text; the longest wins."""

    def __init__(self, sides: Mapping[str, Sequence[str]]) -> None:
        self._sides = {cue: side for side, cues in sides.items() for cue in cues}
        either = alternatives(self._sides)
        self._end = re.compile(rf"({either})[\s:：]*$")
        self._start = re.compile(rf"[\s,，]*({either})")

    def at_end(self, text: str) -> tuple[str, str, int]:
        """(side, cue, where it begins) of the cue that ends `text`."""
        match = self._end.search(text[-40:])
        if match is None:
            return "", "", len(text)
        cue = re.sub(r"\s+", " ", match.group(1))
        return self._sides.get(cue, ""), cue, max(0, len(text) - 40) + match.start()

    def at_start(self, text: str, at: int) -> tuple[str, str, int]:
        """(side, cue, where it ends) of the cue at this place of `text`."""
        match = self._start.match(text, at)
        if match is None:
            return "", "", at
        cue = re.sub(r"\s+", " ", match.group(1))
        return self._sides.get(cue, ""), cue, match.end()


def _both(one: Bounds, other: Bounds) -> Bounds:
    """What satisfies both."""
    lows = [b.low for b in (one, other) if b.low is not None]
    highs = [b.high for b in (one, other) if b.high is not None]
    return Bounds(
        max(lows, default=None),
        min(highs, default=None),
        one.currency or other.currency,
        one.strict or other.strict,
    )
