"""The native table, with English and with Chinese headers."""

from decimal import Decimal
from importlib.resources import files

import pytest

from catalog.demo import demo_products
from catalog.formats.model import KEEP, FileError, ReadOptions
from catalog.formats.text import tidy
from catalog.product import Money
from tests.catalog.formats.helpers import CNY, USD, at, read_bytes, read_text


def test_any_further_column_is_an_attribute_in_the_order_of_the_file() -> None:
    found = read_text("sku,title,price,Material,stock,Care\nA,Lamp,5,oak,3,wipe\n")
    assert found.texts["A"].attributes == (("Material", "oak"), ("Care", "wipe"))
    assert found.variants["A"].stock == 3


def test_the_sku_is_text() -> None:
    found = read_text("sku,title,price\n0100,Lamp,5\n100,Desk,6\n")
    assert list(found.variants) == ["0100", "100"]


@pytest.mark.parametrize("sku", ["6.93E+12", "1E5", "1,2E+10"])
def test_a_sku_that_a_spreadsheet_has_shortened_is_refused(sku: str) -> None:
    error = read_text(f'sku,title,price\n"{sku}",Lamp,5\n').errors[0]
    assert (error.line, error.column, error.value) == (2, "sku", sku)


def test_a_row_without_sku_is_refused() -> None:
    assert read_text("sku,title,price\n,Lamp,5\n").errors[0].reason == "the row has no SKU"


def test_a_price_that_may_mean_two_things_is_refused_unless_the_file_tells() -> None:
    unclear = read_text("sku,title,price\nA,Lamp,5\nB,Sofa,1.299\n")
    assert [(e.line, e.sku, e.column, e.value) for e in unclear.errors] == [
        (3, "B", "price", "1.299")
    ]
    assert "1299.00" in unclear.errors[0].fix
    told = read_text('sku,title,price\nA,Lamp,"5,50"\nB,Sofa,1.299\n')
    assert told.variants["B"].price == Money(Decimal(1299), "USD")
    said = read_text("sku,title,price\nA,Lamp,5\nB,Sofa,1.299\n", at(decimals="comma"))
    assert said.variants["B"].price == Money(Decimal(1299), "USD")


def test_a_file_that_writes_decimals_both_ways_keeps_only_what_is_clear() -> None:
    found = read_text('sku,title,price\nA,a,5.50\nB,b,"5,50"\nC,c,1.299\n')
    assert found.detected.decimals == "mixed"
    assert [error.sku for error in found.errors] == ["C"]


def test_everything_wrong_with_a_row_is_named_at_once() -> None:
    text = "sku,title,price,stock,availability\nA,Lamp,free,many,maybe\n"
    assert [error.column for error in read_text(text).errors] == [
        "price",
        "stock",
        "availability",
    ]


@pytest.mark.parametrize("stock", ["1.000", "1,000", "many", "3.5", "1e3"])
def test_a_stock_that_is_no_count_is_refused(stock: str) -> None:
    found = read_text(f'sku,title,price,stock\nA,Lamp,5,"{stock}"\n')
    assert [error.column for error in found.errors] == ["stock"]


@pytest.mark.parametrize(("stock", "count"), [("12", 12), ("12.0", 12), ("-3", 0), ("", None)])
def test_a_stock_is_a_count(stock: str, count: int | None) -> None:
    assert read_text(f"sku,title,price,stock\nA,Lamp,5,{stock}\n").variants["A"].stock == count


def test_the_currency_comes_from_the_column_the_cell_or_the_shop() -> None:
    text = "sku,title,price,currency\nA,a,5,EUR\nB,b,£6,\nC,c,7,\n"
    prices = {sku: v.price for sku, v in read_text(text).variants.items()}
    assert [p.currency for p in prices.values() if p is not KEEP] == ["EUR", "GBP", "USD"]


