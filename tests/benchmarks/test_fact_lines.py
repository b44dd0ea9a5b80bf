"""The facts beside the demo shop's questions are judged as a model's answers are."""

from pathlib import Path

import pytest

from benchmarks.fact_lines import fact_line, report
from benchmarks.scoring import Labelled
from catalog.demo import demo_products
from pipeline.prompt import PromptBuilder
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.records import Records


@pytest.fixture(scope="module")
def records() -> Records:
    shop = Records()
    shop.replace(demo_products(), 1)
    return shop


@pytest.fixture(scope="module")
def builder(model_dir: Path) -> PromptBuilder:
    return PromptBuilder(Tokenizer.load(model_dir))


def asked(text: str, *answers: str, sku: str | None, chinese: bool = False) -> Labelled:
    return Labelled(text, answers, (), sku, chinese, "kind")


def test_the_line_is_the_one_in_the_prompt(builder: PromptBuilder, records: Records) -> None:
    returns = asked("Can I return the mascara?", "30 days return policy", sku="BEA-ESS-ESS-001")
    line = fact_line(builder, records, returns)
    assert line.startswith("Returns: ")
    stuff = asked("这个枕头是什么面料的？", "棉", sku="1009012", chinese=True)
    assert "棉" in fact_line(builder, records, stuff)
    assert fact_line(builder, records, asked("Is it loud?", "no", sku="BEA-ESS-ESS-001")) == ""


def test_a_product_that_is_not_there_is_no_miss(builder: PromptBuilder, records: Records) -> None:
    with pytest.raises(ValueError, match="the shop has no 'nothing'"):
        fact_line(builder, records, asked("How much?", "1", sku="nothing"))


def test_right_lines_are_counted() -> None:
    questions = [asked("Who makes it?", "Lumo", sku="1"), asked("Power?", "9 W", sku="1")]
    found = report(questions, ["Brand: Lumo.", "Power: 90 W."])
    assert (found["n"], found["right"], found["kinds"]) == (2, 1, {"kind": "1 of 2"})
