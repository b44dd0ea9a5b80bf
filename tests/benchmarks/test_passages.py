"""The figures of the passage benchmark mean what they say."""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.passages import Judged, figures, judged, measure, order
from tests.pipeline.shop import lamp


def asked(*labels: int) -> Judged:
    passages = tuple(f"passage {at}" for at in range(len(labels)))
    return Judged("?", lamp(), passages, labels, is_seen=True)


def test_hits_count_questions_that_have_such_a_passage() -> None:
    questions = [asked(0, 2, 0), asked(1, 0), asked(0, 0)]
    found = figures(questions, [[1, 0, 2], [1, 0], [0, 1]])
    assert found["hit@1"] == 1.0
    assert found["hit@1_helps"] == 0.5
    assert found["hit@3_helps"] == 1.0
    assert 0.8 < found["ndcg"] < 0.9  # the mean of 1 and 1/log2(3)


def test_equals_stay_in_the_order_of_the_record_not_of_the_file() -> None:
    rows = [
        {
            "id": "q",
            "query": "?",
            "sku": "LAMP",
            "passages": [
                {"text": "A reading lamp.", "label": 2},
                {"text": "power: 9 W", "label": 0},
            ],
        }
    ]
    (question,) = judged(rows, {"LAMP": lamp()})
    assert question.labels == (0, 2)
    assert order([0.0, 0.0]) == [0, 1]
    assert measure([question], lambda _: [0.0, 0.0])["hit@1"] == 0.0


def test_the_command_prints_its_figures(tmp_path: Path) -> None:
    catalog, questions = tmp_path / "catalog.json", tmp_path / "questions.jsonl"
    record = {
        "asin": "K1",
        "title": "Kettle",
        "description": ["the lid locks.", "it whistles."],
        "attributes": [{"name": "weight", "value": "{ value:2 }"}],
    }
    catalog.write_text(json.dumps({"products": [record]}))
    passages = [
        {"text": "weight: { value:2 }", "label": 0},
        {"text": "the lid locks.", "label": 2},
    ]
    row = {"id": "1", "query": "does the lid lock?", "sku": "K1", "passages": passages}
    questions.write_text(json.dumps(row) + "\n")
    given = (f"--questions={questions}", f"--catalog={catalog}")
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.passages", *given],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    found = json.loads(run.stdout.splitlines()[-1])
    assert found["words"]["hit@1"] == 1.0
    assert found["in the prompt"]["told"] == 1.0
