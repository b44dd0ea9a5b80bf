"""Nearest vectors by FAISS: an immutable snapshot, searched exactly or in the nearest cells alone.

FAISS may not be searched while it is changed, so a snapshot never is: a change makes the next one,
and `pipeline/searching/live_index.py` makes a changing index of them. `on_device` is the only place
where a GPU makes a difference.
"""

import logging
from collections.abc import Iterable, Sequence, Set
from math import sqrt
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from pipeline.encoder import Vectors
from pipeline.searching.embedding_models import Device
from pipeline.searching.index_rows import IndexRows, gathered

log = logging.getLogger(__name__)

_GPU_MOST = 2048
"""Rows that FAISS can bring from a GPU at once."""
_CELLS, _PROBED = 4, 32
"""Cells, times the square root of the rows; and the nearest ones, in which a search looks."""
_TRAINED_BY, _ROUNDS = 40, 8
"""Rows for each cell that the cells are made by, and the rounds of k-means that it takes."""
_LOOKED_AGAIN = 4
"""Rows compared again exactly, for each that is asked for: cells hold vectors in 8 bits."""


def gpu_count() -> int:
    """GPUs that this build of FAISS can use; 0 for faiss-cpu, and for faiss-gpu without a GPU."""
    return int(faiss.get_num_gpus()) if hasattr(faiss, "get_num_gpus") else 0


def usable(device: Device) -> Device:
    """`device`, or the CPU where FAISS finds no GPU; then the log says so."""
    if device == "gpu" and gpu_count() == 0:
        log.warning("this FAISS finds no GPU: vectors are kept and searched on the CPU")
        return "cpu"
    return device


def on_device(index: Any, device: Device) -> Any:
    """`index`, moved to the first GPU as fp16 when `device` is "gpu"."""
    if device == "cpu":
        return index
    options = faiss.GpuClonerOptions()
    options.useFloat16 = True
    return faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 0, index, options)


