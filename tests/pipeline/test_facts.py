"""The facts beside the question are the ones that answer it, in both languages."""

from dataclasses import replace
from decimal import Decimal

import pytest

from catalog.product import Locale, Money, Product, Text, Variant
from pipeline.facts.candidates import Fact
from pipeline.facts.fitting import FactFinder
from pipeline.lexicon.words import Words
from pipeline.prompting.rendering import TEMPLATES, renderers
from tests.pipeline.shop import lamp, shirt


def found(
    finder: FactFinder, text: str, product: Product, locale: Locale = "en", sku: str | None = None
) -> list[Fact]:
    return list(finder.fitting(text, product, locale, sku))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("How long is the guarantee?", "2 years"),
        ("is the Reading Lamp under warranty", "2 years"),
        ("When would it arrive?", "sent within 3 days"),
        ("how many watts?", "9 W"),
        ("Who makes this?", "Lumo"),
        ("what's the power of it", "9 W"),
    ],
)
def test_attribute_is_found_by_its_topic_or_name(finder: FactFinder, text: str, value: str) -> None:
    assert [fact.value for fact in found(finder, text, lamp())] == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("这件用的什么料子？", "棉斜纹布"),
        ("可以机洗吗", "30度水洗"),
        ("能退货吗？", "21天内"),
        ("请问海港工装衬衫是什么面料的", "棉斜纹布"),
    ],
)
def test_attribute_is_found_in_chinese(finder: FactFinder, text: str, value: str) -> None:
    assert [fact.value for fact in found(finder, text, shirt(), "zh")] == [value]


def test_attribute_nobody_thought_of_is_found_by_its_own_name(finder: FactFinder) -> None:
    text = Text("Tide Clock", attributes=(("tide range", "0 to 7 m"), ("dial", "enamel")))
    clock = replace(lamp(), texts={"en": text})
    assert [f.value for f in found(finder, "What tide range can it show?", clock)] == ["0 to 7 m"]
    assert [f.value for f in found(finder, "Is that enamel?", clock)] == ["enamel"]


def test_word_of_the_title_is_no_clue(finder: FactFinder) -> None:
    text = Text("Shipping Crate", attributes=(("shipping", "by sea"), ("warranty", "5 years")))
    crate = replace(lamp(), texts={"en": text}, brand="")
    facts = found(finder, "What warranty does the Shipping Crate have?", crate)
    assert [fact.value for fact in facts] == ["5 years"]


def test_sentence_of_the_description_answers_what_no_attribute_does(finder: FactFinder) -> None:
    facts = found(finder, "Are the cuffs reinforced?", shirt())
    assert [fact.value for fact in facts] == ["The cuffs are reinforced."]


@pytest.mark.parametrize("text", ["Does it have Bluetooth?", "Hello!", "", "?", "讲个笑话"])
def test_question_without_a_fact_has_none(finder: FactFinder, text: str) -> None:
    assert found(finder, text, lamp()) == []


def test_price_is_the_one_on_the_record_given(finder: FactFinder) -> None:
    for price in ("80.00", "61.25"):
        (fact,) = found(finder, "What does it cost?", lamp(price=price))
        assert fact.kind == "price"
        assert fact.live is not None
        assert [offer.price.amount for offer in fact.live.offers] == [Decimal(price)]


def test_stock_of_the_variant_that_the_shopper_looks_at(finder: FactFinder) -> None:
    (fact,) = found(finder, "Is it in stock?", shirt(), sku="SH-wh-M")
    assert fact.kind == "stock"
    assert fact.asked == ("white", "M")
    assert fact.live is not None
    assert [line.status for line in fact.live.stock] == ["out_of_stock"]


def test_price_of_the_variant_that_the_question_names(finder: FactFinder) -> None:
    dear = replace(shirt().variants[5], price=Money(Decimal("52.00"), "USD"))
    product = replace(shirt(), variants=(*shirt().variants[:5], dear))
    facts = found(finder, "How much is the navy one?", product, sku="SH-bl-S")
    prices = [fact.live for fact in facts if fact.kind == "price"]
    assert [offer.price.amount for live in prices if live for offer in live.offers] == [
        Decimal("52.00")
    ]


def choice(finder: FactFinder, text: str, locale: Locale = "en") -> tuple[object, ...]:
    (fact,) = (f for f in found(finder, text, shirt(), locale) if f.kind == "choice")
    assert fact.choice is not None
    c = fact.choice
    return c.asked, c.status, c.available, c.sold_out


@pytest.mark.parametrize(
    "text", ["Does this shirt come in black?", "black?", "Do you have it in Black", "有黑色吗"]
)
def test_color_in_stock_names_the_sizes(finder: FactFinder, text: str) -> None:
    assert choice(finder, text) == (("black",), "in_stock", ("S", "M"), ("L",))


@pytest.mark.parametrize("text", ["这件衣服有黑色的吗？", "黑的还有货吗", "请问能买到黑色吗"])
def test_color_in_stock_in_chinese(finder: FactFinder, text: str) -> None:
    assert choice(finder, text, "zh") == (("黑色",), "in_stock", ("S", "M"), ("L",))


