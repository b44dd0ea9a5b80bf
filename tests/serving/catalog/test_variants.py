"""Live facts of one variant: exact amounts, plain words for stock, and no patch lost."""

import asyncio
from decimal import Decimal
from typing import Any

import pytest

from catalog.product import Availability, Money
from tests.catalog.make import product, variant
from tests.serving.catalog.conftest import Api

BLACK = "/catalog/variants/SH-BLK"


async def test_a_price_is_patched_to_the_last_digit(api: Api) -> None:
    for amount in ("12.34", "0.10", "19.90", "1000000.00", "7", "0"):
        reply = await api.editor.patch(BLACK, json={"price": amount})
        assert reply.status_code == 200
        assert reply.json()["variant"]["price"] == {"amount": amount, "currency": "USD"}
        assert (await api.stored()).variants[0].price == Money(Decimal(amount), "USD")
    assert (await api.reader.get(BLACK)).json() == reply.json()


async def test_a_sale_begins_and_ends(api: Api) -> None:
    begun = await api.editor.patch(BLACK, json={"sale_price": "9.99"})
    assert begun.json()["variant"]["sale_price"] == {"amount": "9.99", "currency": "USD"}
    ended = await api.editor.patch(BLACK, json={"sale_price": None})
    assert ended.json()["variant"]["sale_price"] is None
    assert (await api.stored()).variants[0].sale_price is None


async def test_a_sale_is_below_the_price_and_ends_when_the_price_comes_down_to_it(api: Api) -> None:
    for amount in ("30.00", "30.01"):
        refused = await api.editor.patch(BLACK, json={"sale_price": amount})
        assert refused.status_code == 422
        assert "is not below the price 30.00 USD" in refused.json()["error"]["message"]
    await api.editor.patch(BLACK, json={"sale_price": "20.00"})
    lower = await api.editor.patch(BLACK, json={"price": "25.00"})
    assert lower.json()["variant"]["sale_price"]["amount"] == "20.00"
    ended = await api.editor.patch(BLACK, json={"price": "20.00"})
    assert ended.json()["variant"]["sale_price"] is None


async def test_another_currency_is_said_in_full(api: Api) -> None:
    euros = {"amount": "11.00", "currency": "EUR"}
    reply = await api.editor.patch(BLACK, json={"price": euros})
    assert reply.json()["variant"]["price"] == euros
    mixed = {"sale_price": {"amount": "9.00", "currency": "USD"}}
    refused = await api.editor.patch(BLACK, json=mixed)
    assert refused.status_code == 422
    assert "different currencies" in refused.json()["error"]["message"]


@pytest.mark.parametrize("spelling", ["sh-blk", "SH-BLK%20", "ＳＨ-ＢＬＫ", "SH%20-BLK"])
async def test_a_sku_is_the_same_however_it_is_written(api: Api, spelling: str) -> None:
    reply = await api.editor.patch(f"/catalog/variants/{spelling}", json={"stock": 9})
    assert reply.json()["variant"]["sku"] == "SH-BLK"
    assert (await api.stored()).variants[0].stock == 9


async def test_a_sku_beside_a_known_one_is_not_its_neighbour(api: Api) -> None:
    await api.store.put(
        [product("n", variant("1234567")), product("z", variant("0100"))], actor="x"
    )
    for unknown in ("1234568", "123456", "100", "SH-BLK-1"):
        reply = await api.editor.patch(f"/catalog/variants/{unknown}", json={"stock": 1})
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "product_unknown")


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        ("in_stock", {"stock": 0}, "out_of_stock"),
        ("out_of_stock", {"stock": 3}, "in_stock"),
        ("out_of_stock", {"stock": 0}, "out_of_stock"),
        ("preorder", {"stock": 0}, "preorder"),
        ("backorder", {"stock": 5}, "backorder"),
        ("in_stock", {"stock": None}, "in_stock"),
        ("in_stock", {"stock": 0, "availability": "in_stock"}, "in_stock"),
        ("in_stock", {"price": "1.00"}, "in_stock"),
        ("in_stock", {"availability": "preorder"}, "preorder"),
    ],
)
async def test_what_a_new_count_says_about_availability(
    api: Api, before: Availability, patch: dict[str, Any], after: str
) -> None:
    await api.editor.patch(BLACK, json={"stock": 7, "availability": before})
    reply = await api.editor.patch(BLACK, json=patch)
    assert reply.json()["variant"]["availability"] == after


async def test_siblings_stay_as_they_are(api: Api) -> None:
    await api.editor.patch(BLACK, json={"price": "1.00", "stock": 1})
    white = (await api.stored()).variants[1]
    assert (white.sku, white.price.amount, white.stock) == ("SH-WHT", Decimal("30.00"), 0)


async def test_twenty_patches_at_once_on_one_product_lose_none(api: Api) -> None:
    skus = [f"V{number}" for number in range(20)]
    await api.store.put([product("many", *(variant(sku, stock=0) for sku in skus))], actor="setup")
    replies = await asyncio.gather(
        *(
            api.editor.patch(f"/catalog/variants/{sku}", json={"stock": number + 100})
            for number, sku in enumerate(skus)
        )
    )
    assert {reply.status_code for reply in replies} == {200}
    stored = await api.stored("many")
    assert [each.stock for each in stored.variants] == [number + 100 for number in range(20)]
    assert stored.version == max(reply.json()["version"] for reply in replies)


async def test_of_twenty_with_the_same_tag_one_is_first_and_the_others_are_told(api: Api) -> None:
    tag = (await api.reader.get(BLACK)).headers["etag"]
    replies = await asyncio.gather(
        *(
            api.editor.patch(BLACK, json={"stock": number + 100}, headers={"If-Match": tag})
            for number in range(20)
        )
    )
    first = [reply for reply in replies if reply.status_code == 200]
    assert len(first) == 1
    assert {reply.status_code for reply in replies if reply not in first} == {412}
    assert (await api.stored()).variants[0].stock == first[0].json()["variant"]["stock"]
