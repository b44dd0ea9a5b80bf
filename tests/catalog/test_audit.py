"""A product's history says who changed what, when and why."""

from datetime import UTC, datetime

from catalog.audit import history
from catalog.store import CatalogStore, StoreConfig
from tests.catalog.make import product


async def test_every_change_is_logged_with_its_author_and_values(store: CatalogStore) -> None:
    began = datetime.now(UTC)
    await store.put([product("a", price="5")], actor="ann")
    await store.put([product("a", price="6")], actor="bob 李", cause="import:7")
    await store.delete(["a"], actor="cid")
    entries = await history(store, "a")
    assert [(e.version, e.actor, e.cause) for e in entries] == [
        (3, "cid", "delete"),
        (2, "bob 李", "import:7"),
        (1, "ann", "edit"),
    ]
    assert [(c.field, c.old, c.new) for e in entries for c in e.changes] == [
        ("product", "A thing", None),
        ("price", "5 USD", "6 USD"),
        ("product", None, "A thing"),
    ]
    assert entries[0].product is None
    assert all(abs((e.at - began).total_seconds()) < 60 for e in entries)


async def test_a_product_that_never_was_has_no_history(store: CatalogStore) -> None:
    assert await history(store, "a") == []


async def test_a_history_that_was_cut_still_says_what_is_left(store: CatalogStore) -> None:
    short = CatalogStore(store.redis, StoreConfig(history=2))
    for price in "1234":
        await short.put([product("a", price=price)], actor="ann")
    entries = await history(short, "a")
    assert [entry.version for entry in entries] == [4, 3]
    assert [(c.field, c.new) for c in entries[0].changes] == [("price", "4 USD")]


async def test_a_product_that_comes_back_goes_on_with_its_history(store: CatalogStore) -> None:
    await store.put([product("a")], actor="ann")
    await store.delete(["a"], actor="ann")
    await store.put([product("a")], actor="ann")
    assert [entry.product is None for entry in await history(store, "a")] == [False, True, False]
