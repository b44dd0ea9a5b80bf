"""Which products a question is about: identifiers, filters, follow-ups and what is not sold."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from decimal import Decimal

import pytest
import pytest_asyncio

from catalog.product import Locale, Money, Pairs, Product, Text, Variant
from pipeline.encoder import Encoder
from pipeline.finder import Finder
from pipeline.found import Found
from pipeline.lexicon.words import Words
from pipeline.prompting.rendering import TEMPLATES
from pipeline.records import Records
from pipeline.retriever import Retriever
from pipeline.timing import StageTimings
from pipeline.types import Question, Turn
from tests.pipeline.fakes import LetterModel


def thing(
    id_: str,
    title: str,
    price: str,
    *,
    zh: str = "",
    brand: str = "",
    category: str = "",
    attributes: Pairs = (),
    options: tuple[Pairs, ...] = ((),),
    stock: int = 5,
    currency: str = "USD",
    description: str = "",
) -> Product:
    """A product; one variant for each of `options`."""
    variants = tuple(
        Variant(
            id_ if len(options) == 1 else f"{id_}-{number}",
            Money(Decimal(price), currency),
            chosen,
            stock=stock,
            availability="in_stock" if stock else "out_of_stock",
        )
        for number, chosen in enumerate(options, start=1)
    )
    locale: Locale = "en" if title else "zh"
    texts: dict[Locale, Text] = {}
    if title:
        texts["en"] = Text(title, description, category, attributes)
    if zh:
        texts["zh"] = Text(zh, attributes=() if title else attributes)
    return Product(id_, locale, texts, variants, brand=brand)


def in_colors(*colors: str) -> tuple[Pairs, ...]:
    return tuple((("color", color), ("size", size)) for color in colors for size in ("M", "L"))


SHOP = (
    thing("BAG-RED-01", "Canvas Tote Handbag Red", "30.00", brand="Nordic", zh="红色帆布手提包"),
    thing("BAG-BLK-02", "Leather Handbag Black", "80.00", brand="Apple", zh="黑色真皮手提包"),
    thing("BAG-BLU-03", "Blue Handbag", "55.00", brand="Nordic", zh="蓝色手提包", stock=0),
    thing("PHO-ONE-04", "One Phone 5", "199.00", brand="Samsung"),
    thing("PHO-TWO-05", "Two Phone 7", "399.00", brand="Apple"),
    thing("PHO-TRE-06", "Three Phone", "99.00", brand="Rolex", stock=0),
    thing("SHI-COT-07", "Cotton Shirt", "25.00", category="Men > Shirts", zh="棉衬衫",
          options=in_colors("black", "navy")),
    thing("SHI-LIN-08", "Linen Shirt", "45.00", category="Women > Shirts", zh="亚麻衬衫",
          options=in_colors("white")),
    thing("SHI-FLA-09", "Flannel Shirt", "35.00", category="Men > Shirts", zh="法兰绒衬衫",
          attributes=(("lining", "with fur"),), options=in_colors("red", "green")),
    thing("1234567", "", "199.00", zh="日式台灯", currency="CNY", attributes=(("颜色", "白/ 黑"),)),
    thing("1234569", "", "299.00", zh="北欧台灯", currency="CNY", attributes=(("颜色", "黄"),)),
    thing("1234571", "", "39.00", zh="条纹抱枕", currency="CNY"),
    thing("1234573", "", "59.00", zh="羽绒抱枕", currency="CNY"),
    thing("HOM-UMB-10", "", "49.00", zh="折叠雨伞", currency="CNY"),
)  # fmt: skip
BAGS = {"BAG-RED-01", "BAG-BLK-02", "BAG-BLU-03"}
PHONES = {"PHO-ONE-04", "PHO-TWO-05", "PHO-TRE-06"}
SHIRTS = {"SHI-COT-07", "SHI-LIN-08", "SHI-FLA-09"}


@dataclass(frozen=True, slots=True)
class Intent:
    name: str
    record_first: bool = False


class OnlyHello:
    """Intents of one word."""

    def read(self, text: str) -> Intent | None:
        return Intent("greeting") if text == "hello" else None


class Asking:
    """A shop to ask."""

    def __init__(self, records: Records, finder: Finder, model: LetterModel) -> None:
        self.records, self.finder, self.model = records, finder, model

    async def ask(
        self, text: str, *shown: str, page: str | None = None, timings: StageTimings | None = None
    ) -> Found:
        """Ask after a turn that showed `shown`."""
        locale: Locale = "zh" if any(character > "\u3000" for character in text) else "en"
        turns = (Turn("?", "!", shown),) if shown else ()
        question = Question(text, locale, "a", product_id=page)
        return await self.finder.find(question, turns, timings or StageTimings())

    async def ids(self, text: str, *shown: str, page: str | None = None) -> list[str]:
        found = await self.ask(text, *shown, page=page)
        return [hit.product_id for hit in found.hits]


@pytest_asyncio.fixture
async def shop(lexicons: dict[Locale, Words]) -> AsyncIterator[Asking]:
    records, model = Records(), LetterModel()
    records.replace(SHOP, 1)
    encoder = Encoder(model)
    retriever = Retriever(encoder, records)
    await retriever.rebuild()
    finder = Finder.load(
        TEMPLATES, records, retriever, lexicons, intents=OnlyHello(), products=len(SHOP)
    )
    await finder.rebuild()
    model.calls.clear()
    yield Asking(records, finder, model)
    await encoder.close()


async def test_an_unknown_sku_is_not_found_and_never_its_neighbour(shop: Asking) -> None:
    found = await shop.ask("SKU 1234568")
    assert (found.not_found, found.hits) == (("1234568",), ())
    found = await shop.ask("编号 1234567 多少钱")
    assert [(hit.product_id, hit.why) for hit in found.hits] == [("1234567", "identifier")]
    assert not found.not_found


async def test_a_kind_that_is_not_sold_is_not_carried(shop: Asking) -> None:
    found = await shop.ask("do you sell Pianos?")
    assert found.not_carried is not None
    assert found.not_carried.kind == "Pianos"
    assert found.hits == ()


async def test_the_nearest_kinds_are_named_in_the_question_s_language(shop: Asking) -> None:
    english, chinese = await shop.ask("any backpacks?"), await shop.ask("有没有双肩包")
    assert english.not_carried is not None
    assert english.not_carried.nearest == ("handbag",)
    assert chinese.not_carried is not None
    assert (chinese.not_carried.kind, chinese.not_carried.nearest) == ("双肩包", ("手提包",))


async def test_a_colour_that_none_has_is_not_dropped_silently(shop: Asking) -> None:
    found = await shop.ask("purple handbag under $60")
    assert found.unmet == ("purple",)
    assert found.explain.understood.unmet == ("purple",)
    assert {hit.product_id for hit in found.hits} == {"BAG-RED-01", "BAG-BLU-03"}


@pytest.mark.parametrize(
    "text",
    ["do you sell guitars", "got any bicycles?", "looking for a tent", "vacuum cleaner under $100",
     "cheapest air fryer", "socks", "show me some hammers", "have you got skateboards in blue",
     "你们卖钢琴吗", "有自行车卖吗", "我想买台冰箱", "吉他多少钱", "三百以内的滑板", "手套有吗",
     "红色的围巾有吗", "便宜点的空调"],
)  # fmt: skip
async def test_not_carried(shop: Asking, text: str) -> None:
    assert (await shop.ask(text)).not_carried is not None


@pytest.mark.parametrize(
    "text",
    ["do you sell phones", "handbags?", "any shirts", "umbrella", "is this toothpaste safe?",
     "有没有抱枕", "雨伞有吗", "台灯", "有手机吗",
     "can I wear the shirt with boots and gloves for a party"],
)  # fmt: skip
async def test_carried(shop: Asking, text: str) -> None:
    assert (await shop.ask(text)).not_carried is None


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("handbags under $60", {"BAG-RED-01", "BAG-BLU-03"}),
        ("a phone between 100 and 200 dollars", {"PHO-ONE-04"}),
        ("phones over 300", {"PHO-TWO-05"}),
        ("两百元以内的台灯", {"1234567"}),
        ("台灯 250-300", {"1234569"}),
        ("50元以上的抱枕", {"1234573"}),
        ("handbags, not red", {"BAG-BLK-02", "BAG-BLU-03"}),
        ("a handbag that isn't black or blue", {"BAG-RED-01"}),
        ("phones not from apple", {"PHO-ONE-04", "PHO-TRE-06"}),
        ("不要苹果的手机", {"PHO-ONE-04", "PHO-TRE-06"}),
        ("手机，劳力士除外", {"PHO-ONE-04", "PHO-TWO-05"}),
        ("shirts without fur", {"SHI-COT-07", "SHI-LIN-08"}),
        ("shirts in any colour but red", SHIRTS),
        ("shirts, no white please", {"SHI-COT-07", "SHI-FLA-09"}),
        ("不要黄色的台灯", {"1234567"}),
        ("抱枕不要条纹的", {"1234573"}),
        ("不含羽绒的抱枕", {"1234571"}),
        ("which handbags are in stock", {"BAG-RED-01", "BAG-BLK-02"}),
        ("哪些手提包有货", {"BAG-RED-01", "BAG-BLK-02"}),
        ("有货的手机给我看看", {"PHO-ONE-04", "PHO-TWO-05"}),
        ("blue handbag", {"BAG-BLU-03"}),
        ("navy shirt", {"SHI-COT-07"}),
        ("blue shirts", {"SHI-COT-07"}),
        ("绿色衬衫", {"SHI-FLA-09"}),
        ("白色台灯", {"1234567"}),
        ("男士衬衫", {"SHI-COT-07", "SHI-FLA-09"}),
        ("men's shirts under $30", {"SHI-COT-07"}),
        ("linen shirts under $50", {"SHI-LIN-08"}),
        ("nordic handbags below 40", {"BAG-RED-01"}),
        ("cheapest apple phone", {"PHO-TWO-05"}),
        ("umbrella", {"HOM-UMB-10"}),
    ],
)
async def test_the_set_that_will_do(shop: Asking, text: str, ids: set[str]) -> None:
    found = await shop.ask(text)
    assert {hit.product_id for hit in found.hits} == ids
    assert found.explain.among == len(ids)


async def test_what_is_for_others_comes_after_what_is_for_whom_is_asked(shop: Asking) -> None:
    found = await shop.ids("women's shirts")
    assert min(map(found.index, ("SHI-COT-07", "SHI-FLA-09"))) > found.index("SHI-LIN-08")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("cheapest phone", "PHO-TRE-06"),
        ("the most expensive handbag", "BAG-BLK-02"),
        ("最便宜的台灯", "1234567"),
        ("台灯哪个最贵", "1234569"),
        ("cheap shirts", "SHI-COT-07"),
        ("cheapest phone in stock please, which are available", "PHO-ONE-04"),
        ("cheapest handbag that isn't red", "BAG-BLU-03"),
    ],
)
async def test_order_by_price_needs_no_vector(shop: Asking, text: str, first: str) -> None:
    timings = StageTimings()
    found = await shop.ask(text, timings=timings)
    assert found.hits[0].product_id == first
    assert shop.model.calls == []
    assert not {"encode", "search"} & set(timings.stages())


async def test_currencies_are_not_compared(shop: Asking) -> None:
    found = await shop.ask("handbags under £40")
    assert {hit.product_id for hit in found.hits} == BAGS
    assert found.unmet == ("<= 40 GBP",)


async def test_one_product_s_stock_is_no_filter(shop: Asking) -> None:
    assert (await shop.ids("is the blue handbag in stock?"))[0] == "BAG-BLU-03"


async def test_prices_and_stock_count_as_they_are_now(shop: Asking) -> None:
    bag = SHOP[0]
    dear = replace(bag.variants[0], price=Money(Decimal("99.00"), "USD"))
    shop.records.apply([replace(bag, variants=(dear,))], (), 2)
    assert await shop.ids("handbags under $60") == ["BAG-BLU-03"]


async def test_changes_are_followed_in_the_same_step(shop: Asking) -> None:
    piano = thing("PIA-NO-99", "Grand Piano", "900.00")
    shop.records.apply([piano], ["BAG-RED-01"], 2)
    assert (await shop.ask("do you sell pianos")).not_carried is None
    assert (await shop.ask("PIA-NO-99")).hits[0].product_id == "PIA-NO-99"
    assert (await shop.ask("SKU BAG-RED-01")).not_found == ("bag-red-01",)
    assert await shop.ids("handbags under $60") == ["BAG-BLU-03"]
    shop.records.apply((), ["PIA-NO-99"], 3)
    assert (await shop.ask("do you sell pianos")).not_carried is not None


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("does it come in blue?", "SHI-COT-07"),
        ("how much is it", "SHI-COT-07"),
        ("and in large?", "SHI-COT-07"),
        ("what's the warranty", "SHI-COT-07"),
        ("can I wear it with boots", "SHI-COT-07"),
        ("can I put it in the washing machine", "SHI-COT-07"),
        ("is the shirt warm", "SHI-COT-07"),
        ("那蓝色的呢？", "SHI-COT-07"),
        ("多少钱", "SHI-COT-07"),
        ("能机洗吗", "SHI-COT-07"),
        ("可以用洗衣机洗吗", "SHI-COT-07"),
        ("这件有L码吗", "SHI-COT-07"),
        ("anything cheaper than that handbag?", "BAG-RED-01"),
        ("what about handbags", "BAG-RED-01"),
        ("the linen shirt then", "SHI-LIN-08"),
        ("do you have phones?", "PHO-ONE-04"),
        ("你们有台灯吗", "1234567"),
    ],
)
async def test_the_conversation_goes_on_until_another_kind_is_named(
    shop: Asking, text: str, first: str
) -> None:
    kinds = {"BAG": BAGS, "PHO": PHONES, "123": {"1234567", "1234569"}}
    ids = await shop.ids(text, "SHI-COT-07")
    assert ids[0] in kinds.get(first[:3], {first})


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("anything cheaper?", {"BAG-RED-01"}),
        ("有没有更便宜的", {"BAG-RED-01"}),
        ("something more expensive", {"BAG-BLK-02"}),
        ("贵一点的呢", {"BAG-BLK-02"}),
        ("do you have any others?", {"BAG-RED-01", "BAG-BLK-02"}),
        ("还有别的吗", {"BAG-RED-01", "BAG-BLK-02"}),
        ("anything under $40?", {"BAG-RED-01"}),
        ("what about leather?", {"BAG-BLK-02"}),
        ("帆布的呢", {"BAG-RED-01"}),
    ],
)
async def test_others_of_the_kind(shop: Asking, text: str, ids: set[str]) -> None:
    assert set(await shop.ids(text, "BAG-BLU-03")) == ids


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("the second one please", "PHO-TWO-05"),
        ("第二个有货吗", "PHO-TWO-05"),
        ("is the first one waterproof", "PHO-ONE-04"),
        ("最后一个呢", "PHO-TRE-06"),
        ("which of these is the cheapest", "PHO-TRE-06"),
        ("the cheaper one", "PHO-TRE-06"),
        ("哪个最贵", "PHO-TWO-05"),
        ("and the samsung?", "PHO-ONE-04"),
    ],
)
async def test_one_of_several_shown(shop: Asking, text: str, first: str) -> None:
    ids = await shop.ids(text, "PHO-ONE-04", "PHO-TWO-05", "PHO-TRE-06")
    assert ids[0] == first


@pytest.mark.parametrize(
    "text", ["is it warm?", "price?", "black in L", "what other colors are there", "还有其他颜色吗",
             "does it fit in a suitcase", "有M码吗", "能便宜点吗", "any colour except black?"],
)  # fmt: skip
async def test_the_page_leads(shop: Asking, text: str) -> None:
    found = await shop.ask(text, page="SHI-COT-07")
    assert (found.hits[0].product_id, found.hits[0].why) == ("SHI-COT-07", "page")
    assert shop.model.calls == []


async def test_the_page_is_left_when_something_else_is_named(shop: Asking) -> None:
    assert (await shop.ids("do you have umbrellas", page="SHI-COT-07")) == ["HOM-UMB-10"]
    assert (await shop.ask("do you sell pianos", page="SHI-COT-07")).not_carried is not None
    assert (await shop.ids("编号1234567", page="SHI-COT-07")) == ["1234567"]


async def test_an_intent_is_no_product(shop: Asking) -> None:
    found = await shop.ask("hello")
    assert (found.intent, found.hits) == ("greeting", ())


async def test_what_was_understood_is_told(shop: Asking) -> None:
    found = await shop.ask("red handbags under $60, not leather, which are in stock")
    told = found.explain.as_json()
    assert told["understood"]["kind"] == "handbag"
    assert told["understood"]["bounds"]["high"] == "60"
    assert told["understood"]["without"] == ("leather",)
    assert told["understood"]["available"] is True
    assert told["among"] == 1


async def test_candidates_tell_each_leg_s_score(shop: Asking) -> None:
    timings = StageTimings()
    found = await shop.ask("is the linen shirt soft", timings=timings)
    assert found.explain.candidates[0].dense is not None
    assert {"encode", "search"} <= set(timings.stages())


@pytest.mark.parametrize(
    "text", ["cheapest lamp", "not red", "SKU 1234567", "does it fit?", "有货的灯"]
)
async def test_an_empty_shop_finds_nothing(lexicons: dict[Locale, Words], text: str) -> None:
    records, encoder = Records(), Encoder(LetterModel())
    finder = Finder.load(TEMPLATES, records, Retriever(encoder, records), lexicons)
    await finder.rebuild()
    turns = (Turn("?", "!", ("gone",)),)
    found = await finder.find(Question(text, "en", "a", product_id="gone"), turns, StageTimings())
    assert found.hits == ()
    await encoder.close()


async def test_reading_is_quick_enough_to_stand_before_the_first_token(shop: Asking) -> None:
    """Far below what a loaded machine could make of 2 ms a question."""
    began = time.perf_counter()
    for _ in range(100):
        await shop.ask("cheapest handbag under $60, not red, which are in stock")
    assert time.perf_counter() - began < 2.0


@pytest.mark.parametrize(
    ("before", "text", "sku"),
    [
        ("do you have it in navy", "size L?", "SHI-COT-07-4"),
        ("有黑色吗", "L码还有吗", "SHI-COT-07-2"),
        ("is it warm", "navy in M", "SHI-COT-07-3"),
        ("is it warm", "any colour except black?", "SHI-COT-07-3"),
        ("is it warm", "in L?", None),
    ],
)
async def test_the_variant_meant(shop: Asking, before: str, text: str, sku: str | None) -> None:
    locale: Locale = "zh" if any(character > "\u3000" for character in text) else "en"
    turns = (Turn(before, "!", ("SHI-COT-07",)),)
    found = await shop.finder.find(Question(text, locale, "a"), turns, StageTimings())
    assert (found.hits[0].product_id, found.sku) == ("SHI-COT-07", sku)


@pytest.mark.parametrize("text", ["另一个呢？", "what about the other one?"])
async def test_the_other_of_two_is_the_one_not_talked_about(shop: Asking, text: str) -> None:
    turns = (
        Turn("phones?", "!", ("PHO-ONE-04", "PHO-TWO-05")),
        Turn("the second one?", "!", ("PHO-TWO-05",)),
    )
    found = await shop.finder.find(Question(text, "en", "a"), turns, StageTimings())
    assert [hit.product_id for hit in found.hits] == ["PHO-ONE-04"]
