"""Turns that are not about a product, and products that sound like one."""

import pytest

from pipeline.prompting.rendering import TEMPLATES
from pipeline.replying.policies import Policies
from pipeline.understanding.intents import IntentReader

READER = IntentReader.load(TEMPLATES)


def read(text: str) -> str | None:
    found = READER.read(text)
    return None if found is None else found.name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hi there!", "greeting"),
        ("你好", "greeting"),
        ("Thanks, that's all", "thanks"),
        ("谢谢，再见", "thanks"),
        ("where is my order 83921?", "order_status"),
        ("my parcel has not arrived yet", "order_status"),
        ("I was told Monday, still waiting for my package", "order_status"),
        ("我的快递到哪了？", "order_status"),
        ("昨天买的怎么还没发货", "order_status"),
        ("please cancel my order", "order_change"),
        ("can you add something to the order I made?", "order_change"),
        ("订单可以取消吗", "order_change"),
        ("how do I return a jacket that doesn't fit?", "returns"),
        ("I want my money back", "returns"),
        ("不合适能退货吗", "returns"),
        ("退款什么时候到账", "returns"),
        ("do you ship to Norway?", "shipping"),
        ("how long does delivery take", "shipping"),
        ("包邮吗？几天能到", "shipping"),
        ("I moved, can I change the delivery address?", "address"),
        ("收货地址填错了怎么改", "address"),
        ("can I pay with paypal", "payment"),
        ("my card was declined, payment failed", "payment"),
        ("可以用支付宝吗", "payment"),
        ("I need an invoice for order 4711", "invoice"),
        ("能开发票吗", "invoice"),
        ("I forgot my password", "account"),
        ("怎么修改密码", "account"),
        ("please unsubscribe me", "newsletter"),
        ("I want to make a complaint", "complaint"),
        ("the lamp arrived broken!!", "complaint"),
        ("我要投诉你们", "complaint"),
        ("let me talk to a human", "human"),
        ("转人工", "human"),
        ("do you have a coupon code?", "promotions"),
        ("有优惠券吗", "promotions"),
        ("how do I place an order?", "how_to_order"),
        ("怎么下单", "how_to_order"),
        ("tell me a joke", "other"),
        ("今天天气怎么样", "other"),
    ],
)
def test_a_turn_that_is_not_about_a_product_is_recognised(text: str, name: str) -> None:
    assert read(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "does this shirt come in black?",
        "这件衣服有黑色的吗？",
        "track lights for the kitchen",
        "a return air grille, 12 inch",
        "noise cancelling headphones",
        "do you have a suitcase with a password lock",
        "密码锁",
        "a gift for someone who likes tea",
        "what sizes are there?",
        "how much is the receipt printer",
        "which phones are in stock right now",
        "人工智能音箱",
        "hey, do you have any red running shoes in size 42?",
        "model ship kit",
        "is it waterproof",
        "older people's phone",
        "a border for my garden",
    ],
)
def test_a_question_about_a_product_is_none(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("i want a refnud", "returns"),
        ("help me lodge a complain", "complaint"),
        ("wanna cvancel my order", "order_change"),
        ("where is my oder 113542", "order_status"),
        ("i need the invioce for my purchase", "invoice"),
    ],
)
def test_a_slip_of_one_letter_is_forgiven(text: str, name: str) -> None:
    assert read(text) == name


def test_every_intent_has_a_text_in_every_language() -> None:
    policies = Policies.load(TEMPLATES)
    for name in READER.names:
        assert policies.text(name, "en")
        assert policies.text(name, "zh")


def test_a_shops_own_text_takes_the_place_of_the_shipped_one() -> None:
    policies = Policies.load(TEMPLATES)
    policies.use({"en": {"returns": "30 days, no questions."}})
    assert policies.text("returns", "en") == "30 days, no questions."
    assert policies.text("returns", "zh") == policies.shipped("returns", "zh")
    policies.use({})
    assert policies.text("returns", "en") == policies.shipped("returns", "en")