class VectorIndex:
    """Row `i` of `vectors`, float32 [n, d], belongs to `ids[i]`; near is what has a large inner
    product.

    A product may have several rows, one for each language it is written in. An `approximate` one
    looks in the nearest cells only, and its time hardly grows with n. A GPU needs none.
    """

    def __init__(
        self,
        ids: Sequence[str],
        vectors: Vectors,
        device: Device = "cpu",
        *,
        approximate: bool = False,
    ) -> None:
        self.exact = not approximate or device == "gpu"
        self._device: Device = device
        self._rows = IndexRows.of(ids, vectors)
        self._count = len(ids)
        self._living = self._count
        self._alive = np.ones(self._count, dtype=bool)
        self._index = on_device(_flat(vectors) if self.exact else _cells(vectors), device)

    def __len__(self) -> int:
        """Rows that count."""
        return self._living

    def search(
        self, vector: Vectors, k: int, without: Set[str] = frozenset()
    ) -> list[tuple[str, float]]:
        """At most `k` different ids with their cosine similarity, best first; none of `without`."""
        most = self._count if self._device == "cpu" else min(self._count, _GPU_MOST)
        wanted = min(k * self._rows.each * (1 if self.exact else _LOOKED_AGAIN), most)
        found: list[tuple[str, float]] = []
        while wanted > 0:
            scores, places = self._index.search(vector.reshape(1, -1), wanted)
            found = self._named(vector, places[0], scores[0], k, without)
            if len(found) == k:
                break
            if wanted == most or places[0, -1] < 0:
                complete = self.exact and wanted == self._count
                return found if complete else self._everything(vector, k, without)
            wanted = min(4 * wanted, most)
        return found

    def scores(self, vector: Vectors, ids: Iterable[str]) -> dict[str, float]:
        """Each id's own similarity, exactly; ids that are not here are left out."""
        rows = [(id_, row) for id_ in ids for row in self._rows_of(id_)]
        if not rows:
            return {}
        found: dict[str, float] = {}
        near = self._rows.vectors[[row for _, row in rows]] @ vector
        for (id_, _), score in zip(rows, near, strict=True):
            found[id_] = max(found.get(id_, -1.0), float(score))
        return found

    def rows(self) -> tuple[tuple[str, ...], Vectors]:
        """The id of every row that counts, and the vectors, float32 [n, d]."""
        ids = self._rows.ids[: self._count]
        kept = tuple(id_ for id_, alive in zip(ids, self._alive, strict=True) if alive)
        return kept, gathered(self._rows.vectors, np.flatnonzero(self._alive))

    def changed(
        self, gone: Iterable[str], ids: Sequence[str], vectors: Vectors | None
    ) -> "VectorIndex":
        """The next snapshot, without the rows of `gone` and with new ones after that. This one
        stays as it is; the next follows it alone.

        Raises `ValueError` where one made afresh is due: an exact index, or one that changed much.
        """
        if not self.takes(len(ids)):
            raise ValueError("this index is to be built afresh")
        following = object.__new__(VectorIndex)
        following.exact, following._device = self.exact, self._device
        following._rows, following._count = self._rows, self._count + len(ids)
        following._alive = np.concatenate([self._alive, np.ones(len(ids), dtype=bool)])
        following._alive[[row for id_ in gone for row in self._rows_of(id_)]] = False
        following._living = int(following._alive.sum())
        following._index = faiss.clone_index(self._index)
        if vectors is not None:
            self._rows.append(ids, vectors)
            following._index.add(np.ascontiguousarray(vectors))
        return following

    def takes(self, more: int) -> bool:
        """Whether `more` rows can be put in without building it afresh."""
        room = self._rows.fits(self._count + more)
        return not self.exact and room and self._living >= 0.8 * self._count

    def _rows_of(self, id_: str) -> list[int]:
        """The rows of `id_` that count in this snapshot."""
        places = self._rows.places.get(id_, ())
        return [row for row in places if row < self._count and self._alive[row]]

    def _named(
        self,
        vector: Vectors,
        places: NDArray[np.int64],
        scores: Vectors,
        k: int,
        without: Set[str],
    ) -> list[tuple[str, float]]:
        """The best `k` ids of `places`, whose `scores` are exact if the index is."""
        there = places >= 0
        there[there] = self._alive[places[there]]
        places, scores = places[there], scores[there]
        if not self.exact:
            scores = self._rows.vectors[places] @ vector
            order = np.argsort(-scores, kind="stable")
            places, scores = places[order], scores[order]
        return self._first(places, scores, k, without)

    def _everything(self, vector: Vectors, k: int, without: Set[str]) -> list[tuple[str, float]]:
        """Every row compared: for who asks for more than the nearest cells, or a GPU, can give."""
        scores = self._rows.vectors[: self._count] @ vector
        order = np.argsort(-scores, kind="stable")
        order = order[self._alive[order]]
        return self._first(order, scores[order], k, without)

    def _first(
        self, places: NDArray[np.int64], scores: Vectors, k: int, without: Set[str]
    ) -> list[tuple[str, float]]:
        """The ids of `places`, each once, until there are `k`."""
        ids = self._rows.ids
        best: dict[str, float] = {}
        for place, score in zip(places, scores, strict=True):
            if (id_ := ids[place]) not in without:
                best.setdefault(id_, float(score))
                if len(best) == k:
                    break
        return list(best.items())


def _flat(vectors: Vectors) -> Any:
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(np.ascontiguousarray(vectors))
    return index


def _cells(vectors: Vectors) -> Any:
    count, dimension = vectors.shape
    cells = max(1, min(count, int(_CELLS * sqrt(count))))
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(dimension),
        dimension,
        cells,
        faiss.ScalarQuantizer.QT_8bit,
        faiss.METRIC_INNER_PRODUCT,
    )
    index.nprobe = _PROBED
    index.cp.niter = _ROUNDS
    index.cp.min_points_per_centroid = 1
    index.cp.max_points_per_centroid = _TRAINED_BY
    chosen = np.random.default_rng(0).permutation(count)[: _TRAINED_BY * cells]
    index.train(gathered(vectors, chosen))
    index.add(np.ascontiguousarray(vectors))
    return index
