"""How often the facts beside a question hold its right value: what a model can at most repeat.

    python -m benchmarks.fact_lines --questions questions.jsonl --model FOLDER

The questions are those of `benchmarks.answers` about the demo shop, each asked on its product's
page; instead of a model's answer, the facts that stand beside the question are judged, by the same
rule. No engine runs, so a change of the choice is judged in seconds. Prints JSON last.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.catalog_files import DEMO, products_of
from benchmarks.scoring import Labelled, is_right, labelled
from catalog.product import Locale
from pipeline.prompt import PromptBuilder
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.records import Records
from pipeline.types import Question, Source


def fact_line(builder: PromptBuilder, records: Records, asked: Labelled) -> str:
    """The line of facts as it stands in the prompt; empty if none fits."""
    page = records.resolve(asked.sku or "")
    if page is None:
        raise ValueError(f"the shop has no {asked.sku!r}")
    product, variant = page
    sku = None if variant is None else variant.sku
    locale: Locale = "zh" if asked.chinese else "en"
    if not builder.facts.fitting(asked.question, product, locale, sku):
        return ""
    question = Question(asked.question, locale, "benchmark", product_id=product.id, sku=sku)
    return builder.lines(question, [Source(product, "page")])[0]


def report(questions: Sequence[Labelled], lines: Sequence[str]) -> dict[str, Any]:
    """How many lines are right, of all and of each kind of question."""
    asked = Counter(question.kind for question in questions)
    right = Counter(
        question.kind
        for question, line in zip(questions, lines, strict=True)
        if is_right(line, question)
    )
    total, n = right.total(), len(questions)
    kinds = {kind: f"{right[kind]} of {count}" for kind, count in sorted(asked.items())}
    return {"n": n, "right": total, "share": round(total / n, 4) if n else 0.0, "kinds": kinds}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="benchmarks.fact_lines", description=__doc__)
    parser.add_argument("--questions", required=True, type=Path, help="a file of JSON lines")
    parser.add_argument("--model", required=True, help="whose tokenizer cuts the line")
    parser.add_argument("--catalog", default=DEMO, help="a file, or `demo`")
    parser.add_argument("--misses", action="store_true", help="show the lines that are not right")
    given = parser.parse_args()
    records = Records()
    records.replace(products_of(given.catalog), 1)
    builder = PromptBuilder(Tokenizer.load(given.model))
    rows = given.questions.read_text(encoding="utf-8").splitlines()
    questions = [labelled(json.loads(row)) for row in rows if row.strip()]
    lines = [fact_line(builder, records, question) for question in questions]
    for question, line in zip(questions, lines, strict=True) if given.misses else ():
        if not is_right(line, question):
            print(f"{question.question}\n    wanted {question.answers[0]!r}, told {line!r}")
    print(json.dumps(report(questions, lines), ensure_ascii=False))


if __name__ == "__main__":
    main()
