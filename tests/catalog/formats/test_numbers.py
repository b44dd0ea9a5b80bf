"""Numbers are read exactly, or refused; never guessed."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.formats.model import Decimals
from catalog.formats.numbers import NumberError, evidence, merged, parse_number


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("12", "12"),
        ("12.5", "12.5"),
        ("12,50", "12.50"),
        ("1.299,00", "1299.00"),
        ("1,299.00", "1299.00"),
        ("1 234,56", "1234.56"),
        ("1\u00a0234,56", "1234.56"),
        ("1\u202f234,56", "1234.56"),
        ("1'234.50", "1234.50"),
        ("1’234.50", "1234.50"),
        ("1,23,456.78", "123456.78"),
        ("1,234,567", "1234567"),
        ("1.234.567", "1234567"),
        ("２９９．００", "299.00"),
        ("0.125", "0.125"),
        ("0,125", "0.125"),
        ("1234.567", "1234.567"),
        ("52.0000", "52.0000"),
        ("007", "7"),
        (" 12 ", "12"),
    ],
)
def test_a_number_that_says_what_it_is_is_read(written: str, value: str) -> None:
    assert parse_number(written) == Decimal(value)


@pytest.mark.parametrize("written", ["1,299", "1.299", "999.999", "12,345"])
def test_one_separator_before_three_digits_is_refused_unless_the_file_tells(written: str) -> None:
    with pytest.raises(NumberError, match="may mean"):
        parse_number(written)
    with pytest.raises(NumberError, match="may mean"):
        parse_number(written, "mixed")
    thousands: Decimals = "point" if "," in written else "comma"
    digits = written.replace(",", "").replace(".", "")
    assert parse_number(written, thousands) == Decimal(digits)


def test_three_decimals_are_refused_where_money_has_two() -> None:
    with pytest.raises(NumberError, match="three decimals"):
        parse_number("1.299", "point")
    assert parse_number("1.299", "point", places=3) == Decimal("1.299")


@pytest.mark.parametrize(
    "written",
    [
        *("", "free", "6.93E+12", "1e3", "-5", "(5)", "10-20", "1.2.3", "1,2,3", "12 34"),
        *("1,29.00,1", "1.234,567.8", "٣", "12abc", "1 2345", "1''234", "9" * 16),
    ],
)
def test_what_is_not_one_number_is_refused_with_a_fix(written: str) -> None:
    with pytest.raises(NumberError) as refused:
        parse_number(written)
    assert refused.value.why.fix


@pytest.mark.parametrize(
    ("numbers", "style"),
    [
        (["12.50", "1,299", "3"], "point"),
        (["12,50", "1.299"], "comma"),
        (["12", "1,299"], "unknown"),
        (["12.50", "12,50"], "mixed"),
    ],
)
def test_a_file_shows_how_it_writes_decimals(numbers: list[str], style: str) -> None:
    assert merged({role for number in numbers if (role := evidence(number))}) == style


def _grouped(digits: str, separator: str) -> str:
    head = len(digits) % 3
    groups = [digits[:head]] if head else []
    groups += [digits[i : i + 3] for i in range(head, len(digits), 3)]
    return separator.join(groups)


@given(
    st.integers(0, 10**9),
    st.integers(0, 99),
    st.sampled_from([("", "."), (",", "."), (".", ","), (" ", ","), (" ", "."), ("'", ".")]),
)
def test_every_way_of_writing_cents_gives_the_amount(
    whole: int, cents: int, style: tuple[str, str]
) -> None:
    thousands, decimal = style
    written = f"{_grouped(str(whole), thousands)}{decimal}{cents:02}"
    assert parse_number(written) == Decimal(f"{whole}.{cents:02}")
    assert evidence(written) == ("point" if decimal == "." else "comma")


@given(st.text(alphabet="0123456789., '", min_size=1, max_size=14))
def test_whatever_is_read_has_the_digits_that_were_written(written: str) -> None:
    styles: tuple[Decimals, ...] = ("unknown", "point", "comma")
    for decimals in styles:
        try:
            value = parse_number(written, decimals)
        except NumberError:
            continue
        digits = "".join(filter(str.isdigit, written))
        exponent = value.as_tuple().exponent
        assert isinstance(exponent, int)
        assert int(digits) == int(value.scaleb(-exponent))


@given(st.decimals(0, 10**9, places=2), st.sampled_from(["point", "comma", "unknown"]))
def test_two_decimals_never_depend_on_the_style_of_the_file(
    amount: Decimal, decimals: Decimals
) -> None:
    assert parse_number(f"{amount:.2f}", decimals) == amount
