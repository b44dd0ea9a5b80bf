"""Two encoders as one."""

from collections.abc import Sequence

import numpy as np

from pipeline.encoder import Vectors
from pipeline.searching.paired_model import PairedModel
from tests.pipeline.fakes import LetterModel


class Noting(LetterModel):
    """Remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.documents: list[str] = []

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        self.documents += texts
        return super().encode_document(texts)


def test_a_similarity_is_the_weighted_mean_of_both() -> None:
    model = PairedModel(LetterModel(), LetterModel(), 0.25)
    [question] = model.encode_query(["copper kettle"])
    [same, other] = model.encode_document(["copper kettle", "zzz"])
    assert question.dtype == same.dtype == np.float32
    assert question.shape == same.shape == (model.dimension,) == (52,)
    assert abs(float(question @ same) - 1) < 1e-5
    assert float(question @ other) < 0.5


def test_chinese_is_not_given_to_the_english_encoder() -> None:
    wide, english = Noting(), Noting()
    model = PairedModel(wide, english)
    questions = model.encode_query(["iPhone 手机壳", "phone case"])
    documents = model.encode_document(["苹果手机壳", "phone case", "竹灯"])
    assert english.calls == [["phone case"]]
    assert "苹果手机壳" not in english.documents
    assert not questions[0, 26:].any()
    assert not documents[[0, 2], 26:].any()
    assert np.allclose(np.linalg.norm(questions[0, :26]), 1, atol=1e-5)
    assert questions[1] @ documents[1] > questions[1] @ documents[0]
