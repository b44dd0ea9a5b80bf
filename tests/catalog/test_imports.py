"""Imports go in as one step, say what they did, and lose nothing."""

import asyncio
from dataclasses import replace

import pytest
from redis.asyncio import Redis

from catalog.demo import demo_products
from catalog.diff import FieldChange
from catalog.formats.model import FileError, Limits
from catalog.import_records import ImportBusyError, ImportUnknownError
from catalog.imports import Importer, ImporterConfig
from catalog.plan import Change, Counts
from catalog.product import Product
from catalog.store import CatalogStore
from tests.catalog.make import product, variant
from tests.catalog.uploads import apply, meanwhile, receive, table


@pytest.fixture
def importer(redis: Redis, store: CatalogStore) -> Importer:
    """Imports into the empty catalogue."""
    return Importer(redis, store)


async def _prices(store: CatalogStore) -> dict[str, str]:
    products = (await store.load()).products
    return {v.sku: str(v.price.amount) for product in products for v in product.variants}


SHOP = table("A,A-1,Lamp,5,3", "A,A-2,,6,0", "B,B-1,Chair,7,1")


async def test_a_preview_says_what_would_happen_and_writes_nothing(
    importer: Importer, store: CatalogStore
) -> None:
    await store.put([product("B", variant("B-1", "7", 1), title="Chair")], actor="ann")
    seen: list[Change] = []
    import_id = await receive(importer, SHOP.replace("B-1,Chair,7", "B-1,Stool,8"))
    record = await importer.preview(import_id, seen.append)
    assert record.state == "received"
    assert (record.rows, record.products) == (Counts(2, 1), Counts(1, 1))
    assert record.detected is not None
    assert (record.detected.format, record.detected.rows) == ("plain", 3)
    assert [(c.kind, c.product_id) for c in seen] == [("created", "A"), ("updated", "B")]
    diffs = {diff.product_id: diff for diff in await importer.records.diffs(import_id)}
    assert set(diffs["B"].fields) == {
        FieldChange("title", "Chair", "Stool", "en"),
        FieldChange("price", "7 USD", "8 USD", None, "B-1"),
    }
    assert (await store.version(), await _prices(store)) == (1, {"B-1": "7"})


async def test_an_import_is_one_write_that_names_its_author_and_itself(
    importer: Importer, store: CatalogStore
) -> None:
    record = await apply(importer, SHOP)
    assert (record.state, record.version) == ("applied", 1)
    assert record.rows.rows == 3
    assert await _prices(store) == {"A-1": "5", "A-2": "6", "B-1": "7"}
    assert {p.version for p in (await store.load()).products} == {1}


async def test_the_same_file_twice_changes_nothing(importer: Importer, store: CatalogStore) -> None:
    await apply(importer, SHOP)
    again = await apply(importer, SHOP)
    assert (again.state, again.version, again.rows) == ("applied", 1, Counts(unchanged=3))
    assert await store.version() == 1


BAD = table("A,A-1,Lamp,5,3", "A,A-2,,free,0", "B,B-1,Chair,7,1", "C,b-1 ,Desk,9,1")


async def test_all_or_nothing_means_nothing_when_a_row_is_wrong(
    importer: Importer, store: CatalogStore, redis: Redis
) -> None:
    record = await apply(importer, BAD)
    assert (record.state, record.error_code, record.errors) == ("refused", "rows_refused", 2)
    assert await store.is_empty()
    assert await redis.hlen(store.keys.records) == 0


async def test_partial_lets_sound_rows_in_and_names_the_others(
    importer: Importer, store: CatalogStore
) -> None:
    record = await apply(importer, BAD, mode="partial")
    assert (record.state, record.rows) == ("applied", Counts(created=2, refused=2))
    assert await _prices(store) == {"A-1": "5", "B-1": "7"}
    errors = await importer.records.errors(record.id)
    assert [(e.line, e.sku, e.column, e.value) for e in errors] == [
        (3, "A-2", "price", "free"),
        (5, "b-1", "sku", "b-1"),
    ]
    assert errors[1].reason == "the SKU occurs before, in line 4, written 'B-1' there"
    assert all(error.fix for error in errors)


