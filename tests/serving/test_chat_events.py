"""The events of /chat as the contract writes them down."""

import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from catalog.product import Money, Product, Text, Variant
from pipeline.timing import StageTimings
from pipeline.types import Done, Failure, Timing, Token, TokenCounts
from serving.events import name_and_json, product_json
from serving.services import Services
from tests.serving.fakes import DONE, SOURCES, WrittenChat, shirt, sources_of, whole_answer
from tests.serving.server import events, post, serving

ASK = {"message": "Is it black?"}


async def answer(services: Services, chat: WrittenChat, **more: str) -> list[tuple[str, Any]]:
    async with (
        serving(replace(services, chat=chat)) as port,
        post(port, "/chat", {**ASK, **more}) as reply,
    ):
        return events(await reply.rest())


async def test_an_answer_is_sources_tokens_timing_done(services: Services) -> None:
    told = await answer(services, WrittenChat(*whole_answer("Yes", " 好🌍")))
    assert [name for name, _ in told] == ["sources", "token", "token", "timing", "done"]
    assert told[0][1] == {
        "session_id": "s1",
        "answer_id": "a1",
        "products": [],
        "catalog_version": 7,
    }
    assert [data for name, data in told if name == "token"] == [{"text": "Yes"}, {"text": " 好🌍"}]
    assert told[-1][1] == {"session_id": "s1", "finish_reason": "stop", "catalog_version": 7}


async def test_timing_adds_up_to_the_time_to_first_token(services: Services) -> None:
    timing = dict(await answer(services, WrittenChat(*whole_answer("Yes", "."))))["timing"]
    assert timing["answer_id"] == "a1"
    assert timing["tokens"] == {"prompt": 10, "cached": 8, "trimmed": 0, "completion": 2}
    assert list(timing["stages_ms"]) == ["admit", "flush"]
    assert sum(timing["stages_ms"].values()) == pytest.approx(timing["ttft_ms"], abs=0.01)
    assert timing["tpot_ms"] > 0
    assert timing["over_budget"] == []


def test_stages_over_their_budget_are_named_and_absent_figures_are_null() -> None:
    now = iter([0.0, 0.2, 0.2])
    timings = StageTimings(clock=lambda: next(now))
    timings.mark("search")
    event = Timing("a1", TokenCounts(5, None, 1, 0))
    _, told = name_and_json(event, timings, None, {"search": 80.0, "render": 10.0})
    assert told["over_budget"] == ["search"]
    assert told["ttft_ms"] is told["tpot_ms"] is None
    assert told["tokens"] == {"prompt": 5, "cached": None, "trimmed": 1, "completion": 0}


async def test_a_card_shows_the_offer_that_can_be_had(services: Services) -> None:
    chat = WrittenChat(sources_of(shirt()), DONE)
    told = dict(await answer(services, chat))["sources"]["products"]
    white = {
        "sku": "SH-WHT",
        "options": {"color": "white"},
        "price": {"amount": "30.00", "currency": "USD"},
        "sale_price": {"amount": "19.90", "currency": "USD"},
        "availability": "in_stock",
    }
    black = {
        "sku": "SH-BLK",
        "options": {"color": "black"},
        "price": {"amount": "30.00", "currency": "USD"},
        "availability": "out_of_stock",
    }
    assert told == [
        {
            "id": "shirt",
            "title": "Linen Shirt",
            "url": "/products/shirt",
            "image": "",
            "price": white["price"],
            "sale_price": white["sale_price"],
            "availability": "in_stock",
            "options": {"color": ["black", "white"]},
            "variants": [black, white],
            "why": "page",
        }
    ]


async def test_a_card_shows_the_variant_whose_page_it_is(services: Services) -> None:
    chat = WrittenChat(sources_of(shirt()), DONE)
    [card] = dict(await answer(services, chat, sku="SH-BLK"))["sources"]["products"]
    assert "sale_price" not in card
    assert (chat.asked[0].product_id, chat.asked[0].sku) == ("shirt", "SH-BLK")


async def test_a_product_id_names_the_page_too(services: Services) -> None:
    chat = WrittenChat(*whole_answer("Yes"))
    await answer(services, chat, sku=" shirt ")
    assert (chat.asked[0].product_id, chat.asked[0].sku) == ("shirt", None)


@pytest.mark.parametrize(
    ("message", "locale", "expected"),
    [
        ("Is it black?", None, "en"),
        ("这件衣服有黑色的吗？", None, "zh"),
        ("iPhone 有吗", None, "zh"),
        ("这件衣服有黑色的吗？", "en", "en"),
        ("¿Hay en negro?", None, "en"),
        ("𠀀", None, "zh"),
    ],
)
async def test_the_answers_language(
    services: Services, message: str, locale: str | None, expected: str
) -> None:
    chat = WrittenChat(*whole_answer("Yes"))
    more = {"message": message} | ({"locale": locale} if locale else {})
    await answer(services, chat, **more)
    assert chat.asked[0].locale == expected


async def test_cards_speak_the_answers_language(services: Services) -> None:
    chat = WrittenChat(replace(sources_of(shirt()), locale="zh"), DONE)
    [card] = dict(await answer(services, chat))["sources"]["products"]
    assert card["title"] == "亚麻衬衫"
    assert card["options"] == {"颜色": ["黑色", "白色"]}
    assert card["variants"][0]["options"] == {"颜色": "黑色"}


async def test_failures_tell_their_code_and_done_follows(services: Services) -> None:
    failed = Failure("store_unavailable", "try again", retry_after=5)
    told = await answer(services, WrittenChat(failed, Done(None, "error", 7)))
    assert told == [
        ("error", {"code": "store_unavailable", "message": "try again", "retry_after": 5}),
        ("done", {"session_id": None, "finish_reason": "error", "catalog_version": 7}),
    ]


async def test_what_was_not_found_is_told_only_if_there_is_something(services: Services) -> None:
    chat = WrittenChat(replace(SOURCES, not_found=("1234568",)), DONE)
    assert dict(await answer(services, chat))["sources"]["not_found"] == ["1234568"]


def test_amounts_are_exact_and_never_have_an_exponent() -> None:
    for amount, told in (("1E+3", "1000"), ("0.0000001", "0.0000001"), ("9.90", "9.90")):
        variant = Variant("a", Money(Decimal(amount), "USD"))
        product = Product("p", "en", {"en": Text("t")}, (variant,))
        card = product_json(sources_of(product).sources[0], "en", None)
        assert card["price"] == {"amount": told, "currency": "USD"}


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://shop.example/p?x=1", True),
        ("/p/1", True),
        ("JavaScript:alert(1)", False),
        (" data:text/html,x", False),
        ("http://[", False),
    ],
)
def test_only_addresses_that_a_browser_may_follow_are_told(url: str, told: bool) -> None:
    product = replace(shirt(), url=url)
    card = product_json(sources_of(product).sources[0], "en", None)
    assert card["url"] == (url if told else "")


async def test_text_of_every_kind_stays_in_one_line_of_json(services: Services) -> None:
    nasty = 'a"\n\r\n\u2028 data: {} <script> \\ \t'
    async with (
        serving(replace(services, chat=WrittenChat(Token(nasty), DONE))) as port,
        post(port, "/chat", ASK) as reply,
    ):
        body = await reply.rest()
    assert events(body)[0] == ("token", {"text": nasty})
    assert re.fullmatch(rb"(event: \w+\ndata: [^\n\r]+\n\n)+", body)
