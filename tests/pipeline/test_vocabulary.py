"""What a misspelt word was meant to be."""

import pytest

from pipeline.lexicon.vocabulary import Vocabulary


@pytest.fixture
def vocabulary() -> Vocabulary:
    vocabulary = Vocabulary()
    for words in (["kettle", "stainless", "steel"], ["kettle", "copper"], ["light", "bulb"]):
        vocabulary.add(words)
    vocabulary.add(["backpack", "30l", "settle"])
    return vocabulary


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ketle", "kettle"),
        ("kettel", "kettle"),
        ("stainles", "stainless"),
        ("stanless", "stainless"),
        ("stianlses", "stainless"),
        ("coper", "copper"),
    ],
)
def test_a_misspelt_word_is_taken_for_the_nearest_known_one(
    vocabulary: Vocabulary, typed: str, meant: str
) -> None:
    found = vocabulary.known({typed: 1.0})
    assert list(found) == [meant]
    assert 0 < found[meant] < 1


@pytest.mark.parametrize("word", ["kettle", "steal", "xq", "40l", "frs20qrb", "茶壶", "umbrella"])
def test_a_word_that_is_known_or_unlike_all_others_stays(vocabulary: Vocabulary, word: str) -> None:
    expected = "steel" if word == "steal" else word
    assert list(vocabulary.known({word: 1.0})) == [expected]


def test_words_written_together_or_apart_meet(vocabulary: Vocabulary) -> None:
    assert set(vocabulary.known({"lightbulb": 1.0})) == {"light", "bulb"}
    assert "backpack" in vocabulary.known({"back": 1.0, "pack": 1.0})


def test_an_empty_vocabulary_changes_nothing() -> None:
    assert Vocabulary().known({"kettle": 1.0}) == {"kettle": 1.0}
