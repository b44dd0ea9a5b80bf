"""What a preview keeps of the products as they would be, for whoever compares answers."""

from dataclasses import replace

import pytest
from redis.asyncio import Redis

from catalog import aftermath
from catalog.aftermath import Aftermath, Aftermaths, Kept
from catalog.imports import Importer
from catalog.plan import Change
from catalog.store import CatalogStore
from catalog.uploads import KEPT_S
from catalog.worker import run_in_process
from tests.catalog.make import product, variant
from tests.catalog.uploads import receive, table


@pytest.fixture
async def importer(redis: Redis, store: CatalogStore) -> Importer:
    """Imports into a catalogue of two products."""
    lamp = product("A", variant("A-1", "5", 3), title="Lamp")
    chair = product("B", variant("B-1", "7", 1), title="Chair")
    await store.put([lamp, chair], actor="ann")
    return Importer(redis, store)


FILE = table("A,A-1,Lamp,6,3", "C,C-1,Stool,8,1")


async def kept(importer: Importer, import_id: str) -> Aftermath:
    found = await importer.aftermaths.get(import_id)
    assert found is not None
    return found


async def test_the_process_that_previews_keeps_the_products_as_they_would_be(
    importer: Importer, redis_url: str
) -> None:
    import_id = await receive(importer, FILE, sync=True, confirmed=True)
    assert await run_in_process(redis_url, import_id, "preview") == 0
    found = await kept(importer, import_id)
    assert [(p.id, p.text("en").title, str(p.variants[0].price)) for p in found.changed] == [
        ("A", "Lamp", "6 USD"),
        ("C", "Stool", "8 USD"),
    ]
    assert [p.version for p in found.changed] == [1, 0]
    assert (found.removed, found.left_out) == (("B",), 0)
    assert await importer.store.version() == 1


async def test_a_new_preview_replaces_what_was_kept(
    importer: Importer, store: CatalogStore
) -> None:
    import_id = await receive(importer, FILE)
    await importer.preview(import_id)
    first = await kept(importer, import_id)
    await store.put([product("C", variant("C-1", "8", 1), title="Stool")], actor="bob")
    await importer.preview(import_id)
    second = await kept(importer, import_id)
    assert [p.id for p in second.changed] == ["A"]
    assert second.plan != first.plan


@pytest.mark.parametrize("row", ["A,A-1,Lamp,6,3", "A,A-1,Lamp,abc,3"])
async def test_it_is_gone_when_the_import_was_applied_or_refused(
    importer: Importer, redis: Redis, row: str
) -> None:
    import_id = await receive(importer, table(row))
    await importer.preview(import_id)
    await kept(importer, import_id)
    await importer.apply(import_id)
    assert await importer.aftermaths.get(import_id) is None
    assert await importer.aftermaths.plan(import_id) is None
    assert [key async for key in redis.scan_iter(f"*{import_id}:after*")] == []


async def test_nothing_is_kept_of_a_file_that_cannot_be_read(importer: Importer) -> None:
    import_id = await receive(importer, b"\x00\x01\x02" * 50)
    assert (await importer.preview(import_id)).error
    assert await importer.aftermaths.get(import_id) is None


async def test_a_sync_that_would_remove_too_much_says_what_it_would_do(importer: Importer) -> None:
    import_id = await receive(importer, table("C,C-1,Stool,8,1"), sync=True)
    assert (await importer.preview(import_id)).error_code == "too_many_removals"
    found = await kept(importer, import_id)
    assert ([p.id for p in found.changed], sorted(found.removed)) == (["C"], ["A", "B"])


async def test_it_goes_with_the_uploaded_file(importer: Importer, redis: Redis) -> None:
    import_id = await receive(importer, FILE, sync=True, confirmed=True)
    await importer.preview(import_id)
    keys = [key async for key in redis.scan_iter(f"*{import_id}:after*")]
    assert len(keys) == 3
    for key in keys:
        assert 0 < await redis.ttl(key) <= KEPT_S


async def test_what_is_beyond_the_bounds_is_counted(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aftermath, "MAX_CHANGED", 45)
    monkeypatch.setattr(aftermath, "MAX_REMOVED", 30)
    made = Kept()
    for number in range(50):
        made.note(Change("created", None, product(str(number))))
    made.note(Change("unchanged", product("x"), product("x")))
    made.note(Change("removed", product("y"), None))
    made.remove([f"r{number}" for number in range(32)])
    aftermaths = Aftermaths(redis, lambda import_id, part: f"test:{import_id}:{part}")
    await aftermaths.save("i", made)
    found = await aftermaths.get("i")
    assert found is not None
    assert [p.id for p in found.changed] == [str(number) for number in range(45)]
    assert (len(found.removed), found.left_out) == (30, 5 + 2)


def test_large_products_are_bounded_by_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aftermath, "MAX_BYTES", 10_000)
    made = Kept()
    large = replace(product("a", title="x" * 6_000))
    for _ in range(4):
        made.note(Change("updated", large, large))
    assert (len(made.changed), made.left_out) == (2, 2)
