"""What kinds of things texts name."""

import pytest

from pipeline.lexicon.kinds import Kinds, place
from pipeline.prompting.rendering import TEMPLATES


@pytest.fixture(scope="module")
def kinds() -> Kinds:
    return Kinds.load(TEMPLATES)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("two phone cases", ["phone case"]),
        ("desk lamps", ["table lamp"]),
        ("实木床头柜", ["bedside table"]),
        ("有没有笔记本电脑", ["laptop"]),
        ("有没有笔记本", ["notebook"]),
        ("polo衫", ["polo shirt"]),
        ("how do I care for it", []),
        ("I hate waiting, I am tired", []),
        ("skin care", ["skin care"]),
        ("knives and forks", ["knife", "fork"]),
        ("T恤和牛仔裤", ["t-shirt", "jeans"]),
    ],
)
def test_named(kinds: Kinds, text: str, named: list[str]) -> None:
    assert [name.kind for name in kinds.in_text(text)] == named


def test_a_kind_is_a_sort_of_another(kinds: Kinds) -> None:
    assert list(kinds.chain("fountain pen")) == ["fountain pen", "pen", "stationery"]
    assert "pen" in kinds.siblings("pencil")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("any phone cases?", "phone cases"),
        ("找个床头柜吧", "床头柜"),
        ("a Desk Lamp, red", "desk lamp"),
    ],
)
def test_place_of_a_kind(kinds: Kinds, text: str, said: str) -> None:
    folded = text.casefold()
    (name,) = kinds.in_text(folded)
    assert folded[slice(*place(folded, name))] == said


def test_every_language_calls_a_kind_something(kinds: Kinds) -> None:
    assert kinds.say("phone", "en") == "phone"
    assert kinds.say("phone", "zh") == "手机"
