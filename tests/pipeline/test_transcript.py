"""Conversations only append: a prompt begins with the very ids of the last one and its answer."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.product import LOCALES, Product
from pipeline.prompt import PromptBuilder, PromptConfig
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.types import Turn
from tests.pipeline.chat_templates import CHATML, MERGING, Instruct
from tests.pipeline.shop import lamp, shirt, titled
from tests.pipeline.talk import Talk, kinds, priced, starts_with, tent

ANSWER = "The price is $80.00."
TURNS = st.lists(
    st.tuples(
        st.text(st.characters(codec=None), min_size=1, max_size=30),
        st.text(st.characters(codec=None), max_size=30),
        st.sampled_from(["LAMP", "SH", "TENT"]),
        st.sampled_from(["ask", "ask", "ask", "reply", "fail"]),
        st.sampled_from(["", "price", "text"]),
        st.sampled_from(LOCALES),
    ),
    min_size=1,
    max_size=6,
)


@pytest.fixture(scope="module")
def builder(tokenizer: Tokenizer) -> PromptBuilder:
    return PromptBuilder(tokenizer, PromptConfig(max_prompt_tokens=4096))


@pytest.fixture(scope="module", params=[None, CHATML, MERGING])
def any_builder(request: pytest.FixtureRequest, tokenizer: Tokenizer, instruct: Instruct) -> Any:
    """For a base model, and for two chat templates."""
    used = tokenizer if request.param is None else instruct(request.param)
    return PromptBuilder(used, PromptConfig(max_prompt_tokens=4096))


def changed(product: Product, change: str) -> Product:
    if change == "price":
        return priced(product, "61.25")
    return titled(product, "Another Name") if change == "text" else product


@settings(max_examples=60, deadline=None)
@given(TURNS)
def test_every_prompt_begins_with_the_last_one_and_its_answer(
    any_builder: PromptBuilder, turns: Any
) -> None:
    shop = {product.id: product for product in (lamp(), shirt(), tent())}
    talk = Talk(any_builder)
    before: tuple[int, ...] = ()
    for asked, answer, which, how, change, locale in turns:
        if how == "reply":
            talk.reply(asked, answer)
            continue
        shop[which] = changed(shop[which], change)
        prefix = any_builder.prefix(shop[which], locale, talk.turns)
        ids = talk.ask(asked, shop[which], answer=answer, locale=locale).token_ids
        assert starts_with(ids, prefix)
        assert starts_with(ids, before)
        if how == "fail":
            talk.turns[-1] = Turn(asked, "")
        elif talk.turns[-1].told is not None:
            before = (*ids, *talk.turns[-1].told.said)


def test_a_follow_up_adds_its_question_alone(builder: PromptBuilder, tokenizer: Tokenizer) -> None:
    talk = Talk(builder)
    talk.ask("How much is it?", lamp(), answer=ANSWER)
    prompt = talk.ask("What is its power?", lamp())
    assert kinds(prompt) == [("head", ""), ("history", ""), ("question", "")]
    asked = "Customer: What is its power?\nRecord: Power: 9 W.\nThe assistant reads the record:"
    assert tokenizer.decode(prompt.parts[-1].ids) == asked
    assert tokenizer.decode(prompt.token_ids).count("How much is it?") == 1


def test_a_product_that_joins_is_told_after_the_transcript(builder: PromptBuilder) -> None:
    talk = Talk(builder)
    talk.ask("How much is it?", lamp())
    joined = talk.ask("And the shirt?", shirt())
    back = talk.ask("And the lamp?", lamp())
    assert kinds(joined)[1:] == [
        ("history", ""),
        ("product", "SH"),
        ("live", "SH"),
        ("question", ""),
    ]
    assert kinds(back)[1:] == [("history", ""), ("question", "")]


def test_live_facts_of_one_of_several_products_name_it(
    builder: PromptBuilder, tokenizer: Tokenizer
) -> None:
    talk = Talk(builder)
    talk.ask("How much is it?", lamp())
    talk.ask("And the shirt?", shirt())
    prompt = talk.ask("And the lamp?", priced(lamp(), "61.25"))
    assert "Reading Lamp, now: $61.25; in stock\n" in tokenizer.decode(prompt.token_ids)


def test_a_price_that_changed_is_told_again_and_the_old_one_stays(
    builder: PromptBuilder, tokenizer: Tokenizer
) -> None:
    talk = Talk(builder)
    talk.ask("How much is it?", lamp(), answer=ANSWER)
    prompt = talk.ask("How much is it now?", priced(lamp(), "61.25"))
    assert kinds(prompt)[1:] == [("history", ""), ("live", "LAMP"), ("question", "")]
    text = tokenizer.decode(prompt.token_ids)
    assert text.count("Price now: $80.00") == 1
    assert text.index("$80.00") < text.index("Price now: $61.25")
    assert text.rindex("$80.00") < text.rindex("Record: The price is $61.25.")
    again = talk.ask("How much is it now?", priced(lamp(), "61.25"))
    assert kinds(again)[1:] == [("history", ""), ("question", "")]


def test_stock_that_reads_the_same_is_not_told_again(builder: PromptBuilder) -> None:
    talk = Talk(builder)
    talk.ask("How much is it?", lamp())
    sold = replace(lamp(), variants=(replace(lamp().variants[0], stock=11),))
    few = replace(lamp(), variants=(replace(lamp().variants[0], stock=3),))
    assert ("live", "LAMP") not in kinds(talk.ask("Is it in stock?", sold))
    assert ("live", "LAMP") in kinds(talk.ask("Is it in stock?", few))


def test_a_text_that_changed_is_told_again(builder: PromptBuilder) -> None:
    talk = Talk(builder)
    talk.ask("How much is it?", lamp())
    prompt = talk.ask("What is it called?", titled(lamp(), "Desk Lamp"))
    assert kinds(prompt)[1:] == [("history", ""), ("product", "LAMP"), ("question", "")]


def test_a_product_that_is_gone_stays_in_the_transcript(builder: PromptBuilder) -> None:
    talk = Talk(builder)
    talk.ask("How much is it?", lamp())
    prompt = talk.ask("And now?")
    assert kinds(prompt)[1:] == [("history", ""), ("question", "")]
    assert starts_with(prompt.token_ids, talk.prompts[0].token_ids)


def test_an_answer_of_the_shop_itself_stands_as_the_shopper_saw_it(
    builder: PromptBuilder, tokenizer: Tokenizer
) -> None:
    talk = Talk(builder)
    talk.reply("Hello", "Hello! Ask me about a product.")
    first = talk.ask("How much is it?", lamp(), answer=ANSWER)
    talk.reply("A human please", "Please contact us.")
    prompt = talk.ask("And the stock?", lamp())
    text = tokenizer.decode(prompt.token_ids)
    said = [" Hello! Ask me about a product.\n", f"record: {ANSWER}\n", " Please contact us.\n"]
    assert [text.count(answer) for answer in said] == [1, 1, 1]
    assert [text.index(answer) for answer in said] == sorted(map(text.index, said))
    assert starts_with(prompt.token_ids, first.token_ids)


def test_a_question_without_an_answer_is_not_in_the_next_prompt(
    builder: PromptBuilder, tokenizer: Tokenizer
) -> None:
    talk = Talk(builder)
    talk.ask("How much is it?", lamp(), answer=ANSWER)
    talk.ask("Is it bright?", lamp(), answer="", finish="error")
    prompt = talk.ask("What is its power?", lamp())
    assert "bright" not in tokenizer.decode(prompt.token_ids)
    assert starts_with(prompt.token_ids, talk.prompts[0].token_ids)


def test_half_an_answer_is_all_that_was_said(builder: PromptBuilder, tokenizer: Tokenizer) -> None:
    talk = Talk(builder)
    whole = tokenizer.encode(" The price is $80.00.")
    talk.ask("How much is it?", lamp(), answer="The price", said=whole, finish="abort")
    prompt = talk.ask("What is its power?", lamp())
    assert "reads the record: The price\n\nCustomer: What" in tokenizer.decode(prompt.token_ids)
    assert starts_with(prompt.token_ids, talk.prompts[0].token_ids)


def test_the_ids_that_the_engine_generated_are_used(
    builder: PromptBuilder, tokenizer: Tokenizer
) -> None:
    letters = tuple(token for letter in " It is." for token in tokenizer.encode(letter))
    assert letters != tokenizer.encode(" It is.")
    talk = Talk(builder)
    first = talk.ask("Is it in stock?", lamp(), answer="It is.", said=letters)
    prompt = talk.ask("What is its power?", lamp())
    assert starts_with(prompt.token_ids, (*first.token_ids, *letters))


@pytest.mark.parametrize("said", ["It is", "It is.<end_of_turn>", "No."])
def test_ids_that_are_not_the_answer_are_not_used(
    builder: PromptBuilder, tokenizer: Tokenizer, said: str
) -> None:
    talk = Talk(builder)
    ids = tokenizer.encode_control(said)
    first = talk.ask("Is it in stock?", lamp(), answer="It is.", said=ids)
    prompt = talk.ask("What is its power?", lamp())
    assert starts_with(prompt.token_ids, (*first.token_ids, *tokenizer.encode(" It is.")))


def test_a_turn_in_another_language_keeps_the_head_and_what_was_told(
    builder: PromptBuilder, tokenizer: Tokenizer
) -> None:
    talk = Talk(builder)
    talk.ask("How much is it?", shirt(), answer="The price is $45.50.")
    prompt = talk.ask("有黑色的吗？", shirt(), answer="有。", locale="zh")
    assert kinds(prompt) == [("head", ""), ("history", ""), ("question", "")]
    assert prompt.parts[0].ids == builder.heads()["en"]
    assert tokenizer.decode(prompt.parts[-1].ids).startswith("顾客：有黑色的吗？\n资料：黑色有货")
    assert ("live", "SH") not in kinds(talk.ask("Is it in stock?", shirt()))
