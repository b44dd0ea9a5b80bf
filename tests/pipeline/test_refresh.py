"""A change of the catalogue reaches the next answer: live facts at once, texts once encoded."""

from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal

import pytest_asyncio

from catalog.product import Money, Product, Text
from pipeline.encoder import Encoder
from pipeline.records import Records
from pipeline.refresh import Refresher
from pipeline.retriever import Hit, Retriever, hydrate
from tests.pipeline.fakes import LetterModel, product

LAMP, KETTLE, MUG = product("1", "zzz lamp"), product("2", "qqq kettle"), product("3", "xxx mug")


class Shop:
    """Records, their index, and what keeps both fresh."""

    def __init__(self) -> None:
        self.model = LetterModel()
        self.records = Records()
        self.records.replace((LAMP, KETTLE), 1)
        self.retriever = Retriever(Encoder(self.model), self.records)
        self.refresher = Refresher(self.records, self.retriever)

    async def found(self, text: str) -> list[str]:
        vector = await self.retriever.encoder.query(text)
        found = self.retriever.candidates(text, vector, 3)
        hits = [Hit(candidate.product_id, "search") for candidate in found]
        return [source.product.id for source in hydrate(self.records, hits)]


@pytest_asyncio.fixture
async def shop() -> AsyncIterator[Shop]:
    shop = Shop()
    await shop.retriever.rebuild()
    yield shop
    await shop.refresher.close()
    await shop.retriever.encoder.close()


def priced(item: Product, amount: str) -> Product:
    variant = replace(item.variants[0], price=Money(Decimal(amount), "USD"))
    return replace(item, variants=(variant,))


async def test_a_new_price_is_there_at_once_and_encodes_nothing(shop: Shop) -> None:
    shop.refresher.apply([priced(LAMP, "5.00")], [], 2)
    shown = shop.records.by_sku("1-1")
    assert shown is not None
    assert str(shown[1].price) == "5.00 USD"
    assert (shop.records.version, shop.refresher.pending) == (2, 0)


async def test_a_new_text_is_searchable_once_it_is_encoded(shop: Shop) -> None:
    shop.refresher.apply([replace(KETTLE, texts={"en": Text("www urn")})], [], 2)
    assert shop.refresher.pending == 1
    await shop.refresher.settled()
    assert (await shop.found("www urn"))[0] == "2"
    assert shop.refresher.pending == 0


async def test_a_new_product_is_found_and_a_deleted_one_is_gone(shop: Shop) -> None:
    shop.refresher.apply([MUG], ["1"], 2)
    assert "1" not in await shop.found("zzz lamp")  # at once, before anything is encoded
    assert shop.records.by_sku("1-1") is None
    await shop.refresher.settled()
    assert (await shop.found("xxx mug"))[0] == "3"
    assert "1" not in await shop.found("zzz lamp")


async def test_a_text_that_changes_while_it_is_encoded_ends_as_the_last_one(shop: Shop) -> None:
    for title in ("www urn", "vvv urn", "jjj urn"):
        shop.refresher.apply([replace(KETTLE, texts={"en": Text(title)})], [], 2)
    await shop.refresher.settled()
    found = await shop.retriever.encoder.query("jjj urn")
    [best, *_] = shop.retriever.candidates("jjj urn", found, 3)
    assert best.product_id == "2"
    assert best.dense is not None
    assert best.dense > 0.99


async def test_a_variant_that_moves_to_another_product_is_not_lost(shop: Shop) -> None:
    taken = replace(KETTLE, variants=(*KETTLE.variants, *LAMP.variants))
    shop.refresher.apply([replace(LAMP, variants=MUG.variants), taken], [], 2)
    owner = shop.records.by_sku("1-1")
    assert owner is not None
    assert owner[0].id == "2"


async def test_a_resync_applies_only_what_differs(shop: Shop) -> None:
    shop.refresher.resync([replace(priced(LAMP, "7.00"), version=9), MUG], 9)
    await shop.refresher.settled()
    assert sorted(p.id for p in shop.records.products()) == ["1", "3"]
    assert shop.records.version == 9
    assert (await shop.found("xxx mug"))[0] == "3"
