"""Amounts keep their currency, and none is invented."""

from decimal import Decimal

import pytest

from catalog.formats.money import parse_money
from catalog.formats.numbers import NumberError
from catalog.product import Money


@pytest.mark.parametrize(
    ("written", "amount", "currency"),
    [
        ("15.00 USD", "15.00", "USD"),
        ("USD 15", "15", "USD"),
        ("EUR1.299,00", "1299.00", "EUR"),
        ("€ 12,50", "12.50", "EUR"),
        ("12,50€", "12.50", "EUR"),
        ("£3.5", "3.5", "GBP"),
        ("299元", "299", "CNY"),
        ("人民币299", "299", "CNY"),
        ("299.00 RMB", "299.00", "CNY"),
        ("¥299", "299", "CNY"),
        ("￥２９９", "299", "CNY"),
        ("CHF 1’234.50", "1234.50", "CHF"),
        ("3,-", "3", "CNY"),
        ("12.50", "12.50", "CNY"),
        ("52.0000", "52.00", "CNY"),
        ("1,23,456.78 ₹", "123456.78", "INR"),
    ],
)
def test_an_amount_is_read_with_its_currency(written: str, amount: str, currency: str) -> None:
    found = parse_money(written, default="CNY")
    assert found == Money(Decimal(amount), currency)
    assert str(found.amount) == amount


@pytest.mark.parametrize("sign", ["$", "¥", "kr"])
def test_a_sign_that_several_currencies_share_is_refused_in_a_shop_of_none_of_them(
    sign: str,
) -> None:
    with pytest.raises(NumberError, match="may be"):
        parse_money(f"{sign}5", default="EUR")
    with pytest.raises(NumberError, match="may be"):
        parse_money(f"{sign}5")


def test_a_shared_sign_means_the_shops_own_currency() -> None:
    assert parse_money("$5", default="CAD").currency == "CAD"
    assert parse_money("¥5", default="JPY").currency == "JPY"
    assert parse_money("5元", default="TWD").currency == "TWD"


@pytest.mark.parametrize("written", ["12 pcs", "99元起", "about 5", "1.2万", "$5 USD", "5%", "12-"])
def test_what_is_not_an_amount_is_refused(written: str) -> None:
    with pytest.raises(NumberError):
        parse_money(written, default="CNY")


def test_an_amount_without_currency_needs_one() -> None:
    with pytest.raises(NumberError, match="no currency"):
        parse_money("12.50")


@pytest.mark.parametrize("written", ["12.50", "12.50 ABC"])
def test_a_currency_that_nobody_pays_with_is_refused(written: str) -> None:
    with pytest.raises(NumberError, match="'ABC' is not a currency"):
        parse_money(written, default="ABC")


def test_three_decimals_belong_to_currencies_that_have_them() -> None:
    assert parse_money("1.250 KWD", "point").amount == Decimal("1.250")
    with pytest.raises(NumberError):
        parse_money("1.250 USD", "point")
