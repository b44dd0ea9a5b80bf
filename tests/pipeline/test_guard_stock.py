"""Claims of availability: what is said of them in either language, true and false.

The shirt has black in S and M, not in L; white sold out in S and M; a navy stripe in M.
"""

import pytest

from catalog.product import Availability
from tests.pipeline.guarded import Counted, kettle, lamp_on_sale, lamp_that_is, let_through
from tests.pipeline.shop import lamp, shirt

BLACK = "Black is in stock in size S, M, out of stock in L."
BLACK_ZH = "黑色有货，尺码S、M，L缺货。"

TRUE_EN = [
    BLACK,
    "Black is in stock in size S, M.",
    "Yes, black is in stock in S.",
    "Yes, we have it in black.",
    "Yes, it comes in black, in S and M.",
    "Yes!",
    "Yes, in S and M.",
    "Black is available in S and M, but not in L.",
    "Black is available in S, sold out in L.",
    "S is in stock, L is sold out.",
    "M is available; L is out of stock.",
    "Black in large is sold out.",
    "Black L isn't in stock.",
    "Black L is not available at the moment.",
    "Black L is currently unavailable.",
    "White is out of stock.",
    "White is sold out, but black is in stock in S.",
    "Black is in stock in S, M; white is out of stock.",
    "The Harbour Work Shirt is in stock in black.",
    "There is no red.",
    "There is no red. It comes in black.",
    "We do not have it in green.",
    "That information is not available.",
    "The cuffs are reinforced.",
    "Of course, we have black in stock in S.",
]
FALSE_EN = [
    "Black is out of stock.",
    "Black is sold out.",
    "No, we do not have black.",
    "No.",
    "Unfortunately not.",
    "There is no black.",
    "There is no black in stock.",
    "It does not come in black.",
    "We don't have it in black.",
    "Black is in stock in size S, M, L.",
    "Black is in stock in size S, M, L, out of stock in XL.",
    "Black is in stock in S, out of stock in M.",
    "Yes, black is in stock in L.",
    "L is in stock.",
    "L is in stock, S is sold out.",
    "White is in stock.",
    "Yes, and white is available too.",
    "It comes in black and white.",
    "It comes in black, navy and red.",
    "It is available in red.",
    "We have it in green.",
    "All sizes are in stock.",
    "Every size is available in black.",
    "Black is available to pre-order.",
    "Black is on back order.",
    "Black is not in stock.",
    "Black isn’t available.",
    "Black is no longer available.",
    "Only 2 left in black S.",
    "I do not know whether black is in stock.",
    "Black S is discontinued.",
    "ＢＬＡＣＫ IS OUT OF STOCK",
]


@pytest.mark.parametrize("said", TRUE_EN)
def test_what_is_true_of_the_stock_passes(said: str) -> None:
    counted: Counted = []
    assert let_through(said, "Does it come in black?", shirt(), counted=counted) == said
    assert ("availability", "replaced") not in counted


@pytest.mark.parametrize("said", FALSE_EN)
def test_what_is_false_of_the_stock_is_replaced(said: str) -> None:
    counted: Counted = []
    given = let_through(said, "Does it come in black?", shirt(), counted=counted)
    assert given.endswith(BLACK)
    assert said not in given
    assert counted == [("availability", "replaced")]


TRUE_ZH = [
    BLACK_ZH,
    "有的，黑色有货。",
    "有，黑色S码、M码有货。",
    "黑色S码有货，L码缺货。",
    "有黑色的。",
    "黑色的有。",
    "黑色有现货，尺码S、M。",
    "S码、M码都有货。",
    "S码M码有货，L码没货。",
    "黑色L码卖完了。",
    "黑色L码没有货。",
    "白色售罄。",
    "白色没有货，黑色有货。",
    "白色缺货，但是黑色有货。",
    "不卖红色。",
    "没有红色的。",
    "不卖红色，只卖黑色、藏青条纹，白色缺货。",
    "可以，黑色有S码。",
    "袖口加固，面料是棉斜纹布。",
    "里面没有内胆，有两个口袋。",
]
FALSE_ZH = [
    "黑色缺货。",
    "没有，黑色缺货。",
    "没有。",
    "抱歉，黑色卖完了。",
    "没有黑色。",
    "没有黑色现货。",
    "黑色没有货。",
    "黑色暂时没有现货。",
    "黑色无货。",
    "不卖黑色。",
    "黑色有货，尺码S、M、L。",
    "黑色L码有货。",
    "L码有货，S码缺货。",
    "有的，白色也有货。",
    "白色有货。",
    "有白色的。",
    "有红色的。",
    "有黑色和红色。",
    "还有绿色。",
    "全部尺码都有货。",
    "黑色可预订。",
    "黑色补货中。",
    "黑色S码只剩1件。",
    "黑色已下架。",
]


