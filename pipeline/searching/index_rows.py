"""The rows that snapshots of an index share: ids and vectors, which are only ever added to.

A snapshot knows how many rows it has, and looks at no row beyond.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.encoder import Vectors

_SPARE = 5
"""A fifth of room is left for what is added; it costs memory only once it is used."""


_AT_ONCE = 4096


def gathered(vectors: Vectors, rows: NDArray[np.int64]) -> Vectors:
    """`vectors[rows]`, while others may run: numpy copies by a list of rows with the GIL held."""
    found = np.empty((len(rows), vectors.shape[1]), dtype=np.float32)
    for at in range(0, len(rows), _AT_ONCE):
        part = rows[at : at + _AT_ONCE]
        np.take(vectors, part, axis=0, out=found[at : at + len(part)], mode="clip")
    return found


class IndexRows:
    """`ids[i]` has the vector `vectors[i]`; `places` are an id's rows, old ones too.

    `each` is the most rows that one id has had at once. One thread adds; any may read.
    """

    def __init__(self, ids: Sequence[str], vectors: Vectors) -> None:
        count, dimension = vectors.shape
        self.ids: list[str] = []
        self.vectors: Vectors = np.empty((count + count // _SPARE, dimension), dtype=np.float32)
        self.places: dict[str, tuple[int, ...]] = {}
        self.each = 1
        self.append(ids, vectors)

    @classmethod
    def of(cls, ids: Sequence[str], vectors: Vectors) -> "IndexRows":
        """The rows of an index made afresh. Raises `ValueError` if the numbers differ."""
        if vectors.ndim != 2 or len(ids) != len(vectors):
            raise ValueError(f"{len(ids)} ids for vectors of shape {vectors.shape}")
        return cls(ids, vectors)

    def fits(self, rows: int) -> bool:
        """Whether there is room for so many in all."""
        return rows <= len(self.vectors)

    def append(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Put rows at the end; `fits` said that there is room."""
        first = len(self.ids)
        self.vectors[first : first + len(ids)] = vectors
        self.ids.extend(ids)
        counts: dict[str, int] = {}
        for row, id_ in enumerate(ids, start=first):
            self.places[id_] = (*self.places.get(id_, ()), row)
            counts[id_] = counts.get(id_, 0) + 1
        self.each = max([self.each, *counts.values()])
