"""Several products as an answer: when, and how it reads in both languages."""

from dataclasses import replace
from decimal import Decimal

import pytest

from catalog.product import Locale, Money, Product, Text, Variant
from pipeline.facts.fitting import FactFinder
from pipeline.found import Bounds, Explanation, Found, Understood
from pipeline.lexicon.words import Words
from pipeline.prompting.rendering import TEMPLATES, renderers
from pipeline.replying.listing import Lister
from pipeline.replying.policies import Policies
from pipeline.replying.replies import Replies
from pipeline.types import Question, Source, Why
from tests.pipeline.shop import lamp, shirt


def stool() -> Product:
    text = Text("Oak Stool", category="Chairs", attributes=(("seat", "beech"),))
    variant = Variant("ST", Money(Decimal("30.00"), "USD"), stock=2)
    return Product("ST", "en", {"en": text}, (variant,))


@pytest.fixture
def replies(finder: FactFinder, lexicons: dict[Locale, Words]) -> Replies:
    lister = Lister(finder, renderers(lexicons, finder.options, TEMPLATES, True), TEMPLATES)
    return Replies(Policies.load(TEMPLATES), finder, lister, facts_only=True)


def told(
    replies: Replies,
    text: str,
    what: Understood | None = None,
    *,
    products: tuple[Product, ...] | None = None,
    locale: Locale = "en",
    winner: str = "relevance",
    why: Why = "search",
) -> str | None:
    understood = what or Understood()
    found = Found(explain=Explanation(understood, winner=winner), unmet=understood.unmet)
    sources = [Source(p, why) for p in products or (shirt(), lamp(), stool())]
    reply = replies.reply(Question(text, locale, "a"), found, sources)
    return None if reply is None else reply.text


def test_products_of_the_kind_are_told_with_prices_and_stock(replies: Replies) -> None:
    text = told(replies, "do you have chairs?", Understood(kind="chair", said="chairs"))
    assert text == "Oak Stool: $30.00, in stock."
    assert told(replies, "which gifts do you have?") == (
        "What comes nearest: Harbour Work Shirt: $45.50, in stock; "
        "Reading Lamp: $80.00, in stock; Oak Stool: $30.00, in stock."
    )


def test_in_chinese(replies: Replies) -> None:
    assert told(replies, "有什么礼物", locale="zh") == (
        "最接近的：海港工装衬衫 45.50美元，有货；Reading Lamp 80.00美元，有货；"
        "Oak Stool 30.00美元，有货。"
    )


def test_an_order_by_price_is_said(replies: Replies) -> None:
    text = told(replies, "cheapest first", Understood(order="cheapest"), winner="price")
    assert text is not None
    assert text.startswith("The cheapest first: Harbour Work Shirt: $45.50")
    chinese = told(replies, "最贵的", Understood(order="dearest"), locale="zh", winner="price")
    assert chinese is not None
    assert chinese.startswith("从贵到便宜：")


def test_the_variant_asked_for_is_the_one_told(replies: Replies) -> None:
    wanted = Understood(kind="shirt", said="shirts", colors=("white",))
    assert told(replies, "any white shirts?", wanted) == (
        "Harbour Work Shirt in white: $45.50, out of stock."
    )
    refused = Understood(kind="shirt", said="shirts", without=("white",))
    assert told(replies, "any shirts, not white?", refused) == (
        "Harbour Work Shirt: $45.50, in stock."
    )


def test_of_several_prices_the_lowest_that_will_do(replies: Replies) -> None:
    first, *others = shirt().variants
    dear = replace(first, price=Money(Decimal("70.00"), "USD"))
    reduced = replace(others[0], sale_price=Money(Decimal("40.00"), "USD"))
    product = replace(shirt(), variants=(dear, reduced, *others[1:]))
    text = told(replies, "shirts", Understood(kind="shirt"), products=(product,))
    assert text == "Harbour Work Shirt: from $40.00 (reduced from $45.50), in stock."
    above = Understood(kind="shirt", bounds=Bounds(low=Decimal(60), currency="USD"))
    text = told(replies, "shirts over $60", above, products=(product,))
    assert text == "Harbour Work Shirt: $70.00, in stock."


@pytest.mark.parametrize(
    ("text", "locale", "unmet", "said"),
    [
        ("shirts under $20", "en", "<= 20 USD", "like that: up to $20."),
        ("shirts over $200", "en", ">= 200 USD", "like that: from $200."),
        ("20到30元的衬衫", "zh", ">= 20 <= 30 CNY", "“20元到30元”"),
        ("purple shirts", "en", "purple", "like that: purple."),
        ("紫色衬衫", "zh", "purple", "“紫色”"),
    ],
)
def test_what_is_not_met_is_said_in_words_with_what_comes_nearest(
    replies: Replies, text: str, locale: Locale, unmet: str, said: str
) -> None:
    answer = told(replies, text, Understood(kind="shirt", unmet=(unmet,)), locale=locale)
    assert answer is not None
    assert said in answer
    assert "45.50" in answer


def test_a_refusal_that_nothing_meets_is_said_as_one(replies: Replies) -> None:
    what = Understood(kind="shirt", without=("black",), unmet=("black",))
    answer = told(replies, "shirts, not black", what)
    assert answer is not None
    assert "like that: no black." in answer


@pytest.mark.parametrize(
    "text",
    [
        "how much is the Harbour Work Shirt?",
        "do you have the harbour shirt in white?",
        "which care does it need?",
        "what colours does the shirt come in?",
        "do you have shirts that can be returned?",
    ],
)
def test_a_fact_of_one_product_is_left_to_the_model(replies: Replies, text: str) -> None:
    assert told(replies, text, Understood(kind="shirt")) is None


def test_a_page_and_a_conversation_are_of_one_product(replies: Replies) -> None:
    assert told(replies, "do you have white?", why="page") is None
    assert told(replies, "and in black?", why="conversation") is None


def test_a_number_alone_introduces_its_product(finder: FactFinder, replies: Replies) -> None:
    named = replace(lamp(), id="LAMP-4410")
    assert finder.is_open("LAMP-4410", named)
    assert not finder.is_open("LAMP-4410 warranty", named)
    assert told(replies, "LAMP-4410", products=(named,), why="identifier") is None
