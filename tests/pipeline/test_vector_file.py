"""Vectors between starts: used when whole and of this encoder, refused otherwise."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.searching import vector_file
from pipeline.searching.vector_file import VectorFileError, digest

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
