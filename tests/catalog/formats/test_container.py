"""Packed files are opened, and cannot grow past the limit."""

import gzip
import io
import zipfile

import pytest

from catalog.formats.model import FileError, Limits
from tests.catalog.formats.helpers import at, read_bytes

TABLE = b"sku,title,price\nA,Lamp,5\n"


def _zip(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def _refused(data: bytes, **limits: int) -> FileError:
    with pytest.raises(FileError) as refused:
        read_bytes(data, at(limits=Limits(**limits)))
    return refused.value


def test_a_packed_table_is_read() -> None:
    for data, container in ((gzip.compress(TABLE), "gzip"), (_zip(products=TABLE), "zip")):
        found = read_bytes(data)
        assert found.detected.container == container
        assert list(found.variants) == ["A"]


def test_a_bomb_is_given_up_at_the_limit() -> None:
    bomb = b"0" * 50_000_000
    for data in (gzip.compress(bomb), _zip(bomb=bomb)):
        assert len(data) < 100_000
        assert _refused(data, max_bytes=1_000_000).code == "too_large"


def test_a_file_over_the_limit_is_refused() -> None:
    assert _refused(TABLE * 100, max_bytes=1000).code == "too_large"
    assert _refused(TABLE + b"B,b,1\n" * 9, max_rows=5).code == "too_large"
    assert _refused(b"sku,title," + b"a," * 99, max_columns=50).code == "too_large"


def test_a_workbook_is_named_as_one() -> None:
    data = _zip(**{"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"})
    assert "Excel" in str(_refused(data))
    assert "Excel" in str(_refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100))


def test_a_zip_of_several_files_is_refused() -> None:
    assert "2 files" in str(_refused(_zip(a=TABLE, b=TABLE)))


def test_a_packed_file_that_was_cut_is_refused() -> None:
    for data in (gzip.compress(TABLE * 50), _zip(a=TABLE * 50)):
        assert _refused(data[: len(data) // 2]).code == "container"


def test_an_empty_file_is_refused() -> None:
    assert _refused(b"").code == "empty"
    assert _refused(b"\n\n  \n").code == "empty"
    assert _refused(b"sku,title,price\n").code == "empty"