def test_without_any_currency_the_file_waits_for_one_and_says_what_it_is() -> None:
    with pytest.raises(FileError) as refused:
        read_text("sku;title;price\nA;Lamp;5,50\n", ReadOptions())
    assert refused.value.code == "currency_unknown"
    assert refused.value.detected is not None
    assert (refused.value.detected.delimiter, refused.value.detected.decimals) == (";", "comma")


def test_rows_of_one_product_id_are_variants_told_apart_by_color_and_size() -> None:
    found = read_text(
        "product_id,sku,title,price,color,Size,fit\n"
        "TEE,T-1,Tee,5,black,M,slim\nTEE,T-2,,5,red,L,\nCAP,C-1,Cap,6,blue,,\n"
    )
    assert found.variants["T-2"].options == (("color", "red"), ("Size", "L"))
    assert found.texts["TEE"].attributes == (("fit", "slim"),)
    assert "TEE" not in {row.product_id for row in found.rows[1:] if row.text}


def test_named_option_columns_are_options() -> None:
    found = read_text("sku,title,price,option: Wood\nA,Lamp,5,oak\n")
    assert found.variants["A"].options == (("Wood", "oak"),)
    assert found.texts["A"].attributes == ()


def test_an_attribute_may_be_called_like_a_column() -> None:
    found = read_text("sku,title,price,attribute: price\nA,Lamp,5,on request\n")
    assert found.texts["A"].attributes == (("price", "on request"),)


def test_texts_in_the_other_language_have_columns_of_their_own() -> None:
    found = read_text("sku,title,price,title:zh,description:zh\nA,Lamp,5,台灯,暖光\n")
    assert found.rows[0].texts["zh"].title == "台灯"
    assert found.rows[0].texts["zh"].description == "暖光"


def test_an_apostrophe_that_makes_a_formula_inert_is_taken_off() -> None:
    found = read_text("sku,title,price,note\nA,'=cmd|'/c calc'!A1,5,'-20 °C\n")
    assert found.texts["A"].title == "=cmd|'/c calc'!A1"
    assert found.texts["A"].attributes == (("note", "-20 °C"),)


def test_an_error_of_the_spreadsheet_is_no_value() -> None:
    assert read_text("sku,title,price\nA,#N/A,5\n").errors[0].column == "title"


def test_the_chinese_demo_file_reads_like_the_demo_shop() -> None:
    data = files("catalog").joinpath("data", "litemall_zh.csv").read_bytes()
    found = read_bytes(data, CNY)
    assert (found.detected.encoding, found.detected.rows) == ("UTF-8 with BOM", 238)
    assert found.detected.ignored == ("原价",)
    shop = {product.id: product for product in demo_products()}
    for row in found.rows:
        text, expected = row.text, shop[row.product_id].texts["zh"]
        assert text is not None
        assert (text.title, text.category) == (expected.title.strip(), expected.category)
        assert text.attributes[:-1] == tidy(shop[row.product_id]).texts["zh"].attributes
        assert row.variants[0].price == shop[row.product_id].variants[0].price
    assert [error.sku for error in found.errors] == ["1181000"]


def test_a_row_with_several_forms_and_one_price_is_refused() -> None:
    error = read_text("商品编号,商品名称,售价,规格\n1,四件套,99,1.5米；1.8米\n", CNY).errors[0]
    assert (error.column, error.reason[:7]) == ("规格", "2 forms")


def test_chinese_amounts_and_stock_words_are_understood() -> None:
    text = "货号,名称,价格,库存状态,颜色\nA,台灯,￥２９９,有货,黑\nB,椅子,399元,售罄,白\n"
    found = read_text(text, CNY)
    assert found.variants["A"].price == Money(Decimal(299), "CNY")
    assert found.variants["B"].availability == "out_of_stock"


def test_a_column_that_is_not_there_keeps_what_is_stored() -> None:
    row = read_text("sku,price\nA,5\n", USD).rows[0]
    assert row.text is not None
    assert (row.text.title, row.brand, row.variants[0].stock) == (KEEP, KEEP, KEEP)
