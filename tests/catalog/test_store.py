"""Writes to the catalogue happen wholly or not at all, and readers see only whole ones."""

import asyncio
import json
from decimal import Decimal

import pytest
from redis.asyncio import Redis

from catalog.demo import demo_products
from catalog.keys import pairs, text
from catalog.product import Money, Product, Variant
from catalog.store import (
    CatalogStore,
    ConflictError,
    InvalidProductError,
    SkuTakenError,
    StoreConfig,
    Write,
)
from tests.catalog.make import product, variant


async def test_an_untouched_catalogue_is_empty_and_an_emptied_one_is_not(
    store: CatalogStore,
) -> None:
    assert await store.is_empty()
    assert await store.load() == await store.load()
    await store.put([product("a")], actor="ann")
    await store.delete(["a"], actor="ann")
    assert (await store.load()).products == ()
    assert not await store.is_empty()


async def test_what_was_put_is_loaded_with_its_version(store: CatalogStore) -> None:
    version = await store.put(demo_products(), actor="setup")
    snapshot = await store.load()
    assert (version, snapshot.version) == (1, 1)
    assert {p.id for p in snapshot.products} == {p.id for p in demo_products()}
    assert {p.version for p in snapshot.products} == {1}
    mascara = await store.get("BEA-ESS-ESS-001")
    assert mascara is not None
    assert mascara.variants[0].price == Money(Decimal("9.99"), "USD")


async def test_each_write_makes_one_version_and_only_its_products_carry_it(
    store: CatalogStore,
) -> None:
    await store.put([product("a"), product("b")], actor="ann")
    assert await store.put([product("b", price="8")], actor="ann") == 2
    assert await store.versions() == {"a": 1, "b": 2}
    assert await store.put([], actor="ann") == 2
    assert await store.delete(["nothing"], actor="ann") == 2


async def test_a_product_is_found_by_its_sku_however_it_is_typed(store: CatalogStore) -> None:
    await store.put([product("a", variant("SKU-0100"))], actor="ann")
    for spelling in ("SKU-0100 ", "sku-0100", "ＳＫＵ-０１００", "SKU -0100"):
        found = await store.by_sku(spelling)
        assert found is not None
        assert found.id == "a"
    assert await store.by_sku("SKU-100") is None


async def test_a_stale_editor_is_told_and_nothing_is_written(store: CatalogStore) -> None:
    await store.put([product("a"), product("b")], actor="ann")
    await store.put([product("a", price="8")], actor="ann", expected={"a": 1})
    with pytest.raises(ConflictError) as caught:
        await store.put([product("b", price="7"), product("a")], actor="bob", expected={"a": 1})
    assert (caught.value.expected, caught.value.actual) == (1, {"a": 2})
    assert await store.versions() == {"a": 2, "b": 1}


async def test_the_same_editor_can_save_again_and_again(store: CatalogStore) -> None:
    version = 0
    for price in ("1", "2", "3"):
        version = await store.put([product("a", price=price)], actor="ann", expected={"a": version})
    assert version == 3


