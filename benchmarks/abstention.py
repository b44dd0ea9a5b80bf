"""Whether a question that the record does not answer is told from one that it does.

    python -m benchmarks.abstention --catalog catalog.json --questions questions.jsonl

Each line has a `question`, the `sku` of its product and `expect`: `answer` or `abstain`. What is
judged is the decision alone, as a gateway with the bundled model takes it before the engine; it is
compared with always answering, which is what happens without it. Prints JSON last.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.catalog_files import products_of
from catalog.product import LOCALES, Product
from pipeline.facts.fitting import FactFinder
from pipeline.lexicon.words import Words
from pipeline.prompting.rendering import TEMPLATES
from serving.text import detect_locale


def measure(products: Mapping[str, Product], rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """How many of each kind were decided rightly; shares of all questions."""
    facts = FactFinder({locale: Words.load(TEMPLATES, locale) for locale in LOCALES})
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for row in rows:
        text, product = str(row["question"]), products[str(row["sku"])]
        known = facts.knows(text, product, detect_locale(text), None)
        asked[row["expect"]] += 1
        right[row["expect"]] += known == (row["expect"] == "answer")
    total = asked.total() or 1
    return {
        "questions": asked.total(),
        "abstained": f"{right['abstain']} of {asked['abstain']} that the record does not answer",
        "answered": f"{right['answer']} of {asked['answer']} that it answers",
        "right": round(right.total() / total, 3),
        "right_if_always_answered": round(asked["answer"] / total, 3),
    }


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="benchmarks.abstention", description=__doc__)
    parser.add_argument("--catalog", required=True, help="a file, or `demo`")
    parser.add_argument("--questions", required=True, type=Path, help="a file of JSON lines")
    given = parser.parse_args()
    products = {product.id: product for product in products_of(given.catalog)}
    lines = given.questions.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    print(json.dumps(measure(products, rows)))


if __name__ == "__main__":
    main()
