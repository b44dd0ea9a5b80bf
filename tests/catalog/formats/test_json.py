"""JSON and JSON lines, in the native format and in simpler ones."""

import json
from decimal import Decimal
from importlib.resources import files

import pytest

from catalog.codec import decode_list
from catalog.formats.model import KEEP, FileError, ReadOptions
from catalog.product import Money
from tests.catalog.formats.helpers import CNY, read_bytes, read_text

RECORDS = [{"sku": f"A{n}", "title": f"Lamp {n}", "price": 5.5, "tags": ["x", "y"]} for n in "123"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (json.dumps(RECORDS), "json"),
        (json.dumps(RECORDS, indent=2), "json"),
        (json.dumps({"total": 3, "products": RECORDS, "skip": 0}), "json"),
        ("\n".join(map(json.dumps, RECORDS)), "jsonl"),
        ("\n\n".join(map(json.dumps, RECORDS)) + "\n", "jsonl"),
    ],
)
def test_records_are_read_however_they_are_listed(text: str, kind: str) -> None:
    found = read_text(text)
    assert (found.detected.format, found.detected.rows) == (kind, 3)
    assert list(found.variants) == ["A1", "A2", "A3"]
    assert found.variants["A1"].price == Money(Decimal("5.5"), "USD")
    assert found.texts["A1"].attributes == (("tags", "x, y"),)


def test_a_json_file_with_a_mark_or_in_another_encoding_is_read() -> None:
    text = json.dumps([{"sku": "A", "title": "台灯", "price": 5}], ensure_ascii=False)
    for codec in ("utf-8-sig", "gb18030", "utf-16"):
        assert read_bytes(text.encode(codec), CNY).texts["A"].title == "台灯"


def test_the_native_format_is_read_to_the_last_field() -> None:
    data = files("catalog").joinpath("data", "garments.json").read_bytes()
    found = read_bytes(data, ReadOptions())
    assert found.errors == []
    for row, product in zip(found.rows, decode_list(data), strict=True):
        assert row.product_id == product.id
        assert [v.sku for v in row.variants] == [v.sku for v in product.variants]
        assert [v.price for v in row.variants] == [v.price for v in product.variants]
        assert row.texts["zh"].title == product.texts["zh"].title
        assert row.texts["zh"].labels == product.texts["zh"].labels


def test_variants_may_be_written_by_hand() -> None:
    record = {
        "id": "TEE",
        "title": "Tee",
        "fit": "slim",
        "variants": [
            {"sku": "T-1", "price": "12.50 EUR", "options": {"color": "black"}, "stock": 0},
            {"sku": "T-2", "price": 13, "options": [["color", "red"]]},
        ],
    }
    found = read_text(json.dumps([record]))
    assert found.variants["T-1"].price == Money(Decimal("12.50"), "EUR")
    assert found.variants["T-1"].options == (("color", "black"),)
    assert found.variants["T-2"].stock is KEEP
    assert found.texts["TEE"].attributes == (("fit", "slim"),)


def test_nested_skus_with_chinese_keys_are_variants() -> None:
    record = {
        "商品编号": "9",
        "商品名称": "四件套",
        "参数": [["材质", "棉"]],
        "SKU": [{"sku": "1", "规格": ["1.5m", "红"], "价格": 999.0, "库存": 3}],
    }
    found = read_text(json.dumps([record]), CNY)
    assert found.variants["1"].options == (("规格1", "1.5m"), ("规格2", "红"))
    assert (found.variants["1"].stock, str(found.variants["1"].price)) == (3, "999.0 CNY")
    assert found.texts["9"].attributes == (("材质", "棉"),)


@pytest.mark.parametrize(
    "field",
    [
        {"price": "free"},
        {"price": None},
        {"price": True},
        {"price": {"amount": "x", "currency": "USD"}},
        {"price": {"amount": "5", "currency": "klingons"}},
        {"stock": "many"},
        {"stock": -1},
        {"availability": "maybe"},
        {"options": "black"},
        {"sku": ""},
        {"sku": "6.93E+12"},
        {"gtin": "6.93E+12"},
    ],
)
def test_a_variant_that_is_wrong_refuses_its_record(field: dict[str, object]) -> None:
    variant = {"sku": "T-1", "price": "5"} | field
    found = read_text(json.dumps([{"id": "T", "title": "t", "variants": [variant]}]))
    assert found.rows == []
    assert [error.column for error in found.errors] == list(field)


def test_a_file_cut_anywhere_keeps_its_whole_records_and_says_that_it_was_cut() -> None:
    text = json.dumps(RECORDS)
    for cut in range(text.index("}") + 1, len(text)):
        found = read_text(text[:cut])
        whole = text[:cut].count("}")
        assert len(found.rows) == whole
        assert len(found.errors) == 1
        assert found.detected.rows == whole + 1


def test_a_bad_line_costs_one_record() -> None:
    lines = [json.dumps(RECORDS[0]), "{broken", "[]", '{"sku": NaN}', json.dumps(RECORDS[2])]
    found = read_text("\n".join(lines))
    assert [error.line for error in found.errors] == [2, 3, 4]
    assert list(found.variants) == ["A1", "A3"]


def test_deep_nesting_is_refused_and_does_no_harm() -> None:
    found = read_text(json.dumps(RECORDS[0]) + "\n" + "[" * 200_000 + "\n")
    assert [error.line for error in found.errors] == [2]
    with pytest.raises(FileError):
        read_text('[{"sku":' + "[" * 200_000)


def test_parts_that_cannot_be_read_are_named() -> None:
    record = RECORDS[0] | {"reviews": [{"stars": 5, "by": "x"}]}
    assert read_text(json.dumps([record])).detected.ignored == ("reviews",)
