"""Products are found by what customers call them, whatever the record says."""

from collections.abc import AsyncIterator
from decimal import Decimal

import pytest

from catalog.product import Locale, Money, Product, Text, Variant
from pipeline.encoder import Encoder
from pipeline.records import Records
from pipeline.retriever import Retriever
from tests.pipeline.fakes import LetterModel


def sold(id_: str, title: str, description: str = "", locale: Locale = "en") -> Product:
    variant = Variant(id_, Money(Decimal("9.00"), "USD"))
    return Product(id_, locale, {locale: Text(title, description)}, (variant,))


SHOP = (
    sold("pack", "Trail Backpack 30L", "Padded straps, rain cover."),
    sold("day", "Day Backpack 18L", "For the office."),
    sold("driver", "Precision Screwdriver Set", "Twelve bits in a case."),
    sold("drill", "Cordless Drill", "Two speeds."),
    sold("bin", "Pedal Bin 30 L", "Brushed steel."),
    sold("settee", "Three Seat Settee", "Oak legs."),
    sold("shirt", "Men's Linen Shirt", "Breathable."),
    sold("down", "轻薄羽绒服 男款", "90%白鸭绒", "zh"),
    sold("pot", "电饭煲 2.5升", "智能预约", "zh"),
    sold("cup", "保温杯 500毫升", "316不锈钢", "zh"),
)


@pytest.fixture
async def shop() -> AsyncIterator[Retriever]:
    records = Records()
    records.replace(SHOP, 1)
    encoder = Encoder(LetterModel())
    retriever = Retriever(encoder, records)
    await retriever.rebuild()
    yield retriever
    await encoder.close()


async def best(shop: Retriever, question: str) -> str:
    """The product that shares the most words; the other leg knows letters only."""
    found = shop.candidates(question, await shop.encode(question), 10)
    return max(found, key=lambda candidate: candidate.lexical or 0.0).product_id


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("a backpak for hiking with rain cover", "pack"),
        ("backpacks 30 litre", "pack"),
        ("30-liter back pack", "pack"),
        ("screw drivers", "driver"),
        ("screwdrivers", "driver"),
        ("precison screwdriver", "driver"),
        ("cordles drills", "drill"),
        ("a bin of 30 litres", "bin"),
        ("mens shirts", "shirt"),
        ("2.5L的电饭煲", "pot"),
        ("五百毫升 ５００ml 保温杯", "cup"),
    ],
)
async def test_typing_errors_plurals_and_units(shop: Retriever, asked: str, meant: str) -> None:
    assert await best(shop, asked) == meant


async def test_a_shops_own_words(shop: Retriever) -> None:
    for asked, meant in (("red couch", "settee"), ("有没有鸭绒外套", "down")):
        shop.use_synonyms([("settee", "couch", "love seat"), ("羽绒服", "鸭绒外套")])
        assert await best(shop, asked) == meant
    question = "a love seat"
    with_them = shop.candidates(question, await shop.encode(question), 10)
    shop.use_synonyms([])
    without = shop.candidates(question, await shop.encode(question), 10)
    score = {c.product_id: c.lexical or 0.0 for c in with_them}["settee"]
    assert score > ({c.product_id: c.lexical or 0.0 for c in without}["settee"])


async def test_a_product_that_changes_is_found_by_its_new_words_alone(shop: Retriever) -> None:
    await shop.update([sold("drill", "Impact Wrench")], ["day"])
    assert await best(shop, "impact wrench") == "drill"
    question = "cordless drill backpack"
    found = shop.candidates(question, await shop.encode(question), 10)
    assert {c.product_id for c in found if c.lexical} == {"pack"}


@pytest.mark.parametrize("k", [1, 3, 1_000])
async def test_as_many_as_asked_for_or_as_there_are(shop: Retriever, k: int) -> None:
    found = shop.candidates("backpack", await shop.encode("backpack"), k)
    assert len({c.product_id for c in found}) == len(found) == min(k, len(SHOP))


@pytest.mark.parametrize("products", [(), SHOP[:1]])
async def test_a_shop_with_one_product_or_none(products: tuple[Product, ...]) -> None:
    records = Records()
    records.replace(products, 1)
    encoder = Encoder(LetterModel())
    retriever = Retriever(encoder, records)
    await retriever.rebuild()
    vector = await retriever.encode("backpack")
    assert len(retriever.candidates("backpack", vector, 10)) == len(products)
    assert retriever.candidates("backpack", vector, 10, among=["none"]) == ()
    await encoder.close()
