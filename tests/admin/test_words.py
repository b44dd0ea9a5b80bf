"""Every phrase is there in both languages, and every one is used."""

import re
import string
from collections.abc import Sequence
from importlib.resources import files
from typing import get_args

import pytest

from catalog.formats.model import Decimals, Format, NumberStyle
from catalog.product import LOCALES, Availability
from serving.admin.words import say, words
from serving.import_contract import Status
from serving.tokens import ROLES

_SAID = re.compile(r"""\b(?:t|say)\(\s*(?:[\w()]+,\s*)?["'](\w+)["']""")
_MADE = re.compile(r"""\bt\(\s*["'](\w+_)["'] ~""")
FAMILIES = ("error_", "field_", "told_")
"""Looked up by what they name, where there is a word for it."""
SAID_BY_VALUE = {
    *("save_mine", "try_again", "apply_again"),
    *("in_stock", "out_of_stock", "preorder", "backorder"),
    *("created", "updated", "unchanged", "refused", "removed"),
}


def sources() -> list[str]:
    """The templates and the code that say something."""
    folder = files("serving.admin")
    parts = [*folder.iterdir(), *folder.joinpath("templates").iterdir()]
    return [part.read_text("utf-8") for part in parts if part.name.endswith((".html", ".py"))]


def test_every_phrase_has_the_same_blanks_in_both_languages() -> None:
    for key, said in words().items():
        blanks = [
            sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)
            for text in said.values()
        ]
        assert blanks[0] == blanks[1], key
        assert all(said.values()), key


def test_what_is_said_is_there_and_what_is_there_is_said() -> None:
    text = "\n".join(sources())
    said = set(_SAID.findall(text)) - set(_MADE.findall(text))
    families = (*FAMILIES, *_MADE.findall(text))
    assert said <= set(words())
    unsaid = {key for key in words() if not key.startswith(families)} - said - SAID_BY_VALUE
    assert unsaid == set()


def test_an_unknown_phrase_is_an_error() -> None:
    with pytest.raises(KeyError):
        say("en", "never said")


@pytest.mark.parametrize(
    ("family", "values"),
    [
        ("format_", get_args(Format)),
        ("decimals_", (*get_args(Decimals), *get_args(NumberStyle))),
        ("status_", get_args(Status)),
        ("role_", ROLES),
        ("", get_args(Availability)),
        ("kind_", ("created", "updated", "removed")),
        ("cause_", ("edit", "delete", "import", "undo")),
        ("text_", LOCALES),
    ],
)
def test_there_is_a_word_for_every_value(family: str, values: Sequence[str]) -> None:
    assert {family + value for value in values} <= set(words())
