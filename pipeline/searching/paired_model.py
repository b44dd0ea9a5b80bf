"""Two encoders as one: one for every language, and one that knows English better.

Their vectors stand side by side, and a question's halves are weighted, so the inner product is a
weighted mean of both similarities: one index, one search. Chinese questions and products are
never given to the English encoder, which would understand nothing and cost as much. Both read a
question at the same time, each on a thread of its own.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from catalog.formats.text import is_chinese
from pipeline.encoder import EmbeddingModel, Vectors, on_one_thread
from pipeline.lexicon.analysis import has_han

ENGLISH_SHARE = 0.2
"""Of a Latin question's similarity. The other encoder's cosines differ less: it needs more."""


class PairedModel:
    """`wide` is asked about everything, `english` about Latin questions and products."""

    def __init__(
        self, wide: EmbeddingModel, english: EmbeddingModel, share: float = ENGLISH_SHARE
    ) -> None:
        self.name = f"{wide.name}+{english.name}"
        self.dimension = wide.dimension + english.dimension
        self._wide, self._english, self._share = wide, english, share
        self._beside = ThreadPoolExecutor(1, "encoder-english", initializer=on_one_thread)

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """Halves weighted: a similarity is a mean of the encoders' cosines."""
        latin = np.array([not has_han(text) for text in texts], dtype=bool)
        weights = np.where(latin, 1 - self._share, 1.0).astype(np.float32)
        beside = self._beside.submit(self._some, self._english.encode_query, texts, latin)
        wide = self._wide.encode_query(texts) * weights[:, None]
        return _side_by_side(wide, beside.result() * self._share)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        """Both vectors side by side, each of unit length; zeros where English says nothing."""
        latin = np.array([not is_chinese(text) for text in texts], dtype=bool)
        wide = self._wide.encode_document(texts)
        english = self._some(self._english.encode_document, texts, latin)
        return _side_by_side(wide, english)

    def _some(
        self,
        encode: Callable[[Sequence[str]], Vectors],
        texts: Sequence[str],
        which: NDArray[np.bool_],
    ) -> Vectors:
        """Rows of `texts` that are `which`; zeros for the others."""
        rows = np.zeros((len(texts), self._english.dimension), dtype=np.float32)
        if chosen := [text for text, is_one in zip(texts, which, strict=True) if is_one]:
            rows[which] = encode(chosen)
        return rows


def _side_by_side(left: Vectors, right: Vectors) -> Vectors:
    both: Vectors = np.concatenate([left, right], axis=1, dtype=np.float32)
    return both
