"""Magento's product CSV."""

from decimal import Decimal

from catalog.formats.magento import parse_attributes
from catalog.product import Money
from tests.catalog.formats.helpers import read_text

HEAD = (
    "sku,store_view_code,attribute_set_code,product_type,categories,name,description,"
    "short_description,weight,product_online,visibility,price,special_price,"
    "special_price_from_date,special_price_to_date,base_image,additional_attributes,qty,"
    "is_in_stock,configurable_variations\n"
)


def _row(sku: str, **cells: str) -> str:
    names = HEAD.strip().split(",")
    defaults = {
        "product_type": "simple",
        "name": sku,
        "product_online": "1",
        "visibility": "Catalog, Search",
        "price": "52.0000",
        "qty": "100.0000",
        "is_in_stock": "1",
    }
    values = defaults | {"sku": sku} | cells
    return ",".join(f'"{values.get(name, "")}"' for name in names) + "\n"


HIDDEN = "Not Visible Individually"
HOODIE = (
    _row("H-S-Black", visibility=HIDDEN)
    + _row("H-M-Gray", visibility=HIDDEN, special_price="39.0000")
    + _row(
        "H",
        product_type="configurable",
        name="Hoodie",
        qty="0",
        description="<p>Warm</p>",
        categories="Default Category/Men/Tops/Hoodies,Default Category/Sale,Default Category",
        additional_attributes="has_options=1,material=Wool|Cotton,care=cold, gentle",
        configurable_variations="sku=H-S-Black,size=S,color=Black|sku=H-M-Gray,size=M,color=Gray",
    )
)


def test_simple_products_are_variants_of_their_configurable_one() -> None:
    found = read_text(HEAD + HOODIE)
    assert found.errors == []
    assert found.detected.format == "magento"
    assert {row.product_id for row in found.rows} == {"H"}
    assert found.variants["H-M-Gray"].options == (("size", "M"), ("color", "Gray"))
    assert "H" not in found.variants


def test_prices_are_read_without_the_zeros_behind_the_cents() -> None:
    gray = read_text(HEAD + HOODIE).variants["H-M-Gray"]
    assert (str(gray.price), gray.stock) == ("52.00 USD", 100)
    assert gray.sale_price == Money(Decimal("39.00"), "USD")


def test_a_product_has_its_deepest_category_and_its_attributes() -> None:
    text = read_text(HEAD + HOODIE).texts["H"]
    assert text.category == "Men > Tops > Hoodies"
    assert dict(text.attributes) | {"weight": ""} == {
        "weight": "",
        "material": "Wool, Cotton",
        "care": "cold, gentle",
    }
    assert text.description == "Warm"


def test_attributes_in_one_cell_may_have_commas_quotes_and_several_values() -> None:
    assert parse_attributes('"a=1","b=x, y","c=p|q"') == (("a", "1"), ("b", "x, y"), ("c", "p, q"))
    assert parse_attributes("") == ()


def test_a_store_view_gives_the_texts_of_its_language() -> None:
    found = read_text(
        HEAD + HOODIE + _row("H", store_view_code="zh_cn", name="连帽衫", price="", qty="")
    )
    assert found.rows[-1].texts["zh"].title == "连帽衫"
    other = read_text(HEAD + HOODIE + _row("H", store_view_code="de", name="Pulli"))
    assert (other.errors[0].value, other.errors[0].blocking) == ("de", False)


def test_what_cannot_be_sold_by_itself_is_left_out_without_blocking() -> None:
    rows = (
        _row("A", product_type="bundle", price="")
        + _row("B", product_online="2")
        + _row("C", visibility=HIDDEN)
    )
    found = read_text(HEAD + rows)
    assert [(e.sku, e.column, e.blocking) for e in found.errors] == [
        ("A", "product_type", False),
        ("B", "product_online", False),
        ("C", "visibility", False),
    ]


def test_a_sku_longer_than_64_characters_is_refused() -> None:
    assert read_text(HEAD + _row("x" * 65)).errors[0].column == "sku"