async def test_a_mark_at_the_front_a_bad_price_and_a_repeated_sku_are_all_handled(
    importer: Importer,
) -> None:
    record = await apply(importer, b"\xef\xbb\xbf" + BAD.encode(), mode="partial")
    assert record.detected is not None
    assert record.detected.encoding == "UTF-8 with BOM"
    assert (record.rows.created, record.errors) == (2, 2)


async def test_a_price_list_by_sku_finds_the_products_that_sell_them(
    importer: Importer, store: CatalogStore
) -> None:
    await store.put(demo_products(), actor="setup")
    text = "sku,price\nshirt-oxf-blk-m,44.00\nSHIRT-OXF-WHT-S,45.00\nBEA-ESS-ESS-001,8.00\n"
    record = await apply(importer, text)
    assert (record.rows, record.products) == (Counts(updated=3), Counts(updated=2))
    prices = await _prices(store)
    assert (prices["SHIRT-OXF-BLK-M"], prices["SHIRT-OXF-WHT-S"]) == ("44.00", "45.00")
    assert len(prices) == sum(len(p.variants) for p in demo_products())


async def test_a_sku_of_another_product_is_refused(importer: Importer, store: CatalogStore) -> None:
    await store.put([product("X", variant("X-1")), product("Y", variant("Y-1"))], actor="ann")
    record = await apply(importer, table("X,X-1,x,5,1", "X,y-1,,6,1"), mode="partial")
    error = (await importer.records.errors(record.id))[0]
    assert (error.line, error.reason) == (3, "the SKU belongs to product Y")
    assert record.rows == Counts(updated=1, refused=1)


async def test_a_file_never_removes_what_it_does_not_name(
    importer: Importer, store: CatalogStore
) -> None:
    await store.put([product("A", variant("A-1"), variant("A-9")), product("Z")], actor="ann")
    await apply(importer, SHOP)
    assert (await _prices(store)).keys() == {"A-1", "A-2", "A-9", "B-1", "Z"}


async def test_a_full_sync_makes_the_catalogue_what_the_file_says(
    importer: Importer, store: CatalogStore
) -> None:
    old = [product("A", variant("A-1"), variant("A-9")), product("Z"), product("B-1")]
    await store.put(old, actor="ann")
    record = await apply(importer, SHOP, sync=True, max_removed=0.5)
    assert (record.state, record.products.removed) == ("applied", 1)
    assert await _prices(store) == {"A-1": "5", "A-2": "6", "B-1": "7"}


async def test_a_full_sync_that_removes_too_much_waits_for_confirmation(
    importer: Importer, store: CatalogStore
) -> None:
    await store.put([product(f"P{n}") for n in range(10)], actor="ann")
    text = "sku,price\n" + "".join(f"P{n},5\n" for n in range(7))
    for _ in range(2):
        record = await importer.preview(await receive(importer, text, sync=True))
        assert (record.error_code, record.products.removed) == ("too_many_removals", 3)
    assert (await apply(importer, text, sync=True)).state == "failed"
    assert await store.version() == 1
    record = await apply(importer, text, sync=True, confirmed=True)
    assert (record.state, len(await store.versions())) == ("applied", 7)


async def test_a_full_sync_with_a_wrong_row_removes_nothing(
    importer: Importer, store: CatalogStore
) -> None:
    await store.put([product("A"), product("B")], actor="ann")
    record = await apply(importer, "sku,price\nA,5\nB,oops\n", sync=True, confirmed=True)
    assert record.state == "refused"
    assert (await store.versions()) == {"A": 1, "B": 1}
    with pytest.raises(ValueError, match="as a whole"):
        await receive(importer, SHOP, sync=True, mode="partial")


async def test_an_undo_puts_back_what_was_created_changed_and_removed(
    importer: Importer, store: CatalogStore
) -> None:
    await store.put([product("A", variant("A-1", "1")), product("Z")], actor="ann")
    before = (await store.load()).products
    done = await apply(importer, SHOP, sync=True, confirmed=True)
    undone = await importer.undo(done.id, actor="bob")
    assert (undone.state, undone.kept, undone.undone_by) == ("undone", 0, "bob")
    assert undone.undo_version == 3
    after = (await store.load()).products
    assert [replace(p, version=0) for p in after] == [replace(p, version=0) for p in before]


