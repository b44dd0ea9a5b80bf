"""One article has one SKU, however it is typed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.skus import shortened, sku_key


@pytest.mark.parametrize(
    "spelling",
    [
        "SKU123",
        "SKU123 ",
        " sku123",
        "SKU 123",
        "ＳＫＵ１２３",
        "Sku\u00a0123",
        "SKU\u200b123",
        "sku\t123",
    ],
)
def test_blanks_case_and_width_do_not_make_another_sku(spelling: str) -> None:
    assert sku_key(spelling) == sku_key("SKU123")


@pytest.mark.parametrize("other", ["SKU0123", "SKU-123", "SKU124", "SKU1234", "SKÜ123"])
def test_anything_else_does(other: str) -> None:
    assert sku_key(other) != sku_key("SKU123")


@pytest.mark.parametrize(
    ("written", "is_so"),
    [
        *((number, True) for number in ("6.93E+12", "6,93e12", "6E12", "6.93E+1")),
        *((sku, False) for sku in ("E12", "693E", "6.93E-2", "12E345", "SKU-1E5", "1E5-M", "")),
    ],
)
def test_a_number_that_a_spreadsheet_has_shortened_is_told(written: str, is_so: bool) -> None:
    assert shortened(written) is is_so


@settings(max_examples=1000)
@given(st.text(max_size=30))
def test_a_key_is_its_own_key_and_holds_no_separator(sku: str) -> None:
    key = sku_key(sku)
    assert sku_key(key) == key
    assert not any(char.isspace() or not char.isprintable() for char in key)
