"""Passages are ranked by what they have of the question; a long record tells its best ones."""

from dataclasses import replace

import pytest

from catalog.product import Locale, Product, Text
from pipeline.facts.candidates import is_long
from pipeline.facts.fitting import FactFinder
from pipeline.facts.passages import PassageRanker
from pipeline.lexicon.words import Words
from pipeline.prompt import PromptBuilder, PromptConfig
from pipeline.prompting.tokenizer import Tokenizer
from tests.pipeline.shop import lamp, question, sources

FILLER = "It was drawn by hand and built in a small yard with great patience and much tea. "


@pytest.fixture
def ranker(lexicons: dict[Locale, Words]) -> PassageRanker:
    return PassageRanker(lexicons.values())


def best(ranker: PassageRanker, text: str, titles: list[str], *passages: str) -> str:
    scores = ranker.scores(text, titles, [("", passage) for passage in passages])
    return max(zip(scores, passages, strict=True))[1]


def test_passage_with_more_of_the_question_is_better(ranker: PassageRanker) -> None:
    hook, strap = "There is a hook inside.", "The hook holds a shoulder strap."
    assert best(ranker, "Is there a hook for the strap?", [], hook, strap) == strap


def test_word_of_the_title_tells_little(ranker: PassageRanker) -> None:
    titled, telling = "This kettle is our finest kettle.", "The lid locks."
    assert best(ranker, "Does the kettle lid lock?", ["Iron Kettle"], titled, telling) == telling
    (score,) = ranker.scores("a kettle?", ["Iron Kettle"], [("", titled)])
    assert 0 < score < 0.4


def test_measures_are_one_word_however_they_are_written(ranker: PassageRanker) -> None:
    right, wrong = "holds 30 litres", "weighs 30 grams"
    assert best(ranker, "is it the 30L one?", [], wrong, right) == right


def test_parts_of_an_attribute_name_count(ranker: PassageRanker) -> None:
    scores = ranker.scores(
        "what tide range does it show?", [], [("max_tide_range", "7"), ("dial_color", "7")]
    )
    assert scores[0] > scores[1] == 0


@pytest.mark.parametrize(
    ("text", "said", "other"),
    [
        ("Is it compatible with a Lumo stand?", "made for every stand", "made by hand"),
        ("What do I get in the box?", "a cable is included", "a cable of copper"),
        ("这个能配老款吗", "通用", "通风"),
    ],
)
def test_other_words_for_what_is_asked_count_a_little(
    ranker: PassageRanker, text: str, said: str, other: str
) -> None:
    assert best(ranker, text, [], other, said) == said


@pytest.mark.parametrize("text", ["", "?", "what is it and how", "这个有没有"])
def test_question_without_telling_words_wants_nothing(ranker: PassageRanker, text: str) -> None:
    assert ranker.scores(text, [], [("dial", "enamel"), ("", "What is it?")]) == [0.0, 0.0]


def boat(*sentences: str) -> Product:
    """A record of many sentences; these are its last ones."""
    text = Text("Dinghy", FILLER * 10 + " ".join(sentences), attributes=(("warranty", "5 years"),))
    return replace(lamp(), texts={"en": text})


def values(finder: FactFinder, text: str, product: Product) -> list[str]:
    return [fact.value for fact in finder.beside(text, product, "en")]


def test_long_record_tells_its_best_passages_behind_what_fits(finder: FactFinder) -> None:
    sail = "The sail is reefed from the cockpit."
    record = boat("A warranty card lies in the locker.", sail)
    asked = "Does the warranty cover a sail reefed in a gale off the coast of Norway?"
    assert values(finder, asked, record)[0] == "5 years"
    assert sail in values(finder, asked, record)
    assert finder.fitting(asked, record, "en")[0].value == "5 years"


def test_short_record_tells_only_what_fits(finder: FactFinder) -> None:
    record = replace(boat(), texts={"en": Text("Dinghy", "The sail is reefed from the cockpit.")})
    asked = "Is a sail like that any good in a gale off Norway in winter?"
    assert not is_long(record, "en")
    assert values(finder, asked, record) == []
    assert values(finder, asked, boat("The sail is reefed from the cockpit.")) != []


def test_passages_decide_nothing(finder: FactFinder) -> None:
    record = boat("The sail is reefed from the cockpit.")
    asked = "Is a sail like that any good in a gale off Norway in winter?"
    assert finder.fitting(asked, record, "en") == ()
    assert not finder.knows(asked, record, "en", None)


def test_at_most_three_facts_and_not_one_twice(finder: FactFinder) -> None:
    record = boat(*(f"The sail has a {part}." for part in ("boom", "batten", "luff", "leech")))
    told = values(finder, "Tell me about the sail and its boom, batten, luff, leech", record)
    assert len(told) == len(set(told)) == 3


def test_passages_keep_to_the_tokens_for_facts(tokenizer: Tokenizer) -> None:
    builder = PromptBuilder(tokenizer, PromptConfig(max_fact_tokens=12))
    record = boat("The sail is reefed from the cockpit, by one line, in any weather, in a minute.")
    asked = question("Is a sail like that any good in a gale off Norway in winter?", record)
    line = builder.lines(asked, sources(record))[0]
    assert "sail is reefed" in line
    assert len(tokenizer.encode(line)) <= 12
