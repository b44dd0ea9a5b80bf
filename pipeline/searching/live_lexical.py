"""The lexical leg while it changes: an immutable snapshot, a small delta, and tombstones.

As in `pipeline/searching/live_index.py`: a change makes a new delta and swaps it in whole, so a
search sees the catalogue before a change or after it. A delta that has grown is committed in a
thread.
"""

import asyncio
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.background import behind
from pipeline.lexicon.analysis import Terms
from pipeline.lexicon.vocabulary import Vocabulary
from pipeline.searching.lexical import LexicalIndex, LexicalStore, Row, Rows


@dataclass(frozen=True, slots=True)
class _Delta:
    """Rows newer than the snapshot, and ids whose rows in the snapshot no longer count."""

    rows: Rows = field(default_factory=dict)
    gone: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Now:
    """What a search sees: read in one step, since a commit exchanges both at once."""

    base: LexicalIndex
    delta: _Delta


class LiveLexical:
    """Ids by the words they share with a question. One event loop changes it.

    `merge_at` products or tombstones in the delta are the sign to commit.
    """

    def __init__(self, store: LexicalStore, base: LexicalIndex, merge_at: int = 256) -> None:
        self._store = store
        self._now = _Now(base, _Delta())
        self._merge_at = merge_at
        self._learns = True
        self._merging: asyncio.Task[None] | None = None

    @property
    def vocabulary(self) -> Vocabulary:
        """Every word that a product was ever described by."""
        return self._store.vocabulary

    def known(self, terms: Terms) -> dict[str, float]:
        """`terms` with misspelt words replaced by what they were meant to be."""
        return self._store.vocabulary.known(terms)

    def whole(self, terms: Terms) -> float:
        """What a product of usual length scores that has all of `terms` that are known here."""
        base = self._now.base
        return base.statistics.whole(terms, base.frequency(terms))

    def search(
        self, terms: Terms, k: int, among: Collection[str] | None = None
    ) -> list[tuple[str, float]]:
        """At most `k` different ids with their BM25 score, best first; only those `among`."""
        now = self._now
        base, delta = now.base, now.delta
        found = dict(_standing(base, delta.gone, terms, k, self._numbers(among)))
        fresh = delta.rows if among is None else _only(delta.rows, among)
        if fresh:
            frequency = base.frequency(terms)
            for id_, rows in fresh.items():
                score = max(
                    (base.statistics.score(row, terms, frequency) for row in rows), default=0
                )
                if score > 0:
                    found[id_] = score
        return sorted(found.items(), key=lambda pair: -pair[1])[:k]

    def change(self, upserts: Rows, removals: Sequence[str] = ()) -> None:
        """Put in, replace and take out products."""
        now, removed = self._now, set(removals)
        rows = {id_: old for id_, old in now.delta.rows.items() if id_ not in removed}
        delta = _Delta({**rows, **upserts}, now.delta.gone | removed | set(upserts))
        self._now = _Now(now.base, delta)
        if self._learns:
            self._store.learn(upserts)
        size = max(len(delta.rows), len(delta.gone))
        if size >= self._merge_at and self._merging is None:
            self._merging = asyncio.create_task(self._merge())

    def fork(self) -> "LiveLexical":
        """As it is now, to be changed alone: it shares the snapshot, and never commits."""
        fork = LiveLexical(self._store, self._now.base, merge_at=sys.maxsize)
        fork._now, fork._learns = self._now, False
        return fork

    async def merged(self) -> None:
        """Wait for a commit that is under way, if one is."""
        if self._merging is not None:
            await asyncio.shield(self._merging)

    def _numbers(self, among: Collection[str] | None) -> list[int] | None:
        if among is None:
            return None
        numbers = self._store.numbers
        return [numbers[id_] for id_ in among if id_ in numbers]

    async def _merge(self) -> None:
        try:
            taken = self._now.delta
            base = await behind(self._store.commit, taken.rows, taken.gone - taken.rows.keys())
            now = self._now.delta
            rows = {id_: r for id_, r in now.rows.items() if taken.rows.get(id_) is not r}
            gone = (now.gone - taken.gone) | (set(taken.rows) - set(now.rows)) | set(rows)
            self._now = _Now(base, _Delta(rows, frozenset(gone)))
        finally:
            self._merging = None


def _only(rows: Rows, among: Collection[str]) -> Mapping[str, Sequence[Row]]:
    return {id_: rows[id_] for id_ in among if id_ in rows}


def _standing(
    base: LexicalIndex,
    gone: frozenset[str],
    terms: Terms,
    k: int,
    among: Collection[int] | None,
) -> list[tuple[str, float]]:
    """The best `k` of `base` that are not `gone`: asks for more until there are enough."""
    wanted = k
    while True:
        found = base.search(terms, wanted, among)
        standing = [(id_, score) for id_, score in found if id_ not in gone]
        if len(standing) >= k or len(found) < wanted:
            return standing[:k]
        wanted *= 4
