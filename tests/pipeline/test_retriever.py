"""Which products a question is about."""

from collections.abc import AsyncIterator, Sequence

import pytest_asyncio

from pipeline.encoder import Encoder
from pipeline.finding import make_finder
from pipeline.prompting.rendering import TEMPLATES
from pipeline.records import Records
from pipeline.retriever import Hit, Retriever, hydrate
from pipeline.timing import StageTimings
from pipeline.types import Question, Turn
from tests.pipeline.fakes import LetterModel, product

PRODUCTS = (product("1", "zzz lamp"), product("2", "qqq kettle", zh="kkk"), product("3", "xxx mug"))


def question(text: str, product_id: str | None = None) -> Question:
    return Question(text=text, locale="en", answer_id="a", product_id=product_id)


@pytest_asyncio.fixture
async def records() -> Records:
    records = Records()
    records.replace(PRODUCTS, 7)
    return records


@pytest_asyncio.fixture
async def retriever(records: Records) -> AsyncIterator[Retriever]:
    encoder = Encoder(LetterModel())
    retriever = Retriever(encoder, records)
    await retriever.rebuild()
    yield retriever
    await encoder.close()


async def find(
    retriever: Retriever, records: Records, asked: Question, turns: Sequence[Turn] = ()
) -> list[tuple[str, str]]:
    """What a shopper is shown, and why."""
    finder = await make_finder(TEMPLATES, records, retriever, 2)
    found = await finder.find(asked, turns, StageTimings())
    return [(hit.product_id, hit.why) for hit in found.hits]


async def ask(
    retriever: Retriever, records: Records, text: str, *turns: Turn
) -> list[tuple[str, str]]:
    return await find(retriever, records, question(text), turns)


async def test_the_nearest_product_comes_first(retriever: Retriever, records: Records) -> None:
    found = await ask(retriever, records, "xxx mug?")
    assert found[0] == ("3", "search")
    assert len(found) == 2


async def test_a_product_is_found_by_any_of_its_languages(
    retriever: Retriever, records: Records
) -> None:
    assert (await ask(retriever, records, "kkk"))[0] == ("2", "search")


async def test_the_page_needs_no_search(retriever: Retriever, records: Records) -> None:
    assert await find(retriever, records, question("is it blue?", product_id="1")) == [
        ("1", "page")
    ]
    assert ("1", "page") not in await find(retriever, records, question("is it blue?"))


async def test_a_question_that_names_nothing_stays_with_the_conversation(
    retriever: Retriever, records: Records
) -> None:
    earlier = Turn("how much is the mug?", "9.99", ("3",))
    assert (await ask(retriever, records, "is it blue?", earlier))[0] == ("3", "conversation")
    assert (await ask(retriever, records, "and the zzz lamp?", earlier))[0] == ("1", "search")


async def test_a_product_that_left_the_shelf_is_not_hydrated(
    retriever: Retriever, records: Records
) -> None:
    hits = [Hit(id_, "search") for id_, _ in await ask(retriever, records, "xxx mug")]
    assert "3" in [hit.product_id for hit in hits]
    records.replace(PRODUCTS[:2], 8)
    assert "3" not in [source.product.id for source in hydrate(records, hits)]


async def test_an_empty_shop_finds_nothing() -> None:
    encoder = Encoder(LetterModel())
    retriever = Retriever(encoder, Records())
    vector = await encoder.query("mug")
    assert retriever.candidates("mug", vector, 2) == ()
    await retriever.rebuild()
    assert retriever.candidates("mug", vector, 2) == ()
    await encoder.close()


def test_a_page_is_resolved_by_sku_or_by_product_id(records: Records) -> None:
    by_sku, by_id = records.resolve("2-1"), records.resolve("2")
    assert by_sku is not None
    assert by_id is not None
    assert (by_sku[0].id, by_sku[1] and by_sku[1].sku) == ("2", "2-1")
    assert by_id == (by_sku[0], None)
    assert records.resolve("nothing") is None
    assert (records.version, len(records)) == (7, 3)