def test_color_that_is_sold_out_names_the_others(finder: FactFinder) -> None:
    expected = (("white",), "out_of_stock", ("black", "navy stripe"), ())
    assert choice(finder, "Is the white one available?") == expected
    assert choice(finder, "白色的还有吗", "zh")[1:3] == ("out_of_stock", ("黑色", "藏青条纹"))


def test_color_that_is_not_made_names_what_is(finder: FactFinder) -> None:
    expected = (("green",), "not_offered", ("black", "navy stripe"), ("white",))
    assert choice(finder, "Do you sell it in green?") == expected
    assert choice(finder, "有绿色的吗", "zh")[:2] == (("绿色",), "not_offered")


def test_shade_counts_as_its_color(finder: FactFinder) -> None:
    assert choice(finder, "Anything in blue?")[:2] == (("navy stripe",), "in_stock")


def test_color_and_size_together(finder: FactFinder) -> None:
    assert choice(finder, "black in size M?") == (("black", "M"), "in_stock", (), ())
    sold_out = (("black", "L"), "out_of_stock", ("S", "M"), ())
    assert choice(finder, "Is black available in large?") == sold_out
    assert choice(finder, "黑色L码有货吗", "zh")[:2] == (("黑色", "L"), "out_of_stock")
    assert choice(finder, "navy in S?")[:3] == (("navy stripe", "S"), "not_offered", ("M",))


def test_which_sizes_and_colors_there_are(finder: FactFinder) -> None:
    assert choice(finder, "Which colours are there?")[1:] == (
        "choices",
        ("black", "navy stripe"),
        ("white",),
    )
    assert choice(finder, "有哪些尺码？", "zh")[1:] == ("choices", ("S", "M"), ("L",))


def test_numbers_that_are_no_size(finder: FactFinder) -> None:
    variants = tuple(
        Variant(f"J-{size}", Money(Decimal(60), "USD"), options=(("waist", size),), stock=1)
        for size in ("28", "30")
    )
    jeans = replace(shirt(), variants=variants)
    assert not [f for f in found(finder, "Can I return it in 30 days?", jeans) if f.choice]
    (sold,) = (f.choice for f in found(finder, "Do you have waist 38?", jeans) if f.choice)
    assert sold.status == "not_offered"
    (had,) = (f.choice for f in found(finder, "do they come in 30?", jeans) if f.choice)
    assert had.status == "in_stock"


def test_color_word_in_the_title_is_no_wish(finder: FactFinder) -> None:
    product = replace(shirt(), texts={"en": replace(shirt().texts["en"], title="Black Sea Shirt")})
    facts = found(finder, "Who makes the Black Sea Shirt?", product)
    assert [fact.kind for fact in facts] == ["detail"]


def test_at_most_three_facts(finder: FactFinder) -> None:
    text = "Colours, sizes, price, fabric, returns, care, brand, category?"
    assert len(found(finder, text, shirt())) == 3


def test_same_question_gives_the_same_facts(finder: FactFinder) -> None:
    asked = "Which size and what price, in black or white?"
    assert found(finder, asked, shirt()) == found(finder, asked, shirt())


@pytest.mark.parametrize(
    ("locale", "text", "said"),
    [
        ("en", "is it in stock?", "White M is in stock (low stock, only 3 left)."),
        ("zh", "有货吗", "白色M有货（库存不多，只剩3件）。"),
    ],
)
def test_the_stock_of_one_variant_says_its_size_once(
    finder: FactFinder, lexicons: dict[Locale, Words], locale: Locale, text: str, said: str
) -> None:
    variants = tuple(
        replace(v, stock=3, availability="in_stock") if v.sku == "SH-wh-M" else v
        for v in shirt().variants
    )
    facts = found(finder, text, replace(shirt(), variants=variants), locale, "SH-wh-M")
    assert renderers(lexicons, finder.options, TEMPLATES, True)[locale].facts(facts) == said


def test_a_price_stands_apart_from_its_variant(
    finder: FactFinder, lexicons: dict[Locale, Words]
) -> None:
    one, two = (
        Variant(name, Money(Decimal(price), "CNY"), options=(("规格", name),), stock=50)
        for name, price in (("枕头*1", "800.00"), ("枕头*2", "1500.00"))
    )
    pillow = Product("P", "zh", {"zh": Text("枕头")}, (one, two))
    line = renderers(lexicons, finder.options, TEMPLATES, True)["zh"].facts(
        found(finder, "多少钱", pillow, "zh")
    )
    assert line == "价格是枕头*1 800.00元；枕头*2 1500.00元。"


def test_a_value_that_is_a_sentence_ends_once(
    finder: FactFinder, lexicons: dict[Locale, Words]
) -> None:
    rendering = renderers(lexicons, finder.options, TEMPLATES, True)
    assert rendering["zh"].facts([Fact("detail", "洗涤", "请用冷水。")]) == "洗涤：请用冷水。"
    assert rendering["en"].facts([Fact("detail", "care", "Cold wash.")]) == "Care: Cold wash."
