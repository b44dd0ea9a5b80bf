"""Changes are named field by field, and only real ones."""

from dataclasses import replace
from decimal import Decimal

from catalog.demo import demo_products
from catalog.diff import FieldChange, changes, same
from catalog.product import Money, Text
from tests.catalog.make import product, variant


def test_a_product_is_the_same_as_itself_in_another_version_or_with_other_zeros() -> None:
    shirt = demo_products()[0]
    assert same(shirt, replace(shirt, version=9))
    longer = replace(shirt.variants[0], price=Money(Decimal("49.000"), "USD"))
    assert same(shirt, replace(shirt, variants=(longer, *shirt.variants[1:])))


def test_every_changed_field_is_named_with_its_place() -> None:
    old = product("a", variant("X", "5", 3, color="red"), title="Lamp")
    offer = variant("X", "6", 0, color="black")
    new = replace(
        old,
        brand="Acme",
        texts={"en": Text("Big lamp", attributes=(("wood", "oak"),)), "zh": Text("灯")},
        variants=(replace(offer, availability="out_of_stock", gtin="1"),),
    )
    assert set(changes(old, new)) == {
        FieldChange("brand", None, "Acme"),
        FieldChange("title", "Lamp", "Big lamp", "en"),
        FieldChange("attribute", None, "oak", "en", None, "wood"),
        FieldChange("title", None, "灯", "zh"),
        FieldChange("price", "5 USD", "6 USD", None, "X"),
        FieldChange("stock", "3", "0", None, "X"),
        FieldChange("availability", "in_stock", "out_of_stock", None, "X"),
        FieldChange("gtin", None, "1", None, "X"),
        FieldChange("option", "red", "black", None, "X", "color"),
    }


def test_variants_come_go_and_change_places() -> None:
    old = product("a", variant("X"), variant("Y"), variant("Z"))
    new = product("a", variant("Z"), variant("X"), variant("W"))
    found = {(c.field, c.sku, c.old is None, c.new is None) for c in changes(old, new)}
    assert found == {
        ("variant", "Y", False, True),
        ("variant", "W", True, False),
        ("order", None, False, False),
    }


def test_another_order_of_attributes_is_a_change() -> None:
    old = replace(product("a"), texts={"en": Text("t", attributes=(("a", "1"), ("b", "2")))})
    new = replace(old, texts={"en": Text("t", attributes=(("b", "2"), ("a", "1")))})
    assert len(changes(old, new)) == 2


def test_a_product_that_comes_or_goes_is_one_change() -> None:
    assert changes(None, product("a", title="Lamp")) == (FieldChange("product", None, "Lamp"),)
    assert changes(product("a", title="Lamp"), None) == (FieldChange("product", "Lamp", None),)
    assert changes(None, None) == ()
