"""Vectors on disk: a second start encodes what is new, and trusts nothing that does not fit."""

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pipeline.encoder import Vectors
from pipeline.searching.paired_model import PairedModel
from pipeline.searching.vector_cache import CachedVectors


class Counting:
    """Encodes a text as its length, and remembers what it was asked for."""

    name = "org/counting model"

    def __init__(self, dimension: int = 2) -> None:
        self.dimension = dimension
        self.asked: list[str] = []

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        return self._encode(texts)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return self._encode(texts)

    def _encode(self, texts: Sequence[str]) -> Vectors:
        return np.array([[len(text)] * self.dimension for text in texts], dtype=np.float32)


def test_a_second_start_encodes_only_what_is_new(tmp_path: Path) -> None:
    first = CachedVectors(Counting(), tmp_path)
    before = first.encode_document(["red", "blue", "red"])
    first.save()
    model = Counting()
    second = CachedVectors(model, tmp_path)
    after = second.encode_document(["red", "green", "blue"])
    assert model.asked == ["green"]
    assert after.tolist() == [before[0].tolist(), [5.0, 5.0], before[1].tolist()]
    assert after.dtype == np.float32


def test_what_is_used_no_more_is_forgotten(tmp_path: Path) -> None:
    for texts in (["red", "blue"], ["red"]):
        cache = CachedVectors(Counting(), tmp_path)
        cache.encode_document(texts)
        cache.save()
    model = Counting()
    CachedVectors(model, tmp_path).encode_document(["red", "blue"])
    assert model.asked == ["blue"]


@pytest.mark.parametrize("damage", [b"", b"not a zip file", b"PK\x03\x04 cut off"])
def test_a_damaged_file_is_encoded_again(
    tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    cache = CachedVectors(Counting(), tmp_path)
    cache.encode_document(["red"])
    cache.save()
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage)
    model = Counting()
    with caplog.at_level(logging.WARNING):
        CachedVectors(model, tmp_path).encode_document(["red"])
    assert model.asked == ["red"]
    assert "torn" in caplog.text


def test_vectors_of_another_dimension_are_not_used(tmp_path: Path) -> None:
    cache = CachedVectors(Counting(dimension=2), tmp_path)
    cache.encode_document(["red"])
    cache.save()
    other = CachedVectors(Counting(dimension=3), tmp_path)
    assert other.encode_document(["red"]).shape == (1, 3)


def test_another_encoder_encodes_everything_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = CachedVectors(Counting(dimension=2), tmp_path)
    cache.encode_document(["red"])
    cache.save()
    model = Counting(dimension=3)
    model.name = "org/other"
    with caplog.at_level(logging.WARNING):
        other = CachedVectors(model, tmp_path)
    assert "of org-counting-model, not of org/other" in caplog.text
    assert other.encode_document(["red"]).shape == (1, 3)
    assert model.asked == ["red"]
    other.save()
    caplog.clear()
    CachedVectors(model, tmp_path)
    assert caplog.text == ""


def test_a_pair_of_encoders_is_remembered_as_one(tmp_path: Path) -> None:
    texts = ["copper kettle", "铜水壶"]
    first = CachedVectors(PairedModel(Counting(), Counting(3)), tmp_path)
    before = first.encode_document(texts)
    first.save()
    wide, english = Counting(), Counting(3)
    second = CachedVectors(PairedModel(wide, english), tmp_path)
    assert np.array_equal(second.encode_document(texts), before)
    assert wide.asked == english.asked == []


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = CachedVectors(Counting(), tmp_path / "file")
    assert cache.encode_document(["red"]).tolist() == [[3.0, 3.0]]
    cache.save()
    assert (tmp_path / "file").read_text() == ""
