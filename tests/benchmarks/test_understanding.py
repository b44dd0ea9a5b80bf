"""How answers to labelled questions are judged."""

from decimal import Decimal
from typing import Any

import pytest

from benchmarks.understanding import Examiner, Outcome, asked, report
from catalog.product import LOCALES
from pipeline.facts.fitting import FactFinder
from pipeline.found import Bounds, Explanation, Found, NotCarried, Understood
from pipeline.lexicon.words import Words
from pipeline.prompting.rendering import TEMPLATES
from pipeline.records import Records
from pipeline.retriever import Hit
from tests.pipeline.fakes import product
from tests.pipeline.shop import shirt


@pytest.fixture(scope="module")
def records() -> Records:
    records = Records()
    records.replace([shirt(), product("1", "lamp"), product("2", "mug")], 1)
    return records


@pytest.fixture(scope="module")
def examiner(records: Records) -> Examiner:
    return Examiner(
        records, FactFinder({locale: Words.load(TEMPLATES, locale) for locale in LOCALES})
    )


def row(question: str = "?", **expect: Any) -> dict[str, Any]:
    return {"id": "q", "kind": "k", "locale": "en", "question": question, "expect": expect}


def hits(*ids: str, sku: str | None = None) -> Found:
    return Found(tuple(Hit(id_, "search") for id_ in ids), sku=sku)


@pytest.mark.parametrize(
    ("expect", "found", "right"),
    [
        ({"products_any": ["1"]}, hits("1", "2"), True),
        ({"products_any": ["1"]}, hits("2", "1"), False),
        ({"products_any": ["1"]}, Found(), False),
        ({"products_all": ["1", "2"]}, hits("2", "1"), True),
        ({"products_all": ["1"]}, hits("1", "2"), False),
        ({"products_all": ["1"]}, Found(), False),
        ({"ordered": ["1", "2"]}, hits("1"), True),
        ({"ordered": [["1", "2"]]}, hits("2"), True),
        ({"ordered": ["1", "2"]}, hits("2", "1"), False),
        ({"not_found": ["AB-1"]}, Found(not_found=("ａｂ 1",)), True),
        ({"not_found": ["AB-1"]}, hits("1"), False),
        ({"not_carried": True}, Found(not_carried=NotCarried("piano")), True),
        ({"not_carried": True}, hits("1"), False),
        ({"products_any": ["1"]}, Found(not_carried=NotCarried("lamp")), False),
        ({"intent": "greeting"}, Found(intent="greeting"), True),
        ({"intent": "greeting"}, Found(intent="thanks"), False),
    ],
)
def test_verdict(examiner: Examiner, expect: dict[str, Any], found: Found, right: bool) -> None:
    assert (examiner.wrong(row(**expect), found) == "") is right


def test_the_first_card_s_variant_and_stock_are_checked(examiner: Examiner) -> None:
    expect: dict[str, Any] = {
        "products_any": ["SH"],
        "variant": {"color": "white"},
        "in_stock": False,
    }
    assert examiner.wrong(row("in white?", **expect), hits("SH")) == ""
    assert examiner.wrong(row("in black?", **expect), hits("SH")) != ""
    assert examiner.wrong(row("in white?", **{**expect, "in_stock": True}), hits("SH")) != ""
    named: dict[str, Any] = {
        "products_any": ["SH"],
        "variant": {"color": "black", "size": "L"},
        "in_stock": False,
    }
    assert examiner.wrong(row(**named), hits("SH", sku="SH-bl-L")) == ""


def test_a_line_is_a_question_with_its_turns(records: Records) -> None:
    line = row("is it blue?") | {
        "page": "1-1",
        "history": [{"question": "mugs?", "products": ["2"]}],
    }
    question, turns = asked(line, records)
    assert (question.product_id, question.sku) == ("1", "1-1")
    assert turns[0].product_ids == ("2",)


def test_shares_are_told_by_kind() -> None:
    told = report([Outcome(row(), "", 1.0), Outcome(row(), "found nothing", 2.0)])
    assert (told["right"], told["by_kind"]) == (0.5, {"k": 0.5})


def test_an_explanation_is_plain_values() -> None:
    told = Explanation(Understood(bounds=Bounds(high=Decimal("9.90")))).as_json()
    assert told["understood"]["bounds"]["high"] == "9.90"
