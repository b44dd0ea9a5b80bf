"""Shopify's exports, before and after the change of headers."""

from decimal import Decimal

from catalog.formats.model import KEEP
from catalog.product import Money
from tests.catalog.formats.helpers import at, read_text

OLD = (
    "Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,"
    "Option2 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,"
    "Variant Inventory Policy,Variant Price,Variant Compare At Price,Variant Barcode,Image Src\n"
)
SHIRT = (
    'shirt,Oxford Shirt,"<p>Soft &amp; <b>warm</b></p>",Acme,Shirts,"a, b",TRUE,Color,Black,Size,M,'
    "SH-BLK-M,300,shopify,4,deny,49.00,,'0693123456789,https://x/1.jpg\n"
    "shirt,,,,,,,,Black,,L,SH-BLK-L,300,shopify,0,deny,49.00,,,\n"
    "shirt,,,,,,,,White,,M,SH-WHT-M,300,shopify,-2,continue,39.00,49.00,,\n"
    "shirt,,,,,,,,,,,,,,,,,,,https://x/2.jpg\n"
)
MUG = "mug,Mug,,Acme,Mugs,,TRUE,Title,Default Title,,,MUG,0,,7,deny,8.50,,,\n"


def test_rows_of_one_handle_are_one_product_with_its_variants_and_images() -> None:
    found = read_text(OLD + SHIRT)
    assert found.errors == []
    assert found.detected.format == "shopify"
    assert {row.product_id for row in found.rows} == {"shirt"}
    assert [row.line for row in found.rows] == [2, 3, 4, 5]
    assert found.variants["SH-WHT-M"].options == (("Color", "White"), ("Size", "M"))
    assert found.rows[3].variants == ()
    text = found.texts["shirt"]
    assert (text.title, text.description) == ("Oxford Shirt", "Soft & warm")
    assert dict(text.attributes)["weight"] == "300 g"


def test_cells_that_are_blank_on_later_rows_do_not_empty_the_product() -> None:
    found = read_text(OLD + SHIRT)
    assert [row.text is not None for row in found.rows] == [True, False, False, False]
    assert [row.brand for row in found.rows] == ["Acme", KEEP, KEEP, KEEP]


def test_stock_is_counted_only_where_it_is_tracked() -> None:
    variants = read_text(OLD + SHIRT + MUG).variants
    stocks = {sku: (v.stock, v.availability) for sku, v in variants.items()}
    assert stocks == {
        "SH-BLK-M": (4, "in_stock"),
        "SH-BLK-L": (0, "out_of_stock"),
        "SH-WHT-M": (0, "backorder"),
        "MUG": (None, "in_stock"),
    }


def test_a_compare_at_price_above_the_price_is_a_sale() -> None:
    white = read_text(OLD + SHIRT).variants["SH-WHT-M"]
    assert white.price == Money(Decimal("49.00"), "USD")
    assert white.sale_price == Money(Decimal("39.00"), "USD")
    assert read_text(OLD + SHIRT).variants["SH-BLK-M"].sale_price is None


def test_default_title_means_that_there_are_no_options() -> None:
    assert read_text(OLD + MUG).variants["MUG"].options == ()


def test_a_barcode_keeps_its_leading_zero_and_a_shortened_one_is_refused() -> None:
    assert read_text(OLD + SHIRT).variants["SH-BLK-M"].gtin == "0693123456789"
    found = read_text(OLD + SHIRT.replace("'0693123456789", "6.93E+12"))
    error = found.errors[0]
    assert (error.line, error.sku, error.column, error.value) == (
        2,
        "SH-BLK-M",
        "Variant Barcode",
        "6.93E+12",
    )


def test_variants_without_sku_get_one_that_is_the_same_next_time() -> None:
    text = OLD + SHIRT.replace("SH-BLK-M", "").replace("SH-BLK-L", "")
    found = read_text(text)
    assert list(found.variants) == ["shirt-black-m", "shirt-black-l", "SH-WHT-M"]
    assert found.detected.notes[0].startswith("2 variants have no SKU")
    assert list(read_text(text).variants) == list(found.variants)


