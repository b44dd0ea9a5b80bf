"""An encoder model that remembers: product vectors kept on disk between starts.

A vector belongs to its text and to the encoder. A file that is torn or of another encoder is
refused and said so, and its products are encoded again; nothing here has to be kept safe.
"""

import logging
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pipeline.encoder import EmbeddingModel, Vectors
from pipeline.searching import vector_file

log = logging.getLogger(__name__)


class CachedVectors:
    """An `EmbeddingModel` that asks `model` only for documents it has not seen. One thread."""

    def __init__(self, model: EmbeddingModel, folder: Path) -> None:
        self.name = model.name
        self.dimension = model.dimension
        self._model = model
        self._file = folder / re.sub(r"[^A-Za-z0-9.-]+", "-", model.name)
        self._known = self._read()
        self._used: dict[bytes, Vectors] = {}
        self._remembers = True

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions; never cached here."""
        return self._model.encode_query(texts)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        """Vectors of product texts, float32 of shape [len(texts), dimension]."""
        if not self._remembers:
            return self._model.encode_document(texts)
        keys = [vector_file.digest(text) for text in texts]
        missing = {k: t for k, t in zip(keys, texts, strict=True) if k not in self._known}
        if missing:
            vectors = self._model.encode_document(list(missing.values()))
            self._known.update(zip(missing, vectors, strict=True))
        self._used.update((key, self._known[key]) for key in keys)
        if not keys:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.stack([self._known[key] for key in keys])

    def save(self) -> None:
        """Keep what was used since the start, all of it or nothing, and remember no more.

        What changes while serving is encoded again at the next start: memory stays bounded.
        Failing costs only time.
        """
        try:
            vector_file.write(self._file, self.name, self.dimension, self._used)
        except OSError as error:
            log.warning("vectors are not kept: %s", error)
        self._remembers = False
        self._known, self._used = {}, {}

    def _read(self) -> dict[bytes, Vectors]:
        try:
            return vector_file.read(self._file, self.name, self.dimension)
        except FileNotFoundError:
            self._tell_others()
            return {}
        except (vector_file.VectorFileError, OSError) as error:
            log.warning("%s; all products are encoded again", error)
            return {}

    def _tell_others(self) -> None:
        """Say that what is kept was made by another encoder, if it was."""
        folder = self._file.parent
        others = sorted(f.name for f in folder.glob("*") if f.is_file() and f.suffix != ".half")
        if others:
            kept = ", ".join(others)
            log.warning(
                "the vectors kept are of %s, not of %s: all products are encoded again",
                kept,
                self.name,
            )
