"""Patches change what they say, and nothing else."""

from dataclasses import replace
from decimal import Decimal

import pytest

from catalog.demo import demo_products
from catalog.formats.model import RowPatch, TextPatch, VariantPatch
from catalog.merge import MergeRefused, MergeRules, merge
from catalog.product import Money, Product, Text
from tests.catalog.make import product, variant

RULES = MergeRules()
WHOLE = MergeRules(whole=True)


def _usd(amount: str) -> Money:
    return Money(Decimal(amount), "USD")


def _row(*variants: VariantPatch, line: int = 2, **text: object) -> RowPatch:
    patch = TextPatch(**text) if text else None  # type: ignore[arg-type]
    return RowPatch(line, "a", variants, patch)


def _shirt() -> Product:
    return demo_products()[0]


def test_a_new_product_takes_what_the_rows_say() -> None:
    row = _row(VariantPatch("A-1", _usd("5")), title="台灯", description="暖光")
    made = merge("a", [row], None, RULES)
    assert (made.locale, made.texts["zh"].title) == ("zh", "台灯")
    assert made.variants[0].price == _usd("5")


def test_a_price_alone_changes_a_price_alone() -> None:
    shirt = _shirt()
    sku = shirt.variants[3].sku
    changed = merge("a", [_row(VariantPatch(sku.lower(), _usd("9")))], shirt, RULES)
    expected = list(shirt.variants)
    expected[3] = replace(expected[3], price=_usd("9"))
    assert changed == replace(shirt, variants=tuple(expected))


def test_variants_that_the_file_does_not_name_stay_unless_it_is_the_whole_truth() -> None:
    old = product("a", variant("X"), variant("Y"))
    row = _row(VariantPatch("Y", _usd("5")), VariantPatch("Z", _usd("6")))
    assert [v.sku for v in merge("a", [row], old, RULES).variants] == ["X", "Y", "Z"]
    assert [v.sku for v in merge("a", [row], old, WHOLE).variants] == ["Y", "Z"]


def test_texts_of_the_other_language_stay() -> None:
    changed = merge("a", [_row(title="Shirt")], _shirt(), RULES)
    assert changed.texts["en"].title == "Shirt"
    assert changed.texts["zh"] == _shirt().texts["zh"]


def test_a_chinese_title_goes_to_the_chinese_text() -> None:
    changed = merge("a", [_row(title="牛津纺衬衫")], _shirt(), RULES)
    assert changed.texts["en"] == _shirt().texts["en"]
    assert (changed.locale, changed.texts["zh"].title) == ("en", "牛津纺衬衫")


def test_attributes_are_changed_in_place_added_at_the_end_and_removed_when_empty() -> None:
    old = replace(product("a"), texts={"en": Text("t", attributes=(("a", "1"), ("b", "2")))})
    patch = (("b", "3"), ("c", "4"), ("a", ""), ("d", ""))
    assert merge("a", [_row(attributes=patch)], old, RULES).texts["en"].attributes == (
        ("b", "3"),
        ("c", "4"),
    )
    whole = merge("a", [_row(attributes=(("z", "9"),), whole=True)], old, RULES)
    assert whole.texts["en"].attributes == (("z", "9"),)


def test_an_empty_title_keeps_the_title_and_an_empty_description_empties_it() -> None:
    old = replace(product("a"), texts={"en": Text("Lamp", "Warm")})
    assert merge("a", [_row(title="", description="")], old, RULES).texts["en"] == Text("Lamp")


@pytest.mark.parametrize(
    ("stock", "before", "after"),
    [
        (0, "in_stock", "out_of_stock"),
        (3, "out_of_stock", "in_stock"),
        (0, "preorder", "preorder"),
        (3, "backorder", "backorder"),
        (None, "out_of_stock", "out_of_stock"),
    ],
)
def test_a_count_of_pieces_tells_whether_it_is_in_stock(
    stock: int | None, before: str, after: str
) -> None:
    old = product("a", replace(variant("X"), availability=before))  # type: ignore[arg-type]
    changed = merge("a", [_row(VariantPatch("X", stock=stock))], old, RULES)
    assert changed.variants[0].availability == after


def test_a_sale_must_be_below_the_price() -> None:
    patch = VariantPatch("X", _usd("5"), _usd("6"))
    with pytest.raises(MergeRefused) as refused:
        merge("a", [_row(patch, title="t")], None, RULES)
    assert refused.value.errors[0].column == "sale price"
    equal = merge("a", [_row(VariantPatch("X", _usd("5"), _usd("5")), title="t")], None, RULES)
    assert equal.variants[0].sale_price is None


def test_a_sale_from_before_ends_when_the_price_comes_down_to_it() -> None:
    old = product("a", replace(variant("X", "9"), sale_price=_usd("7")))
    assert merge("a", [_row(VariantPatch("X", _usd("8")))], old, RULES).variants[0].sale_price
    lower = merge("a", [_row(VariantPatch("X", _usd("6")))], old, RULES)
    assert lower.variants[0].sale_price is None


def test_a_new_variant_without_price_refuses_its_row_alone() -> None:
    rows = [_row(VariantPatch("X", _usd("5")), title="t"), _row(VariantPatch("Y"), line=3)]
    with pytest.raises(MergeRefused) as refused:
        merge("a", rows, None, RULES)
    assert [(e.line, e.sku, e.column) for e in refused.value.errors] == [(3, "Y", "price")]


def test_a_new_product_without_title_or_variants_is_refused() -> None:
    for row in (_row(VariantPatch("X", _usd("5"))), _row(title="t")):
        with pytest.raises(MergeRefused):
            merge("a", [row], None, RULES)


def test_what_may_not_enter_the_catalogue_is_refused_with_every_row() -> None:
    rows = [_row(VariantPatch("X", _usd("5")), title="x" * 30_000), _row(line=3)]
    with pytest.raises(MergeRefused) as refused:
        merge("a", rows, None, RULES)
    assert [error.line for error in refused.value.errors] == [2, 3]
