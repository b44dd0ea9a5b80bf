"""What a question finds and why, over HTTP and at a terminal."""

from pathlib import Path
from typing import Any, cast

from pipeline.found import Bounds, Explanation, Found, NotCarried, Understood
from pipeline.retriever import Hit
from pipeline.searching.fusion import Candidate
from tests.serving.catalog.conftest import Api
from tests.serving.catalog.test_commands import Person
from tests.serving.fakes import WrittenFinder

FOUND = Found(
    hits=(Hit("shirt", "search", 0.8), Hit("gone", "search", 0.7)),
    explain=Explanation(
        understood=Understood(kind="shirt", said="shirts", colors=("black",), bounds=Bounds()),
        among=4,
        candidates=(Candidate("shirt", 0.91, 0.83, None), Candidate("gone", 0.5, 0.5, 1.0)),
        winner="nearest of those that are black",
    ),
)


def finder(api: Api, found: Found) -> WrittenFinder:
    written = cast(WrittenFinder, api.services.finder)
    written.found = found
    written.asked.clear()
    return written


async def searched(api: Api, **query: str) -> Any:
    reply = await api.reader.get("/catalog/search", params=query)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_it_tells_what_was_understood_weighed_and_found(api: Api) -> None:
    asked = finder(api, FOUND)
    told = await searched(api, q="black shirts", sku="shirt")
    assert [(p["id"], p["why"]) for p in told["products"]] == [("shirt", "search")]
    assert told["understood"]["kind"] == "shirt"
    assert told["understood"]["colors"] == ["black"]
    assert "order" not in told["understood"]
    assert told["among"] == 4
    [candidate] = told["candidates"]
    assert (candidate["score"], candidate["dense"], candidate["lexical"]) == (0.91, 0.83, None)
    assert told["winner"] == "nearest of those that are black"
    assert {"encode", "search"} <= told["took_ms"].keys()
    assert (asked.asked[0].text, asked.asked[0].product_id) == ("black shirts", "shirt")


async def test_it_tells_why_there_is_no_product(api: Api) -> None:
    finder(api, Found(not_carried=NotCarried("drill", ("shirt",)), not_found=("1234568",)))
    told = await searched(api, q="有电钻吗")
    assert told["locale"] == "zh"
    assert told["not_carried"] == {"kind": "drill", "nearest": ["shirt"]}
    assert told["not_found"] == ["1234568"]
    assert told["products"] == []


async def test_what_cannot_be_asked_is_named(api: Api) -> None:
    finder(api, FOUND)
    for query, field in (
        ({"q": "  "}, "q"),
        ({"q": "x" * 30_000}, "q"),
        ({}, "q"),
        ({"q": "shirt", "sku": "nothing"}, "sku"),
        ({"q": "shirt", "locale": "fr"}, "locale"),
    ):
        reply = await api.reader.get("/catalog/search", params=query)
        assert reply.status_code in (400, 404, 422), (query, reply.text)
        assert reply.json()["error"]["field"] == field
    assert (await api.nobody.get("/catalog/search", params={"q": "shirt"})).status_code == 401


async def test_a_terminal_shows_it(api: Api, tmp_path: Path) -> None:
    person = Person(api, tmp_path)
    finder(api, FOUND)
    plain = await person.does("search", "black shirts")
    assert "1. shirt" in plain
    assert "winner" not in plain
    explained = await person.does("search", "black shirts", "--explain")
    assert "understood kind: shirt" in explained
    assert "among: 4 products" in explained
    assert "0.910" in explained
    assert "winner: nearest of those that are black" in explained
    assert "took: encode" in explained
    finder(api, Found(not_carried=NotCarried("[bold]drill\x1b[31m", ("shirt",))))
    unsold = await person.does("search", "drill")
    assert "Not carried: [bold]drill" in unsold
    assert "\x1b" not in unsold
