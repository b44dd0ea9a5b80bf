"""Answers compared before a change is made: what they stand on, and nothing live is touched."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from catalog.product import Money, Product
from pipeline.encoder import Encoder, Vectors
from pipeline.finding import make_finder
from pipeline.foreseeing.foresight import Foreseen, Foresight, ForesightConfig
from pipeline.foreseeing.grounds import AnswerChange, Asking, Found
from pipeline.prompt import PromptBuilder
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.records import Records
from pipeline.replying.replies import Replies
from pipeline.retriever import Retriever
from pipeline.types import Question
from tests.pipeline.fakes import LetterModel, product
from tests.pipeline.shop import lamp, question, shirt, sources, titled

COST = Asking("How much is the reading lamp?", None, "en")
MUG = Asking("xxx mug?", None, "en")
PAGE = Asking("How much is it?", "LAMP-1", "en")


class Desk:
    """A live shop of four products, and what compares answers in it."""

    foresight: Foresight

    def __init__(self, prompts: PromptBuilder, encoder: Encoder) -> None:
        self.records, self.encoder, self.prompts = Records(), encoder, prompts
        self.records.replace((lamp(), shirt(), product("3", "xxx mug"), product("4", "zzz")), 7)
        self.retriever = Retriever(encoder, self.records)
        self.replies = Replies.beside(prompts)

    async def open(self, config: ForesightConfig | None = None) -> Foresight:
        """Read the records, and compare over it from now on."""
        finder = await make_finder(self.prompts.templates, self.records, self.retriever, 2)
        self.foresight = Foresight(
            self.records, self.retriever, finder, self.replies, self.prompts, config
        )
        return self.foresight

    async def changes(
        self, *askings: Asking, changed: tuple[Product, ...] = (), removed: tuple[str, ...] = ()
    ) -> tuple[AnswerChange, ...]:
        found = await self.foresight.compare(askings, changed, removed)
        assert (found.questions, found.not_searched) == (len(askings), 0)
        return found.changed

    async def search(self, text: str) -> list[tuple[str, float | None]]:
        vector = await self.encoder.query(text)
        found = self.retriever.candidates(text, vector, 2)
        return [(candidate.product_id, candidate.dense) for candidate in found]


@pytest.fixture(scope="module")
def prompts(tokenizer: Tokenizer) -> PromptBuilder:
    return PromptBuilder(tokenizer)


@pytest.fixture
async def desk(prompts: PromptBuilder) -> AsyncIterator[Desk]:
    encoder = Encoder(LetterModel())
    desk = Desk(prompts, encoder)
    await desk.retriever.rebuild()
    await desk.open()
    yield desk
    await encoder.close()


def ids(found: tuple[Found, ...]) -> list[str]:
    return [each.id for each in found]


async def test_a_new_price_changes_the_facts_and_not_the_products(desk: Desk) -> None:
    page, cost = await desk.changes(PAGE, COST, MUG, changed=(lamp(price="75.00"),))
    assert (page.asking, cost.asking) == (PAGE, COST)
    assert page.before.products == page.after.products == (Found("LAMP", "Reading Lamp"),)
    assert page.before.facts == (
        "The price is $80.00.",
        "Price now: $80.00",
        "Stock now: in stock",
    )
    assert page.after.facts == tuple(line.replace("80.00", "75.00") for line in page.before.facts)
    assert cost.before.products == cost.after.products
    assert "The price is $75.00." in cost.after.facts


async def test_a_new_title_lets_another_product_be_found(desk: Desk) -> None:
    renamed = titled(product("4", "zzz"), "xxx mug")
    (change,) = await desk.changes(MUG, changed=(renamed, titled(product("3", "xxx mug"), "qqq")))
    assert change.before.products[0] == Found("3", "xxx mug")
    assert change.after.products[0] == Found("4", "xxx mug")


async def test_a_new_product_can_be_found_and_its_page_looked_at(desk: Desk) -> None:
    new = Asking("How much is the kkk?", "5-1", "en")
    search = Asking("kkkkkk", None, "en")
    page, found = await desk.changes(new, search, changed=(product("5", "kkkkkk", price="3.00"),))
    assert (page.before.products, page.before.facts) == ((), ())
    assert page.after.facts[0] == "The price is $3.00."
    assert found.after.products[0] == Found("5", "kkkkkk")


async def test_a_removed_product_is_found_no_more_and_its_page_is_none(desk: Desk) -> None:
    page, mug = await desk.changes(replace(PAGE, sku="3"), MUG, removed=("3",))
    assert ids(page.before.products) == ["3"]
    assert (page.after.products, page.after.facts) == ((), ())
    assert ids(mug.before.products)[0] == "3"
    assert "3" not in ids(mug.after.products)


async def test_a_question_is_asked_in_its_language_and_about_the_variant_of_its_page(
    desk: Desk,
) -> None:
    whole = shirt()
    dear = Money(Decimal("60.00"), "USD")
    first, *others = whole.variants
    asked = Asking("多少钱？", first.sku, "zh")
    (change,) = await desk.changes(
        asked, changed=(replace(whole, variants=(replace(first, price=dear), *others)),)
    )
    assert change.before.products == (Found("SH", "海港工装衬衫"),)
    assert "60.00" in change.after.facts[0]
    assert "60.00" not in "".join(change.before.facts)


async def test_what_changes_no_answer_is_not_told(desk: Desk) -> None:
    assert await desk.changes(PAGE, COST, MUG, changed=(lamp(),)) == ()
    assert await desk.changes(PAGE, changed=(product("3", "xxx mug", price="1.00"),)) == ()
    assert await desk.changes(changed=(lamp(price="1.00"),), removed=("3",)) == ()


async def test_nothing_live_is_changed(desk: Desk) -> None:
    records = {p.id: p for p in desk.records.products()}
    found = [await desk.search(text) for text in ("xxx mug", "reading lamp")]
    await desk.changes(
        PAGE, COST, MUG, changed=(titled(lamp(price="1.00"), "kkk"), product("5", "xxx mug mug"))
    )
    await desk.changes(PAGE, COST, MUG, removed=("LAMP", "3", "SH"))
    assert {p.id: p for p in desk.records.products()} == records
    assert desk.records.version == 7
    assert desk.records.by_sku("5-1") is None
    assert [await desk.search(text) for text in ("xxx mug", "reading lamp")] == found


async def test_the_lines_are_those_of_the_prompt(desk: Desk, tokenizer: Tokenizer) -> None:
    for asked, about in ((question("Is it in black?", shirt()), shirt()), (PAGE, lamp())):
        put = asked if isinstance(asked, Question) else question(asked.text, about)
        lines = desk.prompts.lines(put, sources(about))
        prompt = desk.prompts.build(put, sources(about), ())
        text = tokenizer.decode(prompt.token_ids)
        assert len(lines) == 3
        for line in lines:
            assert line in text
    assert desk.prompts.lines(question("Anything?"), ()) == ()


async def test_new_texts_are_bounded_and_those_beyond_are_counted(desk: Desk) -> None:
    some = await desk.open(ForesightConfig(max_texts=1))
    changed = (product("5", "kkk"), product("6", "jjj", zh="帽"), lamp(price="75.00"))
    found = await some.compare([Asking("jjj", None, "en"), PAGE], changed, ())
    assert found.not_searched == 1
    assert [change.asking for change in found.changed][-1] == PAGE
    assert all("6" not in ids(change.after.products) for change in found.changed)


async def test_texts_are_encoded_once_however_often_they_are_looked_at(
    prompts: PromptBuilder,
) -> None:
    class Counting(LetterModel):
        encoded = 0

        def encode_document(self, texts: Sequence[str]) -> Vectors:
            self.encoded += len(texts)
            return super().encode_document(texts)

    model = Counting()
    encoder = Encoder(model)
    desk = Desk(prompts, encoder)
    await desk.retriever.rebuild()
    await desk.open()
    new = tuple(product(str(n), f"kkk {n}") for n in range(10, 19))
    await desk.changes(MUG, changed=new)
    encoded = model.encoded
    await desk.changes(MUG, changed=(*new, lamp(price="1.00")))
    assert model.encoded == encoded
    await encoder.close()


async def test_what_somebody_else_changed_since_is_left_as_it_is(desk: Desk) -> None:
    desk.records.apply([replace(lamp(price="90.00"), version=9)], [], 9)
    stale = replace(lamp(price="75.00"), version=8)
    found = await desk.foresight.compare([PAGE], [stale], [])
    assert found == Foreseen(1, overtaken=1)


async def test_what_is_understood_of_a_question_is_foreseen_too(desk: Desk) -> None:
    cheapest = Asking("cheapest lamp", None, "en")
    number = Asking("do you have SKU 5-XL-99?", None, "en")
    cheap = replace(lamp(price="5.00"), id="5")
    variants = tuple(replace(v, sku=f"5-XL-9{n}") for n, v in enumerate(cheap.variants))
    new = (replace(cheap, variants=(*variants, replace(variants[0], sku="5-XL-99"))),)
    before, after = await desk.changes(cheapest, number, changed=new)
    assert ids(before.before.products)[0] == "LAMP"
    assert ids(before.after.products)[0] == "5"
    assert after.before.products == ()
    assert "5-xl-99" in after.before.facts[0].lower()
    assert ids(after.after.products) == ["5"]
