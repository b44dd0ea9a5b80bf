"""Whether turns that are not about a product get the right kind of answer.

    python -m benchmarks.intents --questions intents.jsonl

Each line has a `question` and an `intent`; `benchmarks/data/intent_labels.json` says which kinds
of answer are right for it. No engine, no encoder: intents are read by words. Prints JSON last.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pipeline.prompting.rendering import TEMPLATES
from pipeline.understanding.intents import IntentReader

LABELS = Path(__file__).parent / "data" / "intent_labels.json"


def measure(rows: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], list[str]]:
    """The figures, and the questions answered otherwise."""
    reader, labels = IntentReader.load(TEMPLATES), json.loads(LABELS.read_text(encoding="utf-8"))
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    wrong: list[str] = []
    for row in rows:
        label = str(row["intent"])
        found = reader.read(str(row["question"]))
        name = "none" if found is None else found.name
        asked[label] += 1
        if name in labels[label]:
            right[label] += 1
        else:
            wrong.append(f"{label} -> {name}: {row['question']}")
    total = asked.total()
    by_label = {label: f"{right[label]} of {n}" for label, n in sorted(asked.items())}
    share = round(right.total() / total, 3) if total else None
    return {"questions": total, "right": share, "by_intent": by_label}, wrong


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="benchmarks.intents", description=__doc__)
    parser.add_argument("--questions", required=True, type=Path, help="a file of JSON lines")
    given = parser.parse_args()
    lines = given.questions.read_text(encoding="utf-8").splitlines()
    found, wrong = measure(json.loads(line) for line in lines if line.strip())
    for told in wrong:
        print(told)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
