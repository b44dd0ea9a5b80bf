"""A stored transcript that cannot be used is made anew from the texts, and never half used."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.product import Product
from pipeline.prompt import PromptBuilder, PromptConfig
from pipeline.prompting.rendering import TEMPLATES
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.types import Told, Turn
from tests.pipeline.chat_templates import CHATML, Instruct
from tests.pipeline.shop import lamp, question, shirt, sources
from tests.pipeline.talk import Talk, kinds, starts_with, tent

Damage = Callable[[Told], Told]
DAMAGES: dict[str, Damage] = {
    "an id of no token": lambda told: replace(told, ids=(*told.ids[:-1], 10**9)),
    "a negative id": lambda told: replace(told, ids=(-1, *told.ids[1:])),
    "an id too large for a machine word": lambda told: replace(told, ids=(2**70, *told.ids)),
    "another id": lambda told: replace(told, ids=(told.ids[0] + 1, *told.ids[1:])),
    "an id missing": lambda told: replace(told, ids=told.ids[:-1]),
    "another answer": lambda told: replace(told, said=(*told.said, 7)),
    "another digest": lambda told: replace(told, digest="0" * 16),
    "nothing": lambda told: Told((), (), (), ""),
}


@pytest.fixture(scope="module")
def builder(tokenizer: Tokenizer) -> PromptBuilder:
    return PromptBuilder(tokenizer)


@pytest.fixture
def talk(builder: PromptBuilder) -> Talk:
    """Two turns about the lamp."""
    talk = Talk(builder)
    talk.ask("How much is it?", lamp(), answer="The price is $80.00.")
    talk.ask("What is its power?", lamp(), answer="It is 9 W.")
    return talk


def is_anew(talk: Talk, builder: PromptBuilder) -> bool:
    """Whether the next prompt is the one that is made of the texts alone."""
    plain = [replace(turn, told=None) for turn in talk.turns]
    asked = question("Is it in stock?", lamp())
    from_texts = builder.build(asked, sources(lamp()), plain)
    return builder.build(asked, sources(lamp()), talk.turns).token_ids == from_texts.token_ids


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("at", [0, 1])
def test_a_damaged_record_is_not_used(
    builder: PromptBuilder, talk: Talk, damage: Damage, at: int
) -> None:
    told = talk.turns[at].told
    assert told is not None
    assert not is_anew(talk, builder)
    talk.turns[at] = replace(talk.turns[at], told=damage(told))
    assert is_anew(talk, builder)


def test_an_answer_that_was_changed_in_the_store_is_the_one_that_counts(
    builder: PromptBuilder, talk: Talk, tokenizer: Tokenizer
) -> None:
    talk.turns[1] = replace(talk.turns[1], answer="It is 60 W.")
    assert is_anew(talk, builder)
    text = tokenizer.decode(talk.ask("And?", lamp()).token_ids)
    assert "It is 60 W." in text
    assert "It is 9 W." not in text


def test_turns_that_were_dropped_or_moved_are_noticed(builder: PromptBuilder, talk: Talk) -> None:
    talk.ask("Is it bright?", lamp())
    first, second, third = talk.turns
    for turns in ([second, third], [first, third], [second, first, third]):
        talk.turns = turns
        assert is_anew(talk, builder)


def test_two_questions_at_once_leave_a_conversation_that_goes_on(
    builder: PromptBuilder, talk: Talk, tokenizer: Tokenizer
) -> None:
    before = list(talk.turns)
    talk.ask("Is it bright?", lamp(), answer="First.")
    first = talk.turns[-1]
    talk.turns = before
    talk.ask("Is it blue?", lamp(), answer="Second.")
    talk.turns.insert(2, first)
    text = tokenizer.decode(talk.ask("And?", lamp()).token_ids)
    assert text.index("First.") < text.index("Second.")
    assert text.count("Is it bright?") == 1
    talk.ask("More?", lamp())
    assert starts_with(talk.prompts[-1].token_ids, talk.prompts[-2].token_ids)


def test_a_head_that_changed_is_the_one_that_counts(
    builder: PromptBuilder, talk: Talk, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    for path in TEMPLATES.rglob("*.*"):
        copy = tmp_path / path.relative_to(TEMPLATES)
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(path.read_bytes())
    policy = tmp_path / "en" / "policy.j2"
    policy.write_text(policy.read_text(encoding="utf-8").replace("shop", "store"))
    other = PromptBuilder(tokenizer, PromptConfig(templates=tmp_path))
    assert other.heads()["en"] != builder.heads()["en"]
    assert is_anew(talk, other)
    talk.builder = other
    prompt = talk.ask("And?", lamp())
    assert prompt.parts[0].ids == other.heads()["en"]
    assert starts_with(talk.ask("More?", lamp()).token_ids, prompt.token_ids)


def test_a_transcript_of_another_tokenizer_or_chat_template_is_not_used(
    talk: Talk, instruct: Instruct
) -> None:
    assert is_anew(talk, PromptBuilder(instruct(CHATML)))


def test_turns_of_an_older_version_stand_as_texts(
    builder: PromptBuilder, tokenizer: Tokenizer
) -> None:
    talk = Talk(builder)
    talk.reply("How much is it?", "The price is $80.00.")
    prompt = talk.ask("And?", lamp())
    assert ("history", "") in kinds(prompt)
    assert "reads the record: The price is $80.00.\n\n" in tokenizer.decode(prompt.token_ids)
    assert starts_with(talk.ask("More?", lamp()).token_ids, prompt.token_ids)


def test_a_conversation_of_which_the_store_keeps_the_last_turns_alone_begins_anew_once(
    tokenizer: Tokenizer,
) -> None:
    talk = Talk(PromptBuilder(tokenizer, PromptConfig(max_prompt_tokens=8192)))
    began = 0
    for n in range(15):
        talk.turns = talk.turns[-5:]
        talk.ask(f"Question {n}?", lamp() if n % 2 else shirt())
        began += n > 0 and not starts_with(talk.prompts[-1].token_ids, talk.prompts[-2].token_ids)
    assert began == 2


def test_a_long_conversation_is_cut_seldom_and_appends_in_between(tokenizer: Tokenizer) -> None:
    cuts = {}
    for low_water in (1.0, 0.6):
        talk = Talk(PromptBuilder(tokenizer, PromptConfig(1024, low_water=low_water)))
        cuts[low_water] = sum(_is_cut(talk, number) for number in range(20))
        assert all(len(prompt.token_ids) <= 1024 for prompt in talk.prompts)
        assert "number 18?" in tokenizer.decode(talk.prompts[-1].token_ids)
    assert cuts[0.6] <= 6
    assert cuts[1.0] >= 2 * cuts[0.6]


def _is_cut(talk: Talk, number: int) -> bool:
    words = "Now that I think of it, and before I buy: what do you say of "
    talk.ask(f"{words * 2}number {number}?", lamp(), answer="The record says this. " * 8)
    last = [prompt.token_ids for prompt in talk.prompts[-2:]]
    return len(last) == 2 and not starts_with(last[1], last[0])


@settings(max_examples=20, deadline=None)
@given(
    st.integers(800, 1400),
    st.lists(
        st.tuples(
            st.sampled_from(["How much is it?", "Is it in stock?", "What is its power?"]),
            st.integers(1, 120),
            st.sampled_from([lamp(), shirt(), tent(80)]),
        ),
        min_size=4,
        max_size=12,
    ),
)
def test_what_is_computed_ahead_is_what_is_asked_though_conversations_are_cut(
    tokenizer: Tokenizer, size: int, turns: list[tuple[str, int, Product]]
) -> None:
    talk = Talk(PromptBuilder(tokenizer, PromptConfig(max_prompt_tokens=size)))
    for asked, words, product in turns:
        prefix = talk.builder.prefix(product, "en", talk.turns)
        ids = talk.ask(asked, product, answer="word " * words).token_ids
        assert starts_with(ids, prefix)
        assert len(ids) <= size


def test_a_turn_that_is_longer_than_the_low_water_mark_is_kept_if_it_fits(
    tokenizer: Tokenizer,
) -> None:
    talk = Talk(PromptBuilder(tokenizer))
    talk.turns = [Turn(f"{n} " * 60, "word " * 300) for n in range(3)]
    prompt = talk.ask("And?", lamp())
    assert "2 2 2 2" in tokenizer.decode(prompt.token_ids)
    assert "1 1 1 1" not in tokenizer.decode(prompt.token_ids)
    assert prompt.trimmed > 0
