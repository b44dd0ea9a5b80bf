"""Nearest vectors by FAISS: an immutable snapshot, searched exactly or along a graph.

FAISS may not be searched while it is changed, so a snapshot never is; `pipeline/live_index.py`
makes a changing index of it. `on_device` is the only place where a GPU makes a difference.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import faiss
import numpy as np

from pipeline.embedding_models import Device
from pipeline.encoder import Vectors


def gpu_count() -> int:
    """GPUs that this build of FAISS can use; 0 for faiss-cpu."""
    return int(faiss.get_num_gpus()) if hasattr(faiss, "get_num_gpus") else 0


def on_device(index: Any, device: Device) -> Any:
    """`index`, moved to the first GPU as fp16 when `device` is "gpu"."""
    if device == "cpu":
        return index
    options = faiss.GpuClonerOptions()
    options.useFloat16 = True
    return faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 0, index, options)


_LINKS, _BUILD_WIDTH, _SEARCH_WIDTH = 32, 80, 128
"""HNSW: neighbours of a row in the graph, and how many rows a build and a search keep in view."""


class VectorIndex:
    """Row `i` of `vectors`, float32 [n, d], belongs to `ids[i]`; near is what has a large inner
    product.

    A product may have several rows, one for each language it is written in. With `graph`, a search
    is approximate and its time hardly grows with n; a graph takes long to build (seconds for every
    5,000 rows). A GPU needs none.
    """

    def __init__(
        self,
        ids: Sequence[str],
        vectors: Vectors,
        device: Device = "cpu",
        *,
        graph: bool = False,
    ) -> None:
        if vectors.ndim != 2 or len(ids) != len(vectors):
            raise ValueError(f"{len(ids)} ids for vectors of shape {vectors.shape}")
        self._ids = tuple(ids)
        self._rows_each = _most_repeated(self._ids)
        self._rows_of: Mapping[str, Sequence[int]] | None = None
        self.exact = not graph or device == "gpu"
        index = _flat(vectors.shape[1]) if self.exact else _graph(vectors.shape[1])
        index.add(np.ascontiguousarray(vectors))
        self._index = on_device(index, device)

    def __len__(self) -> int:
        return len(self._ids)

    def search(self, vector: Vectors, k: int) -> list[tuple[str, float]]:
        """At most `k` different ids with their cosine similarity, best first."""
        rows = min(k * self._rows_each, len(self._ids))
        if rows == 0:
            return []
        scores, places = self._index.search(vector.reshape(1, -1), rows)
        best: dict[str, float] = {}
        for place, score in zip(places[0], scores[0], strict=True):
            if place >= 0:
                best.setdefault(self._ids[place], float(score))
        return list(best.items())[:k]

    def scores(self, vector: Vectors, ids: Iterable[str]) -> dict[str, float]:
        """Each id's own similarity, exactly; ids that are not here are left out."""
        places = self._places()
        rows = [(id_, place) for id_ in ids for place in places.get(id_, ())]
        if not rows:
            return {}
        vectors = self._index.reconstruct_batch(np.array([place for _, place in rows]))
        found: dict[str, float] = {}
        for (id_, _), score in zip(rows, vectors @ vector, strict=True):
            found[id_] = max(found.get(id_, -1.0), float(score))
        return found

    def _places(self) -> Mapping[str, Sequence[int]]:
        """The rows of each id, looked for once."""
        if self._rows_of is None:
            rows: dict[str, list[int]] = {}
            for place, id_ in enumerate(self._ids):
                rows.setdefault(id_, []).append(place)
            self._rows_of = rows
        return self._rows_of

    def rows(self) -> tuple[tuple[str, ...], Vectors]:
        """Every row's id, and the vectors, float32 [n, d]."""
        return self._ids, self._index.reconstruct_n(0, len(self._ids))


def _flat(dimension: int) -> Any:
    return faiss.IndexFlatIP(dimension)


def _graph(dimension: int) -> Any:
    index = faiss.IndexHNSWFlat(dimension, _LINKS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = _BUILD_WIDTH
    index.hnsw.efSearch = _SEARCH_WIDTH
    return index


def _most_repeated(ids: Sequence[str]) -> int:
    counts: dict[str, int] = {}
    for id_ in ids:
        counts[id_] = counts.get(id_, 0) + 1
    return max(counts.values(), default=1)
