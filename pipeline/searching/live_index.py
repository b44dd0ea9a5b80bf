"""An index that changes while it is searched: an immutable base, a small delta, and tombstones.

A change makes a new delta and swaps it in whole, so a search sees the index before a change or
after it, never in between. When the delta has grown it is merged into a new base, in a thread of
low priority; changes that come in meanwhile stay in the delta.

Where there are many rows a base is approximate; merges then add to a copy of it, in a moment,
until so much has changed that it is built afresh.
"""

import asyncio
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from catalog.product import LOCALES
from pipeline.background import behind
from pipeline.encoder import Vectors
from pipeline.searching.embedding_models import Device
from pipeline.searching.index import VectorIndex
from pipeline.searching.index_rows import gathered

APPROXIMATE_AT = 5_000
"""Rows from which it pays: below, an exact search takes some two milliseconds on one core."""


@dataclass(frozen=True, slots=True)
class _Delta:
    """Rows newer than the base, and ids whose base rows no longer count."""

    rows: Mapping[str, Vectors] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    ids: tuple[str, ...] = ()
    matrix: Vectors | None = None


def _delta(rows: Mapping[str, Vectors], gone: frozenset[str]) -> _Delta:
    ids = tuple(id_ for id_, vectors in rows.items() for _ in range(len(vectors)))
    return _Delta(rows, gone, ids, np.concatenate(list(rows.values())) if rows else None)


@dataclass(frozen=True, slots=True)
class _Now:
    """What a search sees: read in one step, since a merge exchanges both at once."""

    base: VectorIndex
    delta: _Delta


class LiveIndex:
    """Ids by nearness of their vectors; a product may have several rows.

    `merge_at` rows or tombstones in the delta are the sign to merge, a thousandth of the base where
    that is more. From `approximate_at` rows on a CPU, a new base is approximate.
    """

    def __init__(
        self,
        base: VectorIndex,
        device: Device = "cpu",
        merge_at: int = 512,
        approximate_at: int = APPROXIMATE_AT,
    ) -> None:
        self._now = _Now(base, _Delta())
        self._device: Device = device
        self._merge_at, self._approximate_at = merge_at, approximate_at
        self._merging: asyncio.Task[None] | None = None

    def search(self, vector: Vectors, k: int) -> list[tuple[str, float]]:
        """At most `k` different ids with their cosine similarity, best first."""
        now = self._now
        base, delta = now.base, now.delta
        found = dict(base.search(vector, k, delta.gone))
        if delta.matrix is not None:
            for id_, score in _best(delta.ids, delta.matrix @ vector, k * len(LOCALES)):
                found[id_] = max(found.get(id_, -1.0), score)
        return sorted(found.items(), key=lambda pair: -pair[1])[:k]

    def scores(self, vector: Vectors, ids: Iterable[str]) -> dict[str, float]:
        """Each id's own similarity, exactly; ids that are not here are left out."""
        now = self._now
        base, delta = now.base, now.delta
        ids = list(ids)
        found = base.scores(vector, [id_ for id_ in ids if id_ not in delta.gone])
        fresh = {id_: rows for id_ in ids if (rows := delta.rows.get(id_)) is not None}
        found.update({id_: float((rows @ vector).max()) for id_, rows in fresh.items()})
        return found

    def change(self, upserts: Mapping[str, Vectors], removals: Sequence[str] = ()) -> None:
        """Put in, replace and take out ids. `upserts` maps an id to its rows, float32 [r, d]."""
        now, removed = self._now, set(removals)
        rows = {id_: old for id_, old in now.delta.rows.items() if id_ not in removed}
        delta = _delta({**rows, **upserts}, now.delta.gone | removed | set(upserts))
        self._now = _Now(now.base, delta)
        size = len(delta.ids) + len(delta.gone)
        if size >= max(self._merge_at, len(now.base) // 1000):
            self.merge()

    def merge(self) -> None:
        """Begin to merge, if no merge is under way."""
        if self._merging is None:
            self._merging = asyncio.create_task(self._merge())

    def fork(self) -> "LiveIndex":
        """As it is now, to be changed alone: it shares the vectors, and never merges."""
        fork = LiveIndex(self._now.base, self._device, merge_at=sys.maxsize)
        fork._now = self._now
        return fork

    async def merged(self) -> None:
        """Wait for a merge that is under way, if one is."""
        if self._merging is not None:
            await asyncio.shield(self._merging)

    async def _merge(self) -> None:
        try:
            taken = self._now.delta
            base = await behind(_merged, self._now.base, taken, self._device, self._approximate_at)
            now = self._now.delta
            rows = {id_: v for id_, v in now.rows.items() if taken.rows.get(id_) is not v}
            gone = (now.gone - taken.gone) | (set(taken.rows) - set(now.rows)) | set(rows)
            self._now = _Now(base, _delta(rows, frozenset(gone)))
        finally:
            self._merging = None


def built(
    ids: Sequence[str],
    vectors: Vectors,
    device: Device = "cpu",
    approximate_at: int = APPROXIMATE_AT,
) -> VectorIndex:
    """A base made afresh, exact or approximate by its size. Takes 10 s for 100,000 rows."""
    return VectorIndex(ids, vectors, device, approximate=len(ids) >= approximate_at)


def _best(ids: Sequence[str], scores: Vectors, k: int) -> Iterator[tuple[str, float]]:
    """The `k` rows with the best scores, in no order."""
    places = range(len(ids)) if len(ids) <= k else np.argpartition(-scores, k)[:k]
    return ((ids[place], float(scores[place])) for place in places)


def _merged(base: VectorIndex, delta: _Delta, device: Device, approximate_at: int) -> VectorIndex:
    """The base with the delta in it: a copy added to, or one built afresh."""
    if base.takes(len(delta.ids)):
        return base.changed(delta.gone, delta.ids, delta.matrix)
    ids, vectors = base.rows()
    stay = [row for row, id_ in enumerate(ids) if id_ not in delta.gone]
    kept = [ids[row] for row in stay]
    parts = [gathered(vectors, np.array(stay, dtype=np.int64))]
    parts += [delta.matrix] if delta.matrix is not None else []
    ids = (*kept, *delta.ids)
    return built(ids, np.concatenate(parts), device, approximate_at)
