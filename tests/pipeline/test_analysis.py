"""Texts to words: the same for whoever writes the record and whoever asks."""

import pytest

from pipeline.lexicon.analysis import standard_analyser


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("30 litre backpack", "Backpack, 30L"),
        ("30-liter backpack", "Backpack 30 L"),
        ("24 inch", '24" TV'),
        ("24 in. wide", "24 in. x 36 in."),
        ("8 ft ladder", "8' ladder"),
        ("60 yards", "60 yds."),
        ("2.5升电饭煲", "电饭煲2.5L"),
        ("５００ml 水杯", "水杯 500毫升"),
    ],
)
def test_a_measure_is_one_word_however_it_is_written(asked: str, written: str) -> None:
    analyser = standard_analyser()
    shared = analyser.question(asked).keys() & set(analyser.document(written))
    assert any(word[0].isdigit() and word[-1].isalpha() for word in shared)


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("kettles", "kettle"),
        ("batteries", "Battery"),
        ("T-shirts", "tshirt"),
        ("kxts208w", "KX-TS208W"),
        ("ts208w", "KX-TS208W"),
        ("women's boots", "womens boot"),
        ("café chair", "CAFÉ CHAIR"),
        ("白色棉袜", "纯棉白色袜子"),
    ],
)
def test_plurals_compounds_and_model_numbers_meet(asked: str, written: str) -> None:
    analyser = standard_analyser()
    assert analyser.question(asked).keys() & set(analyser.document(written))


def test_words_that_every_question_has_are_not_searched() -> None:
    analyser = standard_analyser()
    assert analyser.question("what is the one that you have?") == {}
    assert set(analyser.question("请问你们有没有洗衣机？")) == {"洗", "洗衣", "衣", "衣机", "机"}


def test_a_pair_of_characters_says_more_than_one_of_them() -> None:
    words = standard_analyser().question("茶壶")
    assert words["茶壶"] > words["茶"] > 0
