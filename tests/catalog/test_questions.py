"""Saved questions: each once, whoever saves it, and never more than may be."""

import asyncio

import pytest
from redis.asyncio import Redis

from catalog.demo import demo_products
from catalog.demo_questions import DEMO_QUESTIONS
from catalog.questions import (
    MAX_CHARACTERS,
    QuestionError,
    SavedQuestion,
    SavedQuestions,
    TooManyQuestionsError,
    cleaned,
)


async def test_questions_come_back_in_the_order_in_which_they_were_saved(redis: Redis) -> None:
    questions = SavedQuestions(redis)
    second, _ = await questions.save("多少钱？", actor="bob", sku="1006002", locale="zh", now=2)
    first, new = await questions.save("Is it  blue?\x07\n", actor="ann", now=1)
    assert new
    assert first == SavedQuestion(first.id, "Is it blue?", None, None, "ann", 1)
    assert await questions.all() == [first, second]
    assert await SavedQuestions(redis).all() == [first, second]


async def test_saving_a_question_twice_is_saving_it_once(redis: Redis) -> None:
    questions = SavedQuestions(redis)
    first, _ = await questions.save("Is it blue?", actor="ann", now=1)
    again, new = await questions.save("ＩＳ it   blue?", actor="bob", now=2)
    assert (again, new) == (first, False)
    for other in ({"sku": "A"}, {"sku": "B"}, {"locale": "en"}):
        assert (await questions.save("Is it blue?", actor="ann", **other))[1]  # type: ignore[arg-type]
    assert len(await questions.all()) == 4


async def test_a_question_can_be_deleted(redis: Redis) -> None:
    questions = SavedQuestions(redis)
    saved, _ = await questions.save("Is it blue?", actor="ann")
    assert await questions.delete(saved.id)
    assert not await questions.delete(saved.id)
    assert await questions.all() == []


async def test_there_is_a_bound_and_those_that_are_saved_may_be_saved_again(redis: Redis) -> None:
    questions = SavedQuestions(redis, limit=2)
    await questions.save("A?", actor="ann")
    await questions.save("B?", actor="ann")
    with pytest.raises(TooManyQuestionsError, match="2 questions are saved"):
        await questions.save("C?", actor="ann")
    assert not (await questions.save("b?", actor="bob"))[1]
    outcomes = await asyncio.gather(
        *(questions.save(f"{n}?", actor="ann") for n in range(5)), return_exceptions=True
    )
    assert all(isinstance(outcome, TooManyQuestionsError) for outcome in outcomes)
    assert [q.text for q in await questions.all()] == ["A?", "B?"]


@pytest.mark.parametrize("blank", ["", " \n\t", "\x00\x1f", "\u200b\u200b"])
def test_a_blank_question_is_refused(blank: str) -> None:
    with pytest.raises(QuestionError, match="blank"):
        cleaned(blank)


def test_a_question_that_is_too_long_is_refused_and_never_cut() -> None:
    assert len(cleaned("帽" * MAX_CHARACTERS + " \n")) == MAX_CHARACTERS
    with pytest.raises(QuestionError, match="501 characters: at most 500"):
        cleaned("x" * (MAX_CHARACTERS + 1))


async def test_a_language_that_is_not_spoken_here_is_refused(redis: Redis) -> None:
    with pytest.raises(QuestionError, match="en, zh"):
        await SavedQuestions(redis).save("A?", actor="ann", locale="fr")  # type: ignore[arg-type]


def test_the_demo_shop_sells_what_its_questions_are_about() -> None:
    products = demo_products()
    ids = {p.id for p in products} | {v.sku for p in products for v in p.variants}
    assert {page for _, page in DEMO_QUESTIONS if page is not None} <= ids
    assert all(cleaned(question) == question for question, _ in DEMO_QUESTIONS)
    assert len(DEMO_QUESTIONS) == 10
