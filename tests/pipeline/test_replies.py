"""What is answered without the model, and that it is only then."""

import pytest

from catalog.product import Locale
from pipeline.facts.fitting import FactFinder
from pipeline.found import Found, NotCarried
from pipeline.lexicon.words import Words
from pipeline.prompting.rendering import TEMPLATES, renderers
from pipeline.replying.listing import Lister
from pipeline.replying.policies import Policies
from pipeline.replying.replies import Replies
from pipeline.retriever import Hit
from pipeline.types import Question, Source, Why
from tests.pipeline.shop import lamp, shirt

POLICIES = Policies.load(TEMPLATES)


@pytest.fixture
def lister(finder: FactFinder, lexicons: dict[Locale, Words]) -> Lister:
    return Lister(finder, renderers(lexicons, finder.options, TEMPLATES, True), TEMPLATES)


@pytest.fixture
def replies(finder: FactFinder, lister: Lister) -> Replies:
    return Replies(POLICIES, finder, lister, facts_only=True)


def asked(text: str, locale: str = "en") -> Question:
    return Question(text, locale, "a1")  # type: ignore[arg-type]


def about(why: Why = "page") -> list[Source]:
    return [Source(lamp(), why)]


HIT = Found((Hit("lamp", "page"),))


def said(replies: Replies, question: Question, found: Found, sources: list[Source]) -> str | None:
    reply = replies.reply(question, found, sources)
    return None if reply is None else reply.text


def test_an_intent_is_answered_by_the_shops_text(replies: Replies) -> None:
    text = said(replies, asked("talk to a human"), Found(intent="human"), [])
    assert text == POLICIES.text("human", "en")


def test_a_record_that_tells_of_its_warranty_comes_before_the_policy(replies: Replies) -> None:
    found = Found(HIT.hits, intent="warranty")
    assert said(replies, asked("how long is the guarantee?"), found, about()) is None
    shirts = [Source(shirt(), "page")]
    text = said(replies, asked("质保多久"), Found(HIT.hits, intent="warranty"), shirts)
    assert text == POLICIES.text("warranty", "en")


def test_what_is_not_sold_is_said_with_the_nearest_kinds(replies: Replies) -> None:
    found = Found(not_carried=NotCarried("drill", ("lamp", "screwdriver")))
    reply = replies.reply(asked("do you sell drills?"), found, [])
    assert reply is not None
    assert reply.finish == "not_carried"
    assert "drill" in reply.text
    assert "lamp, screwdriver" in reply.text
    alone = replies.reply(asked("有电钻吗", "zh"), Found(not_carried=NotCarried("电钻")), [])
    assert alone is not None
    assert alone.text == "本店不卖电钻。"


def test_what_a_shopper_said_comes_back_as_one_short_line(replies: Replies) -> None:
    found = Found(not_carried=NotCarried("{nearest} a\nb\u202e" + "x" * 500))
    text = said(replies, asked("?"), found, [])
    assert text is not None
    assert "{nearest} a b" in text
    assert "\n" not in text
    assert "\u202e" not in text
    assert len(text) < 120


def test_a_number_that_no_product_has_is_named(replies: Replies) -> None:
    text = said(replies, asked("sku 1234568?"), Found(not_found=("1234568",)), [])
    assert text is not None
    assert "1234568" in text


@pytest.mark.parametrize(
    "text", ["how many watts?", "tell me about it", "how much is it?", "is it in stock"]
)
def test_a_question_that_the_record_answers_goes_to_the_model(replies: Replies, text: str) -> None:
    assert said(replies, asked(text), HIT, about()) is None


@pytest.mark.parametrize("text", ["does it float on seawater?", "was the inventor vegetarian?"])
def test_a_question_that_the_record_does_not_answer_is_not_given_to_a_small_model(
    finder: FactFinder, replies: Replies, lister: Lister, text: str
) -> None:
    assert said(replies, asked(text), HIT, about()) == POLICIES.text("unknown", "en")
    large = Replies(POLICIES, finder, lister, facts_only=False)
    assert said(large, asked(text), HIT, about()) is None


def test_products_that_were_searched_for_are_an_answer_themselves(
    finder: FactFinder, replies: Replies, lister: Lister
) -> None:
    found = Found((Hit("lamp", "search"),))
    text = said(replies, asked("something for the desk"), found, about("search"))
    assert text == "What comes nearest: Reading Lamp: $80.00, in stock."
    large = Replies(POLICIES, finder, lister, facts_only=False)
    assert said(large, asked("something for the desk"), found, about("search")) is None


def test_nothing_that_fits_is_said(replies: Replies) -> None:
    assert said(replies, asked("lamps under $1"), Found(), []) == POLICIES.text(
        "nothing_fits", "en"
    )


def test_a_product_named_by_its_title_is_spoken_of_by_its_record_alone(replies: Replies) -> None:
    title = lamp().text("en").title
    asked_of_it = asked(f"does the {title.lower()} float?")
    assert said(replies, asked_of_it, HIT, about("search")) == POLICIES.text("unknown", "en")
    assert said(replies, asked(f"tell me about the {title}"), HIT, about("search")) is None