async def test_an_undo_leaves_alone_what_someone_changed_since(
    importer: Importer, store: CatalogStore
) -> None:
    done = await apply(importer, SHOP)
    await store.put([product("B", variant("B-1", "99"))], actor="bob")
    undone = await importer.undo(done.id, actor="ann")
    assert (undone.state, undone.kept) == ("undone", 1)
    assert await _prices(store) == {"B-1": "99"}


async def test_an_undo_leaves_alone_a_product_whose_sku_went_elsewhere(
    importer: Importer, store: CatalogStore
) -> None:
    await store.put([product("A", variant("A-1")), product("B", variant("B-1"))], actor="ann")
    done = await apply(importer, "sku,price\nB-1,7\n", sync=True, confirmed=True)
    await store.put([product("N", variant("A-1"))], actor="bob")
    undone = await importer.undo(done.id, actor="ann")
    assert (undone.state, undone.kept) == ("undone", 1)
    assert await _prices(store) == {"A-1": "9.99", "B-1": "9.99"}


async def test_what_was_undone_can_be_applied_and_undone_again(
    importer: Importer, store: CatalogStore
) -> None:
    done = await apply(importer, SHOP)
    with pytest.raises(ImportBusyError):
        await importer.apply(done.id)
    await importer.undo(done.id, actor="ann")
    with pytest.raises(ImportBusyError):
        await importer.undo(done.id, actor="ann")
    assert (await importer.apply(done.id)).state == "applied"
    assert (await importer.undo(done.id, actor="ann")).state == "undone"
    assert await store.versions() == {}


async def test_an_edit_in_the_middle_of_an_import_is_kept_with_the_import_on_top(
    importer: Importer, store: CatalogStore, redis_url: str
) -> None:
    await store.put([product("A", variant("A-1", "1")), product("B", variant("B-1"))], actor="ann")

    async def edit(other: CatalogStore) -> None:
        lamp = product("A", variant("A-1", "2"))
        await other.put([replace(lamp, brand="Acme")], actor="bob")

    record = await apply(importer, SHOP, meanwhile(redis_url, edit))
    assert (record.state, record.version) == ("applied", 3)
    lamp = await store.get("A")
    assert lamp is not None
    assert (lamp.brand, str(lamp.variants[0].price.amount)) == ("Acme", "5")


async def test_a_sku_that_is_taken_in_the_middle_of_an_import_is_refused(
    importer: Importer, store: CatalogStore, redis_url: str
) -> None:
    async def edit(other: CatalogStore) -> None:
        await other.put([product("N", variant("a-2"))], actor="bob")

    refused = await apply(importer, SHOP, meanwhile(redis_url, edit))
    assert (refused.state, await store.versions()) == ("refused", {"N": 1})
    await store.delete(["N"], actor="bob")
    record = await apply(importer, SHOP, meanwhile(redis_url, edit), mode="partial")
    assert (record.state, record.rows) == ("applied", Counts(created=2, refused=1))
    assert await _prices(store) == {"a-2": "9.99", "A-1": "5", "B-1": "7"}


async def test_an_undo_in_which_someone_edits_leaves_their_edit(
    importer: Importer, store: CatalogStore
) -> None:
    text = table(*(f"P{n},P{n},Lamp,5,1" for n in range(300)))
    done = await apply(importer, text)
    edits = [
        store.put([product(f"P{n}", variant(f"P{n}", "77"))], actor="bob") for n in range(0, 300, 7)
    ]
    await asyncio.gather(importer.undo(done.id, actor="ann"), *edits)
    assert (await importer.records.get(done.id)).state == "undone"
    prices = await _prices(store)
    assert {sku for sku, price in prices.items() if price == "77"} == {
        f"P{n}" for n in range(0, 300, 7)
    }
    assert all(price == "77" for price in prices.values())


async def test_two_imports_at_once_both_go_in_whole(
    importer: Importer, store: CatalogStore
) -> None:
    one = table(*(f"P{n},P{n},Lamp,1,1" for n in range(400)))
    two = table(*(f"P{n},P{n},Lamp,2,1" for n in range(200, 600)))
    records = await asyncio.gather(apply(importer, one), apply(importer, two))
    assert [record.state for record in records] == ["applied", "applied"]
    assert all(record.rows.rows == 400 for record in records)
    prices = await _prices(store)
    assert len(prices) == 600
    assert len({prices[f"P{n}"] for n in range(200, 400)}) == 1
    assert {prices[f"P{n}"] for n in range(200)} == {"1"}


