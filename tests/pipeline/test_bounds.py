"""Prices that questions ask for."""

from decimal import Decimal

import pytest

from catalog.product import Locale
from pipeline.lexicon.cues import load_cues
from pipeline.lexicon.words import Words, fold
from pipeline.prompting.rendering import TEMPLATES
from pipeline.understanding.bounds import BoundsReader, PriceWish


@pytest.fixture(scope="module")
def reader(lexicons: dict[Locale, Words]) -> BoundsReader:
    return BoundsReader(load_cues(TEMPLATES), lexicons.values())


def read(reader: BoundsReader, text: str) -> PriceWish:
    return reader.read(fold(text))


def ends(wish: PriceWish) -> tuple[str | None, str | None, str | None]:
    assert wish.bounds is not None
    low, high = (
        None if end is None else f"{end.normalize():f}"
        for end in (wish.bounds.low, wish.bounds.high)
    )
    return low, high, wish.bounds.currency


@pytest.mark.parametrize(
    ("text", "low", "high", "currency"),
    [
        ("phones under 200 bucks", None, "200", "USD"),
        ("a tablet somewhere between $300 and $500", "300", "500", "USD"),
        ("handbag max 60$", None, "60", "USD"),
        ("anything for less than $2?", None, "2", "USD"),
        ("sneakers from $100 up to 150", "100", "150", "USD"),
        ("golf stuff under twenty dollars", None, "20", "USD"),
        ("a speaker, not more than 100", None, "100", None),
        ("shirts $20-$30", "20", "30", "USD"),
        ("a shirt 20 - 30 dollars", "20", "30", "USD"),
        ("I don't want to spend more than 50", None, "50", None),
        ("no more than fifty five dollars", None, "55", "USD"),
        ("jackets over a hundred dollars", "100", None, "USD"),
        ("two hundred and fifty dollars max", None, "250", "USD"),
        ("above $1,200", "1200", None, "USD"),
        ("watches over 1.5k", "1500", None, None),
        ("a laptop for about $1500", "1200", "1800", "USD"),
        ("20 dollars or so", "16", "24", "USD"),
        ("budget of 500 for a sofa", None, "500", None),
        ("my budget is $80", None, "80", "USD"),
        ("not cheaper than $20", "20", None, "USD"),
        ("US$ 50 or less", None, "50", "USD"),
        ("50 bucks tops", None, "50", "USD"),
        ("$15 and up", "15", None, "USD"),
        ("€20 max", None, "20", "EUR"),
        ("under £30", None, "30", "GBP"),
        ("over 50 but under 100 dollars", "50", "100", "USD"),
        ("三百元以内的四件套有吗", None, "300", "CNY"),
        ("500到1000块的地毯", "500", "1000", "CNY"),
        ("五十块以下的毛巾", None, "50", "CNY"),
        ("两千以上的床垫", "2000", None, None),
        ("四十块以内", None, "40", "CNY"),
        ("盖毯 300-400", "300", "400", None),
        ("不超过20块的内裤", None, "20", "CNY"),
        ("两三百块的枕头", "200", "300", "CNY"),
        ("300左右的台灯", "240", "360", None),
        ("￥200～￥300的锅", "200", "300", "CNY"),
        ("预算一千五", None, "1500", None),
        ("预算在５００元左右", None, "500", "CNY"),
        ("不低于100元", "100", None, "CNY"),
        ("两千五以内", None, "2500", None),
        ("1万以下的", None, "10000", None),
        ("别超过50", None, "50", None),
        ("不能超过三百", None, "300", None),
        ("一百到两百之间的抱枕", "100", "200", None),
        ("从50到80元", "50", "80", "CNY"),
        ("10美元以下", None, "10", "USD"),
        ("一千零五十元以内", None, "1050", "CNY"),
    ],
)
def test_bounds(
    reader: BoundsReader, text: str, low: str | None, high: str | None, currency: str | None
) -> None:
    assert ends(read(reader, text)) == (low, high, currency)


@pytest.mark.parametrize(
    "text",
    [
        "30 to 40 inch tv",
        "is it delivered within 7 days",
        "jeans size 30-32",
        "with at least 3 pockets",
        "more than 2 colours",
        "is it under 5 kg",
        "can it ship in 2 to 3 days",
        "an iphone 13",
        "30 litre bag",
        "do you have this in 34",
        "1米8以上的床",
        "3岁以上能玩吗",
        "20寸的登机箱",
        "200-300g",
        "买三条",
        "99块贵吗",
        "两个人用",
    ],
)
def test_numbers_that_are_no_price(reader: BoundsReader, text: str) -> None:
    assert read(reader, text).bounds is None


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("cheapest laptop you have", "cheapest"),
        ("lowest priced motorcycle pls", "cheapest"),
        ("the least expensive one", "cheapest"),
        ("what's the most expensive watch", "dearest"),
        ("priciest car you sell", "dearest"),
        ("四件套最便宜的要多少", "cheapest"),
        ("粽子礼盒哪个最便宜？", "cheapest"),
        ("价格从低到高", "cheapest"),
        ("哪个便宜", "cheapest"),
        ("窗帘最贵的是哪款", "dearest"),
    ],
)
def test_order(reader: BoundsReader, text: str, order: str) -> None:
    assert read(reader, text).order == order


@pytest.mark.parametrize(
    "text", ["anything cheaper?", "do you have a less expensive one", "便宜点的有吗", "有便宜的吗"]
)
def test_something_cheaper(reader: BoundsReader, text: str) -> None:
    wish = read(reader, text)
    assert wish.cheaper
    assert wish.order is None


@pytest.mark.parametrize("text", ["能便宜点吗", "这么贵", "is it cheap?", "贵不贵"])
def test_bargaining_is_no_order(reader: BoundsReader, text: str) -> None:
    assert read(reader, text) == PriceWish()


def test_what_said_the_price_is_told_by_its_place(reader: BoundsReader) -> None:
    text = "bags under $60 in blue"
    (span,) = read(reader, text).spans
    assert text[slice(*span)] == "under $60"


def test_amounts_are_exact(reader: BoundsReader) -> None:
    wish = read(reader, "at most 9.99")
    assert wish.bounds is not None
    assert wish.bounds.high == Decimal("9.99")