def test_a_product_that_is_not_published_is_left_out_with_all_its_rows() -> None:
    found = read_text(OLD + SHIRT.replace("TRUE", "FALSE") + MUG)
    assert [error.line for error in found.errors] == [2, 3, 4, 5]
    assert not any(error.blocking for error in found.errors)
    assert list(found.variants) == ["MUG"]


def test_rows_that_a_spreadsheet_has_sorted_apart_still_find_their_product() -> None:
    head, black, white, image = SHIRT.splitlines(keepends=True)
    found = read_text(OLD + white + MUG + image + black + head)
    assert found.errors == []
    assert found.variants["SH-BLK-L"].options == (("Color", "Black"), ("Size", "L"))


def test_a_bad_price_is_named_with_line_sku_column_and_value() -> None:
    found = read_text(OLD + SHIRT.replace("49.00,,,\n", "1e2,,,\n"))
    error = found.errors[0]
    assert (error.line, error.sku, error.column, error.value) == (
        3,
        "SH-BLK-L",
        "Variant Price",
        "1e2",
    )
    assert error.fix
    assert list(found.variants) == ["SH-BLK-M", "SH-WHT-M"]


def test_a_row_without_handle_is_refused() -> None:
    found = read_text(OLD + MUG.replace("mug,", ",", 1))
    assert found.errors[0].column == "Handle"


NEW = (
    "Title,URL handle,Description,Vendor,Product category,Type,Tags,Published on online store,"
    "Status,SKU,Barcode,Option1 name,Option1 value,Option1 Linked To,Price,Price / International,"
    "Compare-at price,Inventory quantity,Continue selling when out of stock,"
    "Weight value (grams),Product image URL,Variant image URL,SEO title,"
    "Fabric (product.metafields.custom.fabric)\n"
)


def test_the_new_headers_are_read_alike() -> None:
    row = (
        'Lamp,lamp,<p>Warm</p>,Acme,Home > Lamps,Lamp,x,TRUE,Active,L-1,,Color,Black,"",12.00,'
        "99.00,15.00,0,TRUE,500,https://x/l.jpg,,SEO,Linen\n"
    )
    found = read_text(NEW + row)
    assert found.detected.format == "shopify"
    lamp = found.variants["L-1"]
    assert (lamp.price, lamp.sale_price) == (
        Money(Decimal("15.00"), "USD"),
        Money(Decimal("12.00"), "USD"),
    )
    assert (lamp.stock, lamp.availability) == (0, "backorder")
    text = found.texts["lamp"]
    assert (text.category, dict(text.attributes)["Fabric"]) == ("Home > Lamps", "Linen")
    assert "Price / International" in found.detected.ignored


def test_a_draft_is_left_out() -> None:
    row = "Lamp,lamp,,,,,,TRUE,Draft,L-1,,,,,12.00,,,1,FALSE,,,,,\n"
    error = read_text(NEW + row).errors[0]
    assert (error.column, error.value, error.blocking) == ("Status", "draft", False)


def test_a_blank_cell_overwrites_and_an_absent_column_keeps() -> None:
    blank = read_text("URL handle,Title,Description,Vendor,SKU,Price\nlamp,Lamp,,,L-1,5\n")
    absent = read_text("URL handle,Title,SKU,Price\nlamp,Lamp,L-1,5\n")
    assert (blank.texts["lamp"].description, blank.rows[0].brand) == ("", "")
    assert (absent.texts["lamp"].description, absent.rows[0].brand) == (KEEP, KEEP)
    assert absent.variants["L-1"].stock is KEEP


def test_decimal_commas_of_a_european_shop_are_detected() -> None:
    found = read_text(OLD + MUG.replace("8.50", '"8,50"') + MUG.replace("8.50", '"1.299"'), at())
    assert found.detected.decimals == "comma"
    assert [row.variants[0].price for row in found.rows] == [
        Money(Decimal("8.50"), "USD"),
        Money(Decimal(1299), "USD"),
    ]
