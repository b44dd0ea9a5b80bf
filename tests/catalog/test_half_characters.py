"""Half a character in a file costs its record, and nothing else."""

import json

import pytest
from redis.asyncio import Redis

from catalog.imports import Importer
from catalog.store import CatalogStore
from tests.catalog.uploads import apply


@pytest.fixture
def importer(redis: Redis, store: CatalogStore) -> Importer:
    """Imports into the empty catalogue."""
    return Importer(redis, store)


HALVES: list[dict[str, object]] = [
    {"sku": "A\ud800", "title": "x", "price": "5"},
    {"sku": "A", "title": "x\ud800", "price": "5"},
    {"sku": "A", "title": "x", "price": "5\ud800"},
    {"sku": "A", "title": "x", "price": "5", "col\ud800our": "red"},
    {"id": "A\ud800", "title": "x", "variants": [{"sku": "B", "price": "5"}]},
    {"id": "A", "title": "x", "variants": [{"sku": "B\ud800", "price": "5"}]},
    {"id": "A", "title": "x", "variants": [{"sku": "B", "price": "5", "options": {"\ud800": "x"}}]},
]


@pytest.mark.parametrize("record", HALVES)
async def test_a_record_with_half_a_character_is_refused_and_the_others_go_in(
    importer: Importer, record: dict[str, object]
) -> None:
    file = json.dumps([record, {"sku": "Z", "title": "z", "price": "5"}])
    done = await apply(importer, file, mode="partial")
    assert (done.state, done.rows.created, done.rows.refused) == ("applied", 1, 1)
    (error,) = await importer.records.errors(done.id)
    assert "half a character" in error.reason
    assert error.column


async def test_bytes_that_are_wrong_in_a_header_or_a_record_do_no_harm(importer: Importer) -> None:
    wrong = b"sku,title,no\xffte\n" + "".join(f"A{n},灯具,x\n" for n in range(50)).encode()
    header = await apply(importer, wrong.replace(b"title", b"title,price").replace(b",x", b",5,x"))
    assert header.state == "applied"
    lines = "".join(f'{{"sku": "B{n}", "title": "灯具", "price": 5}}\n' for n in range(50)).encode()
    broken = lines + b'{"sku": "C\xff", "title": "c", "price": 5}\n{"sku": "D\xff", \n'
    done = await apply(importer, broken, mode="partial")
    assert (done.state, done.rows.created, done.rows.refused) == ("applied", 50, 2)