async def test_one_import_is_worked_on_by_one_at_a_time(importer: Importer) -> None:
    import_id = await receive(importer, table(*(f"P{n},P{n},Lamp,5,1" for n in range(500))))
    outcomes = await asyncio.gather(
        *(importer.apply(import_id) for _ in range(3)), return_exceptions=True
    )
    assert sorted(type(o).__name__ for o in outcomes) == [
        "ImportBusyError",
        "ImportBusyError",
        "ImportRecord",
    ]


async def test_an_import_that_is_cancelled_leaves_nothing_and_can_be_applied(
    importer: Importer, store: CatalogStore, redis: Redis
) -> None:
    import_id = await receive(importer, table(*(f"P{n},P{n},Lamp,5,1" for n in range(2000))))
    reached = asyncio.Event()
    task = asyncio.create_task(importer.apply(import_id, lambda _: reached.set()))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    record = await importer.records.get(import_id)
    assert (record.state, record.error_code) == ("failed", "interrupted")
    assert (await store.is_empty(), await redis.hlen(store.keys.records)) == (True, 0)
    assert (await importer.apply(import_id)).state == "applied"
    assert await redis.hlen(store.keys.records) == 2000


async def test_a_file_that_cannot_be_read_is_told_in_the_record(importer: Importer) -> None:
    unknown = await importer.preview(await receive(importer, "a,b\n1,2\n"))
    assert (unknown.state, unknown.error_code) == ("received", "not_a_catalogue")
    bare = await importer.preview(await receive(importer, SHOP, currency=None))
    assert bare.error_code == "currency_unknown"
    assert bare.detected is not None
    assert (await apply(importer, SHOP, currency=None)).state == "failed"


async def test_an_upload_over_the_limit_is_refused_before_it_is_kept(
    redis: Redis, store: CatalogStore
) -> None:
    small = Importer(redis, store, ImporterConfig(Limits(max_bytes=1000)))
    with pytest.raises(FileError):
        await receive(small, "x" * 1001)
    assert [key async for key in redis.scan_iter("*:file")] == []


async def test_imports_are_listed_newest_first(importer: Importer) -> None:
    ids = [await receive(importer, SHOP) for _ in range(3)]
    listed = await importer.records.latest(2)
    assert {record.id for record in listed} < set(ids)
    assert [record.actor for record in listed] == ["ann", "ann"]
    with pytest.raises(ImportUnknownError):
        await importer.apply("nothing")


async def test_every_row_of_a_file_is_counted_once_whatever_is_in_it(
    importer: Importer, store: CatalogStore
) -> None:
    await store.put(demo_products()[:20], actor="setup")
    text = (
        "product_id,sku,title,price,stock\n"
        "SHIRT-OXF,SHIRT-OXF-WHT-S,,48,1\nSHIRT-OXF,SHIRT-OXF-BLK-M,,49.00,12\n"
        "N1,N1,New,5,1\nN2,N2,,5,1\nN3,N3,x,oops,1\nN4,n1,x,5,1\nN5,N5\n"
        ",,x,5,1\nN6,BEA-ESS-ESS-001,x,5,1\n"
    )
    record = await apply(importer, text, mode="partial")
    assert record.detected is not None
    assert record.rows.rows == record.detected.rows == 9
    assert record.rows.refused == len(
        {error.line for error in await importer.records.errors(record.id)}
    )


async def test_what_a_preview_promises_is_what_an_apply_does(
    importer: Importer, store: CatalogStore
) -> None:
    await store.put(demo_products(), actor="setup")
    promised: dict[str, Product | None] = {}

    def note(change: Change) -> None:
        promised[change.product_id] = change.new

    import_id = await receive(importer, SHOP + "SHIRT-OXF,SHIRT-OXF-WHT-S,,48,1\n")
    preview = await importer.preview(import_id, note)
    done = await importer.apply(import_id)
    assert (done.rows, done.products) == (preview.rows, preview.products)
    found = await store.get_many(list(promised))
    assert {i: replace(p, version=0) for i, p in found.items()} == {
        i: p and replace(p, version=0) for i, p in promised.items()
    }