@pytest.mark.parametrize("said", TRUE_ZH)
def test_what_is_true_of_the_stock_passes_in_chinese(said: str) -> None:
    counted: Counted = []
    given = let_through(said, "有黑色吗？", shirt(), locale="zh", counted=counted)
    assert given == said
    assert ("availability", "replaced") not in counted


@pytest.mark.parametrize("said", FALSE_ZH)
def test_what_is_false_of_the_stock_is_replaced_in_chinese(said: str) -> None:
    counted: Counted = []
    given = let_through(said, "有黑色吗？", shirt(), locale="zh", counted=counted)
    assert given.endswith(BLACK_ZH)
    assert said not in given
    assert counted == [("availability", "replaced")]


@pytest.mark.parametrize(
    ("availability", "true", "false"),
    [
        ("out_of_stock", "It is sold out.", "It is in stock."),
        ("out_of_stock", "No, it is out of stock.", "Yes, it is."),
        ("out_of_stock", "It is not available.", "It is available."),
        ("out_of_stock", "Sadly we have run out.", "You can have it, it is in stock."),
        ("preorder", "It is available to pre-order.", "It is available."),
        ("preorder", "It is not in stock, but on pre-order.", "It is in stock."),
        ("backorder", "It is on back order.", "It is on hand and ready to ship."),
        ("out_of_stock", "现在缺货。", "现在有货。"),
    ],
)
def test_a_product_without_options(availability: Availability, true: str, false: str) -> None:
    gone = lamp_that_is(availability)
    assert let_through(true, "Is it in stock?", gone) == true
    assert let_through(false, "Is it in stock?", gone) != false


@pytest.mark.parametrize(
    ("asked", "said", "right"),
    [
        ("Is it sold out?", "No, it is in stock.", True),
        ("Is it sold out?", "Yes.", False),
        ("Is it sold out?", "Yes, it is.", False),
        ("Is it available?", "Yes, it is.", True),
        ("Is it available?", "No, sorry.", False),
        ("Is it in stock or sold out?", "It is in stock.", True),
        ("Can I return it?", "Yes, within 30 days.", True),
        ("Can I return it?", "No.", True),
    ],
)
def test_a_yes_or_no_is_a_claim_where_stock_was_asked_for(
    asked: str, said: str, right: bool
) -> None:
    assert (let_through(said, asked, lamp()) == said) is right


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("Only 3 left.", True),
        ("Only 5 left in stock.", False),
        ("只剩3件。", True),
        ("仅剩一件。", False),
    ],
)
def test_how_many_are_left(said: str, right: bool) -> None:
    assert (let_through(said, "How many are left?", lamp_on_sale()) == said) is right


def test_stock_that_nobody_asked_for_is_looked_at_too() -> None:
    given = let_through("It is cotton. It is available in red.", "What is it made of?", shirt())
    assert given.startswith("It is cotton. It is — Black in stock in S, M, out of stock in L;")
    given = let_through("The lamp comes in red.", "Who makes it?", lamp())
    assert given == "The lamp — It is in stock."


def test_the_variant_looked_at_is_meant() -> None:
    said = "It is in stock."
    assert let_through(said, "Is it in stock?", shirt(), sku="SH-bl-S") == said
    given = let_through(said, "Is it in stock?", shirt(), sku="SH-bl-L")
    assert given == "It is — Black L is out of stock."


def test_sold_by_another_name() -> None:
    """The shop says 藏青条纹 and "navy stripe"; shoppers say blue."""
    assert let_through("有蓝色的。", "有蓝色吗", shirt(), locale="zh") == "有蓝色的。"
    assert let_through("没有蓝色的。", "有蓝色吗", shirt(), locale="zh") != "没有蓝色的。"


def test_each_of_several_products_is_held_to_its_own_record() -> None:
    shown = (lamp(), kettle())
    said = "The Reading Lamp is in stock."
    assert let_through(said, "Which can I buy?", *shown) == said
    said = "山泉电水壶红色有货。"
    assert "红色有货" not in let_through(said, "有什么？", *shown, locale="zh")


def test_a_description_does_not_make_stock() -> None:
    gone = lamp_that_is("out_of_stock")
    told = let_through("A reading lamp. In stock now!", "What is it?", gone)
    assert told == "A reading lamp. It is out of stock."
