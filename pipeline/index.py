"""Nearest vectors by FAISS: an immutable snapshot, searched exactly.

FAISS may not be searched while it is changed, so a snapshot never is; `pipeline/live_index.py`
makes a changing index of it. `on_device` is the only place where a GPU makes a difference.
"""

from collections.abc import Sequence
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


class VectorIndex:
    """Row `i` of `vectors`, float32 [n, d] of unit length, belongs to `ids[i]`.

    A product may have several rows, one for each language it is written in.
    """

    def __init__(self, ids: Sequence[str], vectors: Vectors, device: Device = "cpu") -> None:
        if vectors.ndim != 2 or len(ids) != len(vectors):
            raise ValueError(f"{len(ids)} ids for vectors of shape {vectors.shape}")
        self._ids = tuple(ids)
        self._rows_each = _most_repeated(self._ids)
        flat = faiss.IndexFlatIP(vectors.shape[1])
        flat.add(np.ascontiguousarray(vectors))
        self._index = on_device(flat, device)

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

    def rows(self) -> tuple[tuple[str, ...], Vectors]:
        """Every row's id, and the vectors, float32 [n, d]."""
        return self._ids, self._index.reconstruct_n(0, len(self._ids))


def _most_repeated(ids: Sequence[str]) -> int:
    counts: dict[str, int] = {}
    for id_ in ids:
        counts[id_] = counts.get(id_, 0) + 1
    return max(counts.values(), default=1)
