"""Google Merchant and Meta feeds, as TSV, CSV and XML."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from catalog.formats.model import FileError, ReadOptions
from catalog.product import Money
from tests.catalog.formats.helpers import read_bytes, read_text

HEAD = (
    "id\ttitle\tdescription\tlink\timage_link\tavailability\tprice\tsale_price\t"
    "sale_price_effective_date\titem_group_id\tgtin\tbrand\tcolor\tsize\tmaterial\tcondition\n"
)
ANY = ReadOptions()


def _row(**cells: str) -> str:
    names = HEAD.strip().split("\t")
    defaults = {"title": "Tee", "availability": "in_stock", "price": "15.00 USD"}
    return "\t".join((defaults | cells).get(name, "") for name in names) + "\n"


def test_items_of_a_group_are_variants_of_one_product() -> None:
    found = read_text(
        HEAD
        + _row(id="T-1", item_group_id="TEE", color="black", size="M", material="cotton")
        + _row(id="T-2", item_group_id="TEE", color="red", size="L", material="cotton", title="X"),
        ANY,
    )
    assert found.detected.format == "google"
    assert found.detected.currency == "USD"
    assert {row.product_id for row in found.rows} == {"TEE"}
    assert found.variants["T-2"].options == (("color", "red"), ("size", "L"))
    assert found.texts["TEE"].title == "Tee"
    assert dict(found.texts["TEE"].attributes)["material"] == "cotton"


def test_a_material_that_differs_inside_a_group_is_an_option() -> None:
    found = read_text(
        HEAD
        + _row(id="1", item_group_id="G", material="cotton")
        + _row(id="2", item_group_id="G", material="wool"),
        ANY,
    )
    assert found.variants["2"].options == (("material", "wool"),)
    assert "material" not in dict(found.texts["G"].attributes)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("in_stock", "in_stock"),
        ("in stock", "in_stock"),
        ("Out of Stock", "out_of_stock"),
        ("preorder", "preorder"),
        ("backorder", "backorder"),
        ("available for order", "backorder"),
        ("discontinued", "out_of_stock"),
    ],
)
def test_availability_is_read_in_both_spellings(written: str, meant: str) -> None:
    found = read_text(HEAD + _row(id="1", availability=written), ANY)
    assert found.variants["1"].availability == meant


def test_an_unknown_availability_is_refused_with_the_right_words() -> None:
    error = read_text(HEAD + _row(id="1", availability="soonish"), ANY).errors[0]
    assert (error.column, error.value) == ("availability", "soonish")
    assert "in_stock" in error.fix
    assert read_text(HEAD + _row(id="1", availability=""), ANY).errors[0].column == "availability"


def test_a_sale_counts_only_while_it_is_on() -> None:
    def dates(start: int, end: int) -> str:
        now = datetime.now(UTC)
        days = (now + timedelta(days=start), now + timedelta(days=end))
        return "/".join(day.strftime("%Y-%m-%dT%H:%M%z") for day in days)

    spans = {"on": dates(-1, 1), "over": dates(-2, -1), "later": dates(1, 2), "always": ""}
    found = read_text(
        HEAD
        + "".join(
            _row(id=name, sale_price="12.00 USD", sale_price_effective_date=span)
            for name, span in spans.items()
        ),
        ANY,
    )
    on = {sku for sku, variant in found.variants.items() if variant.sale_price is not None}
    assert on == {"on", "always"}
    assert found.detected.notes[0].startswith("2 sale prices are not running now")


def test_an_id_is_text_and_at_most_50_characters_long() -> None:
    assert "0100" in read_text(HEAD + _row(id="0100"), ANY).variants
    assert read_text(HEAD + _row(id="x" * 51), ANY).errors[0].column == "id"
    assert read_text(HEAD + _row(id="6.93E+12"), ANY).errors[0].column == "id"
    assert read_text(HEAD + _row(id=""), ANY).errors[0].column == "id"


def test_metas_template_with_comment_lines_is_read() -> None:
    text = (
        "# Required | A unique ID,# Required | A title\n# more\n"
        "id,title,description,availability,price,link,image[0].url,brand\n"
        "A1,Tee,Soft,in stock,9.99 USD,https://x/1,https://x/1.jpg,Acme\n"
    )
    found = read_text(text, ANY)
    assert found.detected.format == "meta"
    assert found.rows[0].line == 4
    assert found.rows[0].image == "https://x/1.jpg"


XML = """<?xml version="1.0" encoding="UTF-8"?>
<rss xmlns:g="http://base.google.com/ns/1.0" version="2.0"><channel><title>Shop</title>
<item><g:id>A</g:id><title>Lamp &amp; shade</title>
<description><![CDATA[<p>Warm</p>]]></description>
<link>https://x/a</link><g:image_link>https://x/a.jpg</g:image_link><g:price>15.00 EUR</g:price>
<g:availability>in_stock</g:availability><g:shipping><g:price>4 EUR</g:price></g:shipping></item>
<item><g:id>B</g:id><title>Chair</title><g:price>1.299,00 EUR</g:price>
<g:availability>preorder</g:availability><link>https://x/b</link></item>
</channel></rss>"""


def test_an_xml_feed_is_read_item_by_item() -> None:
    found = read_text(XML, ANY)
    assert found.errors == []
    assert [row.line for row in found.rows] == [1, 2]
    assert found.texts["A"].title == "Lamp & shade"
    assert found.texts["A"].description == "Warm"
    assert found.variants["A"].price == Money(Decimal("15.00"), "EUR")
    assert found.variants["B"].price == Money(Decimal("1299.00"), "EUR")


def test_an_atom_feed_is_read_too() -> None:
    text = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0">'
        '<entry><g:id>A</g:id><title>Lamp</title><link href="https://x/a"/>'
        "<g:price>5 EUR</g:price><g:availability>in_stock</g:availability></entry></feed>"
    )
    assert read_text(text, ANY).rows[0].url == "https://x/a"


def test_an_xml_feed_cut_in_the_middle_keeps_what_came_before() -> None:
    found = read_text(XML[: XML.index("<title>Chair")], ANY)
    assert [row.product_id for row in found.rows] == ["A"]
    assert (found.errors[0].line, found.detected.rows) == (2, 2)


@pytest.mark.parametrize(
    "attack",
    [
        '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><rss><item>&b;</item></rss>',
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><item>&x;</item></rss>',
        "<rss>" + "<a>" * 200_000,
    ],
)
def test_xml_that_would_grow_or_reach_out_is_refused(attack: str) -> None:
    with pytest.raises(FileError) as refused:
        read_bytes(attack.encode(), ANY)
    assert refused.value.code == "unsafe"
