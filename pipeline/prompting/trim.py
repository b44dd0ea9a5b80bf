"""Making a prompt fit: what goes first, and where a text may be cut.

Oldest turns go first, then the extra products, then the ends of long product texts. A cut lies
between tokens and between whole characters, as a reader sees them: never inside an emoji.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.prompting.tokenizer import Span, Tokenizer, scrub

Ids = tuple[int, ...]
ELLIPSIS = " … "


@dataclass(frozen=True, slots=True)
class Block:
    """A text's ids. `whole[i]` is 1 if a cut after `ids[i]` leaves whole characters.

    `closing` are the ids that end the text and stay when it is cut.
    """

    ids: Ids
    whole: bytes
    closing: Ids

    def cut(self, limit: int) -> Ids:
        """The longest beginning that, with its closing, has at most `limit` ids."""
        if limit >= len(self.ids):
            return self.ids
        end = _last_whole(self.whole, limit - len(self.closing))
        return (*self.ids[:end], *self.closing) if end else ()

    def cut_at(self, end: int) -> Ids:
        """The first `end` ids with the closing; empty if that would part a character."""
        return (*self.ids[:end], *self.closing) if end > 0 and self.whole[end - 1] else ()

    def shortened(self, limit: int) -> "Block":
        """A block of at most `limit` ids."""
        ids = self.cut(limit)
        kept = self.whole[: max(len(ids) - len(self.closing), 0)]
        return Block(ids, kept.ljust(len(ids), b"\1"), self.closing)


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is left: turns from `first_turn` on, `products` of them, their blocks; and what went."""

    first_turn: int
    blocks: tuple[Ids, ...]
    trimmed: int


def block_of(tokenizer: Tokenizer, text: str) -> Block:
    """`text`, which ends with one line break or more, ready to be cut."""
    text = scrub(text)
    ids, spans = tokenizer.encode_with_spans(text)
    return Block(ids, _whole(text, spans), tokenizer.encode(text[len(text.rstrip("\n")) :]))


def fit(
    budget: int,
    turns: Sequence[int],
    blocks: Sequence[Block],
    extras: Sequence[int],
    low_water: float = 1.0,
) -> Fitted:
    """Fit what may be trimmed into `budget` tokens.

    `turns` are the lengths of earlier turns, oldest first; `blocks` the products' texts, the most
    important first, and `extras` the lengths of what goes with each. Turns that do not fit are cut
    down to the part `low_water` of their room, so that the next ones need no cut.
    """
    products = sum(len(block.ids) for block in blocks) + sum(extras)
    before = sum(turns) + products
    first = _first_kept(turns, budget - products, low_water)
    over = before - sum(turns[:first]) - budget
    kept = len(blocks)
    while over > 0 and kept > 1:
        kept -= 1
        over -= len(blocks[kept].ids) + extras[kept]
    cut = tuple(block.ids for block in blocks[:kept])
    if over > 0 and cut:
        cut = (blocks[0].cut(max(len(blocks[0].ids) - over, 0)),)
    after = sum(turns[first:]) + sum(map(len, cut)) + sum(extras[:kept])
    return Fitted(first, cut, before - after)


def _first_kept(turns: Sequence[int], room: int, low_water: float) -> int:
    """The first turn to keep; the last one stays where there is room for it at all."""
    left, first = sum(turns), 0
    if left <= room:
        return 0
    while first < len(turns) and left > room * low_water:
        if first == len(turns) - 1 and left <= room:
            break
        left -= turns[first]
        first += 1
    return first


def clip(tokenizer: Tokenizer, text: str, limit: int) -> str:
    """The longest beginning of `text` that is at most `limit` tokens, and whole characters."""
    text = scrub(text)
    if len(text.encode()) <= limit:
        return text
    ids, spans = tokenizer.encode_with_spans(text)
    if len(ids) <= limit:
        return text
    end = _last_whole(_whole(text, spans), limit)
    return text[: spans[end - 1][1]] if end else ""


def clip_middle(tokenizer: Tokenizer, text: str, limit: int) -> tuple[str, int]:
    """`text` with its middle cut out so that about `limit` tokens are left, and how many went.

    The beginning and the end of a long message tell most of what it asks.
    """
    text = scrub(text)
    if len(text.encode()) <= limit:
        return text, 0
    ids, spans = tokenizer.encode_with_spans(text)
    if len(ids) <= limit:
        return text, 0
    whole = _whole(text, spans)
    half = max(limit // 2, 1)
    head = _last_whole(whole, half)
    tail = max(len(ids) - half, head)
    while tail < len(ids) and not whole[tail - 1]:
        tail += 1
    start = spans[head - 1][1] if head else 0
    stop = spans[tail - 1][1] if tail else 0
    return text[:start] + ELLIPSIS + text[stop:], tail - head


def _last_whole(whole: bytes, limit: int) -> int:
    end = min(max(limit, 0), len(whole))
    while end > 0 and not whole[end - 1]:
        end -= 1
    return end


def _whole(text: str, spans: Sequence[Span]) -> bytes:
    starts = [start for start, _ in spans[1:]] + [len(text)]
    return bytes(
        end <= start and not _inside_cluster(text, end)
        for (_, end), start in zip(spans, starts, strict=True)
    )


def _inside_cluster(text: str, at: int) -> bool:
    """Whether a cut at `at` would part what a reader sees as one character."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before == "\u200d" or after in "\u200d\ufe0e\ufe0f\u20e3" or unicodedata.combining(after):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    return _is_flag_letter(before) and _is_flag_letter(after)


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
