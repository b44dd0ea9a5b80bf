"""Trimming by time: a prompt whose uncached tokens would take longer to compute than is left.

It goes without products beyond the first that are not cached, then without facts beyond the first,
then without the end of a stable block. A block is cut only where a block of the engine's cache
ends, so that what is computed now is reused by the whole one later. The question, the live facts,
the first fact and the transcript stay: the transcript is cached, and cutting it would cost more.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from pipeline.prompting.parts import Ids, Part
from pipeline.prompting.trim import Block


@dataclass(frozen=True, slots=True)
class Spare:
    """How many uncached `tokens` there is time for; `reusable` tells how many of the first of some
    ids are cached."""

    tokens: int
    reusable: Callable[[Ids], int]

    def over(self, ids: Ids) -> int:
        """How many uncached tokens `ids` has too many."""
        return max(len(ids) - self.reusable(ids) - self.tokens, 0)


def uncached(parts: Sequence[Part], spare: Spare, block_tokens: int) -> set[str]:
    """The products whose blocks are not cached, but for less than a block of the cache: that much
    is computed again anyway wherever two texts meet."""
    cached = spare.reusable(_joined(parts)) + block_tokens
    ends = accumulate(len(part.ids) for part in parts)
    rows = zip(parts, ends, strict=True)
    return {part.key for part, end in rows if part.kind == "product" and end >= cached}


def shortened(
    parts: Sequence[Part], blocks: dict[str, Block], spare: Spare, block_tokens: int
) -> tuple[Part, ...]:
    """`parts` with the last block that is not cached cut as far as it must and may be: one block of
    the cache stays at least, and what is cached."""
    ids, missing = _joined(parts), uncached(parts, spare, block_tokens)
    over, reusable = spare.over(ids), spare.reusable(ids)
    at = max((n for n, part in enumerate(parts) if _may_go(part, missing)), default=None)
    if at is None or over == 0:
        return tuple(parts)
    start = sum(len(part.ids) for part in parts[:at])
    part, block = parts[at], blocks[parts[at].key]
    least = max(start + block_tokens, reusable)
    most = start + len(part.ids) - 1
    ends = range(most // block_tokens * block_tokens - start, least - start - 1, -block_tokens)
    cuts = [cut for end in ends if (cut := block.cut_at(end)) and len(cut) < len(part.ids)]
    if not cuts:
        return tuple(parts)
    cut = next((cut for cut in cuts if len(part.ids) - len(cut) >= over), cuts[-1])
    return (*parts[:at], replace(part, ids=cut), *parts[at + 1 :])


def _may_go(part: Part, missing: set[str]) -> bool:
    return part.kind == "product" and part.key in missing


def _joined(parts: Sequence[Part]) -> Ids:
    return tuple(token for part in parts for token in part.ids)
