"""Which prefixes the engine has computed, as far as this process can tell.

The engine caches full blocks of KV, each known by its own tokens and all before them, and reuses
at most all but the last token of a prompt. The ledger keeps the same books beside it, so that one
can tell before a request what it should find cached, and after it what was lost and why.
It does not see evictions: a prefix that it knows may be gone.
"""

from array import array
from collections import OrderedDict
from collections.abc import Sequence
from itertools import takewhile

Ids = Sequence[int]

_BEGINNING = 0
"""The key before the first block."""
_TAILS = 4
"""How many continuations of one block are remembered."""


class Ledger:
    """At most `capacity` blocks of `block_tokens` tokens; the one used last stays longest.

    `computed` counts the tokens that the engine computed since the start, the ones told here.
    `cleared` counts how often all was forgotten.
    """

    def __init__(self, block_tokens: int, capacity: int = 16384) -> None:
        self.block_tokens = block_tokens
        self.computed = 0
        self.cleared = 0
        self._capacity = max(capacity, 1)
        self._blocks: OrderedDict[int, list[array[int]]] = OrderedDict()

    def reusable(self, ids: Ids) -> int:
        """How many of the first `ids` are in full blocks that were computed before."""
        return len(self._known(ids)) * self.block_tokens

    def seam(self, ids: Ids) -> int:
        """How many `ids` after the reusable ones were computed before, but in no full block that
        `ids` share: they must be computed again."""
        keys = self._known(ids)
        rest = array("I", ids[len(keys) * self.block_tokens :][: self.block_tokens])
        tails = self._blocks.get(keys[-1] if keys else _BEGINNING, ())
        return max((_alike(rest, tail) for tail in tails), default=0)

    def is_warm(self, ids: Ids) -> bool:
        """Whether every full block of `ids` was computed before."""
        return self.reusable([*ids, 0]) == len(ids) // self.block_tokens * self.block_tokens

    def add(self, ids: Ids, cached: int = 0) -> None:
        """The engine has computed `ids`, of which it had `cached` already."""
        self.computed += max(len(ids) - cached, 0)
        parent = _BEGINNING
        for at in range(0, len(ids), self.block_tokens):
            block = array("I", ids[at : at + self.block_tokens])
            self._touch(parent, block)
            if len(block) < self.block_tokens:
                break
            parent = _key(parent, block)
            self._touch(parent, None)

    def clear(self) -> None:
        """The engine's cache was emptied."""
        self._blocks.clear()
        self.cleared += 1

    def _known(self, ids: Ids) -> list[int]:
        """The keys of the leading full blocks that were computed before."""
        keys, parent = list[int](), _BEGINNING
        size = self.block_tokens
        for at in range(0, (len(ids) - 1) // size * size, size):
            parent = _key(parent, array("I", ids[at : at + size]))
            if parent not in self._blocks:
                break
            keys.append(parent)
        return keys

    def _touch(self, key: int, tail: "array[int] | None") -> None:
        """Use the block `key`, which `tail` followed."""
        tails = self._blocks.setdefault(key, [])
        self._blocks.move_to_end(key)
        if tail is not None:
            if tail in tails:
                tails.remove(tail)
            tails.append(tail)
            del tails[:-_TAILS]
        while len(self._blocks) > self._capacity:
            self._blocks.popitem(last=False)


def _key(parent: int, block: "array[int]") -> int:
    return hash((parent, block.tobytes()))


def _alike(one: "array[int]", other: "array[int]") -> int:
    """With how many of the same they begin."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in same)