async def test_of_two_who_create_the_same_product_one_wins(store: CatalogStore) -> None:
    puts = [store.put([product("a")], actor=name, expected={"a": 0}) for name in ("ann", "bob")]
    outcomes = await asyncio.gather(*puts, return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["ConflictError", "int"]
    assert await store.version() == 1


async def test_a_stale_delete_is_refused(store: CatalogStore) -> None:
    await store.put([product("a")], actor="ann")
    await store.put([product("a", price="8")], actor="ann")
    with pytest.raises(ConflictError):
        await store.delete(["a"], actor="bob", expected={"a": 1})
    assert await store.get("a") is not None


async def test_two_products_cannot_sell_one_sku(store: CatalogStore) -> None:
    await store.put([product("a", variant("X1"))], actor="ann")
    with pytest.raises(SkuTakenError) as caught:
        await store.put([product("b"), product("c", variant("x1 "[:2]))], actor="ann")
    assert (caught.value.sku, caught.value.product_id) == ("x1", "a")
    with pytest.raises(SkuTakenError):
        await store.put([product("d", variant("Y")), product("e", variant("y"))], actor="ann")
    assert await store.versions() == {"a": 1}


async def test_a_sku_can_move_between_products_in_one_write(store: CatalogStore) -> None:
    await store.put([product("a", variant("X"), variant("Y"))], actor="ann")
    await store.put([product("a", variant("Y")), product("b", variant("X"))], actor="ann")
    moved = await store.by_sku("X")
    assert moved is not None
    assert moved.id == "b"


async def test_a_deleted_products_sku_is_free_again(store: CatalogStore) -> None:
    await store.put([product("a", variant("X"))], actor="ann")
    await store.delete(["a"], actor="ann")
    assert await store.by_sku("X") is None
    await store.put([product("b", variant("X"))], actor="ann")


@pytest.mark.parametrize(
    "broken",
    [
        product(""),
        product("a\n"),
        product("a", title="  "),
        product("a", variant("X", price="-1")),
        product("a", variant("X", price="NaN")),
        product("a", Variant("X", Money(Decimal(1), "dollar"))),
        product("a", Variant("X", Money(Decimal(1), "ABC"))),
        product("6.93E+12"),
        product("a", variant("6,93e12")),
        product("a", Variant("X", Money(Decimal(1), "USD"), gtin="6.93E+12")),
        product("a", Variant("X", Money(Decimal(1), "USD"), (("", "black"),))),
        product("a", variant("X"), variant(" x".strip())),
        product("a", variant("X", stock=-1)),
        product("a", title="\ud800"),
        product("a", title="x" * 20_001),
    ],
)
async def test_what_no_shop_can_sell_does_not_enter(
    store: CatalogStore,
    broken: Product,
) -> None:
    with pytest.raises(InvalidProductError):
        await store.put([product("sound"), broken], actor="ann")
    assert await store.is_empty()


async def test_a_product_may_occur_only_once_in_a_write(store: CatalogStore) -> None:
    with pytest.raises(ValueError, match="only once"):
        await store.put([product("a"), product("a")], actor="ann")
    with pytest.raises(ValueError, match="only once"):
        await store.write(Write("ann", [product("a")], ["a"]))


async def test_a_write_goes_on_after_redis_forgot_the_script(store: CatalogStore) -> None:
    await store.put([product("a")], actor="ann")
    await store.redis.script_flush()
    assert await store.put([product("b")], actor="ann") == 2


async def test_every_write_is_announced_in_the_stream(store: CatalogStore, redis: Redis) -> None:
    await store.put([product("a"), product("b")], actor="ann")
    await store.delete(["b"], actor="bob")
    events = [
        (text(i), pairs((fields or {}).items()))
        for i, fields in await redis.xrange(store.keys.changes) or []
        if i is not None
    ]
    assert [(i, json.loads(f["ids"]), json.loads(f["meta"])["actor"]) for i, f in events] == [
        ("1-0", ["a", "b"], "ann"),
        ("2-0", ["b"], "bob"),
    ]


async def test_a_write_whose_answer_was_lost_is_not_done_twice(store: CatalogStore) -> None:
    write = Write("ann", [product("a")], expected={"a": 0}, token="the same")
    assert await store.write(write) == 1
    await store.put([product("b")], actor="bob")
    assert await store.write(write) == 1
    assert await store.versions() == {"a": 1, "b": 2}


async def test_every_product_that_someone_changed_first_is_named(store: CatalogStore) -> None:
    await store.put([product(i) for i in "abc"], actor="ann")
    await store.put([product(i) for i in "bc"], actor="ann")
    with pytest.raises(ConflictError) as caught:
        await store.put([product(i) for i in "abc"], actor="bob", expected=dict.fromkeys("abc", 1))
    assert caught.value.actual == {"b": 2, "c": 2}


async def test_only_the_last_changes_of_a_product_are_kept(redis: Redis) -> None:
    store = CatalogStore(redis, StoreConfig(history=3))
    for price in range(1, 9):
        await store.put([product("a", price=str(price))], actor="ann")
    lines = (await store.read("history", ["a"]))["a"].split("\n")
    assert [line.split(" ")[0] for line in lines] == ["8", "7", "6"]
    assert await redis.hlen(store.keys.records) == 3


async def test_readers_never_see_half_a_write(store: CatalogStore) -> None:
    async def change() -> None:
        for price in range(1, 60):
            await store.put([product(i, price=str(price)) for i in "ab"], actor="ann")

    await store.put([product(i) for i in "ab"], actor="ann")
    writer = asyncio.create_task(change())
    seen: list[set[str]] = []
    while not writer.done():
        found = await store.get_many(["a", "b"])
        seen.append({str(p.variants[0].price.amount) for p in found.values()})
    await writer
    assert len(seen) > 10
    assert all(len(prices) == 1 for prices in seen)
