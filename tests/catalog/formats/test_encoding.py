"""Files are read in the encoding they are in."""

import io

import pytest

from catalog.formats.encoding import detect_encoding
from catalog.formats.model import FileError
from tests.catalog.formats.helpers import CNY, at, read_bytes

CHINESE = (
    "商品编号,商品名称,售价\n1006002,轻奢纯棉刺绣水洗四件套,899.00\n2,苦荞麦枕（圆形）,５９元\n"
)


@pytest.mark.parametrize(
    "codec", ["utf-8", "utf-8-sig", "gb18030", "gbk", "utf-16", "utf-16-le", "utf-16-be"]
)
def test_a_chinese_table_is_read_alike_in_every_encoding(codec: str) -> None:
    found = read_bytes(CHINESE.encode(codec), CNY)
    assert found.errors == []
    assert found.texts["1006002"].title == "轻奢纯棉刺绣水洗四件套"
    assert found.texts["2"].title == "苦荞麦枕（圆形）"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("sku,titre\n1,Chemise d'été à carreaux\n2,Pâté — grand-mère\n", "cp1252"),
        ("sku;Titel\n1;Bücherregal für die Küche, 3 m³, ½ l, 5 °C\n", "cp1252"),
        ("sku,título\n1,¿Qué? ¡Niño!\n", "cp1252"),
        ("sku,t\n1,€5 café\n", "cp1252"),
        ("sku,tytuł\n1,Żółta koszula męska\n", "cp1250"),
        ("sku,имя\n1,Рубашка мужская\n", "cp1251"),
        ("sku,a\n1,日本語のテキスト\n", "shift_jis"),
        ("sku,a\n1,繁體中文商品名稱測試\n", "big5"),
    ],
)
def test_an_old_encoding_is_told_by_its_words(text: str, codec: str) -> None:
    assert detect_encoding(io.BytesIO(text.encode(codec))).codec == codec


def test_a_byte_order_mark_before_the_first_header_is_not_part_of_it() -> None:
    found = read_bytes("\ufeffsku,title,price\nA,Lamp,5\n".encode())
    assert found.detected.encoding == "UTF-8 with BOM"
    assert found.detected.columns == ("sku", "title", "price")
    assert list(found.variants) == ["A"]


def test_one_row_in_another_encoding_is_refused_and_the_others_are_read() -> None:
    data = CHINESE.encode() * 3 + "3,Größe,5\n".encode("cp1252")
    found = read_bytes(data.replace(b"\n1006002", b"\nX1", 1), CNY)
    assert found.detected.encoding == "UTF-8"
    assert "encoding" in found.errors[-1].reason
    found.errors[-1].value.encode()


def test_what_the_merchandiser_says_goes_first() -> None:
    data = "sku,title,price\nA,caf\xe9,5\n".encode("cp1250")
    assert read_bytes(data, at(encoding="cp1250")).texts["A"].title == "café"


@pytest.mark.parametrize("name", ["klingon", "base64", "\x00"])
def test_an_encoding_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(FileError) as refused:
        read_bytes(b"sku,title\nA,b\n", at(encoding=name))
    assert refused.value.code == "encoding"
