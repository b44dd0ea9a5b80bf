"""What one prompt reused of the engine's prefix cache, and why the rest had to be computed."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pipeline.prompting.parts import Ids, Part
from pipeline.reuse.ledger import Ledger

Reason = Literal["evicted", "seam", "changed", "moved", "new"]
REASONS: tuple[Reason, ...] = get_args(Reason)
"""Why tokens are computed, each token for one reason:

evicted: the engine had their blocks, and gave them up; seam: it had them, but not as a full block
that this prompt shares, or as the prompt's last one; changed: a product's text, price or stock is
another than it was; moved: the same was computed behind something else; new: never seen.
"""
_REMEMBERED = 8192


@dataclass(frozen=True, slots=True)
class Reuse:
    """In tokens. `reusable`: what the engine should have had; `lost`: what it computed, by reason,
    which with the cached ones makes the prompt."""

    reusable: int
    lost: Mapping[Reason, int]


class Books:
    """The ledger, and what each product's parts last were. One for each process."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._told: OrderedDict[tuple[int, str, str], int] = OrderedDict()

    def open(self, parts: Sequence[Part]) -> "Account":
        """The account of a prompt that is about to be sent."""
        return Account(self, parts)

    def reasons(self, parts: Sequence[Part]) -> list[Reason]:
        """Why each part would have to be computed, if it is not cached; remembers what it says."""
        head = hash(parts[0].ids) if parts else 0
        return [self._reason(head, part) for part in parts]

    def _reason(self, head: int, part: Part) -> Reason:
        if not part.key:
            return "new"
        place, said = (head, part.kind, part.key), hash(part.ids)
        before = self._told.get(place)
        self._told[place] = said
        self._told.move_to_end(place)
        if len(self._told) > _REMEMBERED:
            self._told.popitem(last=False)
        if before is None:
            return "new"
        return "moved" if before == said else "changed"


class Account:
    """Of one prompt: opened before it is sent, told when the engine answers and when it ends."""

    def __init__(self, books: Books, parts: Sequence[Part]) -> None:
        self._ledger = books.ledger
        self._ids: Ids = tuple(token for part in parts for token in part.ids)
        self._parts = [
            (len(part.ids), reason)
            for part, reason in zip(parts, books.reasons(parts), strict=True)
        ]
        self._reusable = self._ledger.reusable(self._ids)
        self._seam = self._ledger.seam(self._ids)
        self.reuse: Reuse | None = None

    def answered(self, cached: int | None) -> None:
        """The engine gave the first token, having had `cached` tokens; None if it does not say."""
        self._ledger.add(self._ids, cached or 0)
        if cached is not None:
            self.reuse = Reuse(max(self._reusable, cached), self._lost(cached))

    def ended(self, generated: Ids) -> None:
        """The engine generated these tokens, of which it never computes the last."""
        self._ledger.add((*self._ids, *generated[:-1]), len(self._ids))

    def _lost(self, cached: int) -> dict[Reason, int]:
        lost: dict[Reason, int] = dict.fromkeys(REASONS, 0)
        lost["evicted"] = max(self._reusable - cached, 0)
        if cached <= self._reusable:
            lost["seam"] = min(self._seam, len(self._ids) - self._reusable)
        told = max(self._reusable, cached) + lost["seam"]
        begin = 0
        for length, reason in self._parts:
            end = begin + length
            lost[reason] += max(end - max(begin, told), 0)
            begin = end
        return lost
