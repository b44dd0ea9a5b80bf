"""WooCommerce's product CSV."""

from decimal import Decimal

from catalog.product import Money
from tests.catalog.formats.helpers import read_text

HEAD = (
    "ID,Type,SKU,Name,Published,Visibility in catalog,Short description,Description,"
    "Date sale price starts,Date sale price ends,In stock?,Stock,Sale price,Regular price,"
    "Categories,Images,Parent,Attribute 1 name,Attribute 1 value(s),Attribute 2 name,"
    "Attribute 2 value(s)\n"
)
TEE = 'ID1,variable,tee,Tee,1,visible,Short,"Long\\nand more",,,1,,,,"A, A > B",u1,,'.replace(
    "ID1", "10"
)
TEE += 'Color,"Blue, Red",Material,"Cotton, wool"\n'


def _variation(number: int, parent: str, color: str, **cells: str) -> str:
    values = {"sku": f"tee-{color}", "price": "25", "sale": "", "stock": "", "in": "1"} | cells
    return (
        f"{number},variation,{values['sku']},Tee - {color},1,visible,,,,,{values['in']},"
        f"{values['stock']},{values['sale']},{values['price']},,,{parent},Color,{color},Size,\n"
    )


def test_variations_belong_to_their_product_by_sku_or_id() -> None:
    for parent in ("tee", "id:10"):
        found = read_text(
            HEAD + TEE + _variation(11, parent, "Blue") + _variation(12, parent, "Red")
        )
        assert found.errors == []
        assert {row.product_id for row in found.rows} == {"tee"}
        assert found.variants["tee-Red"].options == (("Color", "Red"),)


def test_a_variation_may_stand_before_its_product() -> None:
    found = read_text(HEAD + _variation(11, "id:10", "Blue") + TEE)
    assert [row.product_id for row in found.rows] == ["tee", "tee"]


def test_a_variation_of_a_product_that_is_not_there_is_refused() -> None:
    error = read_text(HEAD + _variation(11, "id:99", "Blue")).errors[0]
    assert (error.column, error.value) == ("Parent", "id:99")


def test_what_tells_variations_apart_is_not_an_attribute_of_the_product() -> None:
    text = read_text(HEAD + TEE + _variation(11, "tee", "Blue")).texts["tee"]
    assert dict(text.attributes) == {"Material": "Cotton, wool"}
    assert text.description == "Short\nLong\nand more"
    assert text.category == "A > B"


def test_a_simple_product_has_its_prices_and_stock() -> None:
    row = "20,simple,cap,Cap,1,visible,,,,,0,0,16,18,Hats,u,,Color,Yellow,,\n"
    cap = read_text(HEAD + row).variants["cap"]
    assert cap.price == Money(Decimal(18), "USD")
    assert cap.sale_price == Money(Decimal(16), "USD")
    assert (cap.stock, cap.availability) == (0, "out_of_stock")


def test_a_sale_with_dates_counts_only_while_it_is_on() -> None:
    row = "20,simple,cap,Cap,1,visible,,,2001-01-01,2001-02-01,1,,16,18,Hats,u,,,,,\n"
    assert read_text(HEAD + row).variants["cap"].sale_price is None
    bad = row.replace("2001-01-01", "01/02/01")
    assert read_text(HEAD + bad).errors[0].column == "Date sale price starts"


def test_a_product_without_sku_is_known_by_its_id() -> None:
    row = "20,simple,,Cap,1,visible,,,,,1,,,18,Hats,u,,,,,\n"
    assert list(read_text(HEAD + row).variants) == ["20"]


def test_groups_and_drafts_are_left_out_without_blocking() -> None:
    rows = "20,grouped,g,G,1,visible,,,,,1,,,,,,,,,,\n21,simple,d,D,-1,visible,,,,,1,,,5,,,,,,,\n"
    errors = read_text(HEAD + rows).errors
    assert [(e.column, e.blocking) for e in errors] == [("Type", False), ("Published", False)]


def test_a_simple_product_without_price_is_refused() -> None:
    row = "20,simple,cap,Cap,1,visible,,,,,1,,,,Hats,u,,,,,\n"
    assert read_text(HEAD + row).errors[0].column == "Regular price"
