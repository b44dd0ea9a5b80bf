"""Vectors between starts: used when whole and of this encoder, refused otherwise."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pipeline import vector_file
from pipeline.encoder import Encoder, Vectors
from pipeline.hotshelf import HotShelf
from pipeline.retriever import Retriever, RetrieverConfig
from pipeline.types import Question
from pipeline.vector_file import VectorFileError, digest
from tests.pipeline.fakes import LetterModel, product

ROWS = {digest(f"text {n}"): np.full(4, n, dtype=np.float32) for n in range(3)}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "vectors"
    vector_file.write(path, "letters", 4, ROWS)
    found = vector_file.read(path, "letters", 4)
    assert found.keys() == ROWS.keys()
    assert all(np.array_equal(found[key], ROWS[key]) for key in ROWS)
    assert [p.name for p in path.parent.iterdir()] == ["vectors"]


@pytest.mark.parametrize("length", [0, 10, 40, 100, -1])
def test_a_torn_file_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / "vectors"
    vector_file.write(path, "letters", 4, ROWS)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(VectorFileError, match="torn"):
        vector_file.read(path, "letters", 4)


@pytest.mark.parametrize(("encoder", "dimension"), [("other", 4), ("letters", 8)])
def test_a_file_of_another_encoder_is_refused_by_name(
    tmp_path: Path, encoder: str, dimension: int
) -> None:
    path = tmp_path / "vectors"
    vector_file.write(path, "letters", 4, ROWS)
    with pytest.raises(VectorFileError, match="letters"):
        vector_file.read(path, encoder, dimension)


class RecordingModel(LetterModel):
    """Remembers which product texts it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.documents: list[str] = []

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        return LetterModel().encode_document(texts)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        self.documents.extend(texts)
        return super().encode_document(texts)


class Start:
    """One start of a shop whose vectors are kept in `path`."""

    def __init__(self, path: Path, *titles: str) -> None:
        self.model = RecordingModel()
        self.encoded = self.model.documents
        self.shelf = HotShelf()
        self.shelf.replace([product(str(n), title) for n, title in enumerate(titles)], 1)
        config = RetrieverConfig(vectors=path)
        self.retriever = Retriever(Encoder(self.model), self.shelf, config)

    async def best(self, text: str) -> str:
        await self.retriever.rebuild()
        vector = self.model.encode_query([text])[0]
        hits = self.retriever.search(Question(text, "en", "a"), vector, ())
        await self.retriever.encoder.close()
        return hits[0].product_id


async def test_a_second_start_encodes_only_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    assert await Start(path, "zzz lamp", "qqq kettle").best("zzz") == "0"
    second = Start(path, "zzz lamp", "qqq kettle", "xxx mug")
    assert await second.best("xxx") == "2"
    assert second.encoded == ["xxx mug"]
    third = Start(path, "qqq kettle", "xxx mug")
    assert await third.best("qqq") == "0"
    assert third.encoded == []


async def test_a_broken_file_costs_encoding_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "vectors"
    await Start(path, "zzz lamp").best("zzz")
    path.write_bytes(path.read_bytes()[:-5])
    again = Start(path, "zzz lamp")
    assert await again.best("zzz") == "0"
    assert again.encoded == ["zzz lamp"]
    assert "torn" in caplog.text
    assert await Start(path, "zzz lamp").best("zzz") == "0"


async def test_a_folder_that_cannot_be_written_keeps_nothing_and_serves(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert await Start(blocked / "vectors", "zzz lamp").best("zzz") == "0"


async def test_an_empty_shop_keeps_an_empty_file(tmp_path: Path) -> None:
    start = Start(tmp_path / "vectors")
    await start.retriever.rebuild()
    assert start.encoded == []
    await start.retriever.encoder.close()
