"""What the retrieval benchmark counts, and which files it takes."""

import json
from math import log2
from pathlib import Path
from typing import Any

import pytest

from benchmarks.catalog_files import products_of
from benchmarks.made_vectors import made
from benchmarks.retrieval import Asked, Tally, asked, measure, ndcg
from benchmarks.search_scale import nearest
from pipeline.encoder import Encoder
from pipeline.finding import make_finder
from pipeline.found import Found, NotCarried
from pipeline.prompting.rendering import TEMPLATES
from pipeline.records import Records
from pipeline.retriever import Hit, Retriever
from pipeline.timing import StageTimings
from tests.pipeline.fakes import LetterModel

TITLES = "sku,title\n1,Copper Kettle\n2,Bamboo Lamp\n3,铜水壶\n"
RECORDS = [
    {
        "asin": "a",
        "title": "Copper Kettle",
        "bullets": ["Whistles.", "2 L"],
        "attributes": [{"name": "Colour", "value": "copper"}],
    },
    {"asin": "b", "title": "Bamboo Lamp"},
]


def test_a_file_without_prices_is_read_to_measure_with(tmp_path: Path) -> None:
    titles, records = tmp_path / "titles.csv", tmp_path / "records.json"
    titles.write_text(TITLES, encoding="utf-8-sig")
    records.write_text(json.dumps(RECORDS))
    found = products_of(str(titles))
    assert [(p.id, p.locale, p.text(p.locale).title) for p in found] == [
        ("1", "en", "Copper Kettle"),
        ("2", "en", "Bamboo Lamp"),
        ("3", "zh", "铜水壶"),
    ]
    kettle, _ = products_of(str(records))
    text = kettle.text("en")
    assert (text.description, text.attributes) == ("Whistles. 2 L", (("Colour", "copper"),))


def test_a_record_without_a_title_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "records.json"
    file.write_text(json.dumps([{"asin": "a"}]))
    with pytest.raises(ValueError, match="without an id or a title"):
        products_of(str(file))


def test_places_and_gains() -> None:
    tally = Tally()
    one = {"a": 1.0}
    for found in (["a", "b"], ["b", "c", "a"], ["b", "c"], ["b", *"cdefgh", "a"]):
        hits = tuple(Hit(id_, "search") for id_ in found)
        tally.add(Asked("?", frozenset("a"), one), Found(hits), StageTimings())
    tally.add(Asked("?", frozenset(), {}), Found(not_carried=NotCarried("?")), StageTimings())
    told = tally.report()
    assert (told["questions"], told["with_a_right_product"], told["not_carried"]) == (5, 4, 0.2)
    assert [tally.hit(at) for at in (1, 3, 10)] == [0.25, 0.5, 0.75]
    assert ndcg(one, ["b", "a"]) == pytest.approx(1 / log2(3))
    assert ndcg({"a": 7.0, "b": 3.0}, ["a", "b"]) == 1.0
    assert ndcg({"a": 7.0, "b": 3.0}, ["b", "a"]) < 1.0


async def test_questions_are_asked_of_the_catalogue(tmp_path: Path) -> None:
    file = tmp_path / "titles.csv"
    file.write_text(TITLES)
    records = Records()
    records.replace(products_of(str(file)), 1)
    encoder = Encoder(LetterModel())
    retriever = Retriever(encoder, records)
    await retriever.rebuild()
    rows: list[dict[str, Any]] = [
        {"query": "copper kettle", "relevant": ["1"], "graded": {"1": 3.0, "3": 2.0}},
        {"question": "铜水壶多少钱", "sku": "3"},
        {"question": "A hat?", "sku": "4"},
    ]
    known = [asked(row, records) for row in rows]
    gains = [sorted(one.gains.items()) for one in known]
    assert gains == [[("1", 7.0), ("3", 3.0)], [("3", 1.0)], []]
    finder = await make_finder(TEMPLATES, records, retriever, 10)
    tally = await measure(finder, known)
    assert tally.report()["with_a_right_product"] == 2
    assert tally.hit(1) == 1.0
    await encoder.close()


def test_the_nearest_are_the_same_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = made(300, 5, dimension=80)
    whole = nearest(vectors.products, vectors.questions, 10)
    monkeypatch.setattr("benchmarks.search_scale._COMPARED", 7)
    assert nearest(vectors.products, vectors.questions, 10) == whole
    assert all(len(found) == 10 for found in whole)
