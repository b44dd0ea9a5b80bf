"""The guard as a stream: what is held, what passes at once, and that pieces make no difference."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.guarding.guard import Guard, Guards
from tests.pipeline.guarded import let_through
from tests.pipeline.shop import lamp, question, shirt, sources

FRAGMENTS = (
    *(
        "The price is ",
        "$",
        "80",
        "80.00",
        ".",
        ". ",
        ", ",
        " dollars",
        "9.99",
        " USD",
        "¥",
        "149元",
        "。",
    ),
    *(
        "It is ",
        "in stock",
        "out of",
        " stock",
        "not ",
        "available",
        " in S",
        " M",
        "Black ",
        "L ",
        "Yes",
        "No",
    ),
    *(
        "黑色",
        "有货",
        "缺货",
        "有",
        "没有",
        "，",
        "；",
        "尺码S、M",
        "八",
        "折",
        "元",
        "九块九",
        "！",
        "\n",
    ),
    *(
        "a lamp ",
        "30 litres",
        " 2 year",
        "e.g. ",
        "%",
        " off",
        "half price",
        "thirty-one",
        "thirty",
        "-one",
    ),
    *(
        "I ",
        "do not know",
        "🌍",
        "é",
        "“quoted”",
        "(x)",
        "ß",
        "İ",
        "㎏",
        "\u00a0",
        "only 3 left",
        "３",
    ),
)
TEXTS = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join), st.text(max_size=60)
)
QUESTIONS = ("How much is it?", "Does it come in black?", "有黑色吗？", "多少钱？", "What is it?")
CALM = (
    "It has 30 litres and a 2 year warranty. The lid is blue, e.g. like the sea! Good? I think so.",
    "这款台灯的光线很柔和，长30厘米，两件套。一共三层！有内胆，没有拉链；里面是100%棉。好看吗？当然",
    "A is the first letter; “in” is a word, so is “out”. Av… 9.5 mm, no. 5, approx. 6 cm\nnew 🌍",
)


def watch(asked: str) -> Guard:
    locale = "en" if asked.isascii() else "zh"
    return Guards().watch(question(asked, shirt(), locale), sources(shirt()))


def through(guard: Guard, pieces: list[str]) -> str:
    return "".join(map(guard.feed, pieces)) + guard.end()


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.sampled_from(QUESTIONS), st.lists(st.integers(0, 80), max_size=12))
def test_how_a_text_is_cut_makes_no_difference(text: str, asked: str, cuts: list[int]) -> None:
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    pieces = [text[a:b] for a, b in pairwise(places)]
    whole = through(watch(asked), [text])
    assert through(watch(asked), pieces) == whole
    assert through(watch(asked), list(text)) == whole


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Nd", "Nl", "No", "Sc", "Lo"]), max_size=40))
def test_nothing_is_lost_where_nothing_is_at_stake(text: str) -> None:
    assert through(watch("What is it?"), list(text)) == text


@pytest.mark.parametrize("text", CALM)
def test_words_with_nothing_at_stake_come_out_as_they_are(text: str) -> None:
    guard = watch("What is it?")
    given, held = "", 0
    for character in text:
        given += guard.feed(character)
    held = len(text) - len(given)
    assert given + guard.end() == text
    assert held <= 2


@pytest.mark.parametrize("text", CALM)
def test_a_word_waits_for_the_next_one_at_most(text: str) -> None:
    guard, seen, given = watch("What is it?"), "", ""
    for word in text.split(" "):
        before = len(seen)
        seen += word + " "
        given += guard.feed(word + " ")
        assert len(given) >= before - len(" approx. ")


@pytest.mark.parametrize(
    "word",
    ["It", "The", "You", "Our", "Black", "Reading", "这", "它", "黑色", "该商品", "颜色", "材质"],
)
def test_the_first_word_is_sent_at_once(word: str) -> None:
    for asked in QUESTIONS:
        assert watch(asked).feed(word) == word


def test_a_right_yes_is_sent_as_soon_as_it_is_whole() -> None:
    guard = watch("Does it come in black?")
    assert guard.feed("Yes") == "Yes"
    assert guard.feed(", gladly") == ", gladly"
    assert watch("Does it come in black?").feed("No") == ""


@pytest.mark.parametrize(
    ("held", "released"),
    [
        ("30", " litres"),
        ("2", " year"),
        ("in", " time"),
        ("sold", " by"),
        ("avail", "ing"),
        ("out of", " wool"),
        ("100", "% wool"),
        ("thirty", " people"),
    ],
)
def test_a_beginning_that_comes_to_nothing_is_let_go(held: str, released: str) -> None:
    guard = watch("What is it?")
    assert guard.feed("It is ") == "It is "
    assert guard.feed(held) == ""
    assert guard.feed(released).startswith(held)
    assert guard.feed("") == ""


def test_a_claim_is_held_to_the_end_of_its_sentence() -> None:
    guard = watch("How much is it?")
    assert guard.feed("It costs ") == "It costs "
    assert [guard.feed(piece) for piece in ("$45.50", " today", ".")] == ["", "", ""]
    assert guard.feed(" It") == "$45.50 today. It"


def test_an_answer_that_ends_within_a_claim_is_checked() -> None:
    guard = watch("How much is it?")
    assert guard.feed("It costs $45.50") == "It costs"
    assert guard.end() == " $45.50"
    guard = watch("How much is it?")
    assert guard.feed("It costs $4") == "It costs"
    assert guard.end() == " — The price is $45.50."
    assert watch("How much is it?").end() == ""


@pytest.mark.parametrize(
    "text", ["It is $45.50. It is blue.", "It is approx. $45.50 today.", "Is it $45.50? Yes."]
)
def test_decimals_and_abbreviations_end_no_sentence(text: str) -> None:
    assert let_through(list(text), "What is it?", shirt()) == text


def test_a_wrong_sentence_among_right_ones_is_the_only_one_to_go() -> None:
    said = "It is bright. It costs $79.00. It has 2 years of warranty."
    expected = "It is bright. It costs — The price is $80.00. It has 2 years of warranty."
    assert let_through(list(said), "What is it?", lamp()) == expected
