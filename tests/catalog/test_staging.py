"""What is being prepared is seen by nobody, and then by everybody at once."""

import random

import pytest
from redis.asyncio import Redis

from catalog.audit import history
from catalog.import_records import ImportOptions, ImportRecords
from catalog.product import Product
from catalog.skus import sku_key
from catalog.staging import Staging
from catalog.store import CatalogStore, ConflictError, SkuTakenError, StaleImportError
from tests.catalog.make import product, variant


async def _pause(_: int) -> None:
    """Nothing else goes on in these tests."""


class Import:
    """One import, step by step."""

    def __init__(self, store: CatalogStore, redis: Redis) -> None:
        self._store, self._records = store, ImportRecords(redis)
        self.staging: Staging

    async def begin(self, *products: Product, expected: int = 0) -> "Import":
        """Stage some products."""
        import_id = await self._records.create("imp", "x.csv", ImportOptions())
        token = await self._records.claim(import_id, "storing", ("received",))
        self.staging = Staging(self._store, self._records, import_id, token)
        for made in products:
            await self.staging.add(made, expected)
        return self

    async def prepare(self) -> None:
        """Lay everything ready, as a commit does before its last step."""
        await self.staging._flush()
        await self.staging._prepare_all('{"actor":"imp","cause":"import"}', _pause)

    async def commit(self) -> int:
        """Show it."""
        return await self.staging.commit("imp", "import:x", _pause)


async def _sound(store: CatalogStore) -> dict[str, Product]:
    """Every product, after looking whether all that is said of it elsewhere agrees."""
    products = {p.id: p for p in (await store.load()).products}
    assert await store.versions() == {i: p.version for i, p in products.items()}
    owners: dict[str, str] = {}
    for p in products.values():
        for v in p.variants:
            assert owners.setdefault(sku_key(v.sku), p.id) == p.id
        assert (await history(store, p.id))[0].version == p.version
    assert await store.owners([f"s{n}" for n in range(9)] + list(owners)) == owners
    return products


async def test_what_is_prepared_is_not_seen_until_it_is_committed(
    store: CatalogStore, redis: Redis
) -> None:
    await store.put([product("a", variant("s1"))], actor="ann")
    an_import = await Import(store, redis).begin(product("b", variant("s2")))
    await an_import.staging.add(product("a", variant("s1", "1"), variant("s3")), 1)
    await an_import.prepare()
    assert set(await _sound(store)) == {"a"}
    assert await store.by_sku("s2") is None
    assert [entry.actor for entry in await history(store, "a")] == ["ann"]
    assert await an_import.commit() == 2
    products = await _sound(store)
    assert {i: p.version for i, p in products.items()} == {"a": 2, "b": 2}
    assert [entry.actor for entry in await history(store, "a")] == ["imp", "ann"]


async def test_a_commit_that_is_asked_for_twice_is_done_once(
    store: CatalogStore, redis: Redis
) -> None:
    an_import = await Import(store, redis).begin(product("a"))
    assert await an_import.commit() == await an_import.commit() == await store.version() == 1


async def test_an_import_that_was_taken_over_cannot_commit(
    store: CatalogStore, redis: Redis
) -> None:
    an_import = await Import(store, redis).begin(product("a"))
    await an_import.prepare()
    records = ImportRecords(redis, lease_s=0)
    await records.claim(an_import.staging.import_id, "storing", ("storing",))
    with pytest.raises(StaleImportError):
        await an_import.commit()
    assert await store.is_empty()


async def test_an_edit_after_the_preparing_stays_and_is_named(
    store: CatalogStore, redis: Redis
) -> None:
    await store.put([product(i, variant(f"s{i}")) for i in "123"], actor="ann")
    an_import = await Import(store, redis).begin(
        *(product(i, variant(f"s{i}", "5")) for i in "123"), expected=1
    )
    await an_import.prepare()
    await store.put([product("2", variant("s2", "7"))], actor="bob")
    with pytest.raises(ConflictError) as conflict:
        await an_import.commit()
    assert conflict.value.actual == {"2": 2}
    an_import.staging.drop("2")
    await an_import.commit()
    prices = {i: str(p.variants[0].price.amount) for i, p in (await _sound(store)).items()}
    assert prices == {"1": "5", "2": "7", "3": "5"}


async def test_a_delete_after_the_preparing_is_named_too(store: CatalogStore, redis: Redis) -> None:
    await store.put([product("1", variant("s1"))], actor="ann")
    an_import = await Import(store, redis).begin(product("1", variant("s1", "5")), expected=1)
    await an_import.prepare()
    await store.delete(["1"], actor="bob")
    with pytest.raises(ConflictError) as conflict:
        await an_import.commit()
    assert conflict.value.actual == {"1": 0}
    assert await _sound(store) == {}


async def test_skus_may_move_inside_an_import_in_any_order(
    store: CatalogStore, redis: Redis
) -> None:
    await store.put(
        [product("a", variant("s1")), product("b", variant("s2")), product("c", variant("s3"))],
        actor="ann",
    )
    an_import = await Import(store, redis).begin(
        product("b", variant("s1")), product("a", variant("s2")), expected=1
    )
    an_import.staging.remove("c")
    await an_import.staging.add(product("d", variant("s3")), 0)
    await an_import.commit()
    products = await _sound(store)
    assert {i: p.variants[0].sku for i, p in products.items()} == {"a": "s2", "b": "s1", "d": "s3"}


async def test_a_sku_that_its_product_keeps_cannot_be_taken(
    store: CatalogStore, redis: Redis
) -> None:
    await store.put([product("a", variant("s1"))], actor="ann")
    an_import = await Import(store, redis).begin(product("b", variant("s1")))
    with pytest.raises(SkuTakenError) as taken:
        await an_import.commit()
    assert (taken.value.sku, taken.value.product_id) == ("s1", "a")
    an_import.staging.drop("b")
    await an_import.staging.add(product("b", variant("s2")), 0)
    await an_import.commit()
    assert set(await _sound(store)) == {"a", "b"}


async def test_a_sku_that_someone_takes_after_the_preparing_is_theirs(
    store: CatalogStore, redis: Redis
) -> None:
    an_import = await Import(store, redis).begin(product("a", variant("s1")))
    await an_import.prepare()
    await store.put([product("b", variant("s1"))], actor="bob")
    with pytest.raises(ConflictError) as conflict:
        await an_import.commit()
    assert list(conflict.value.actual) == ["a"]
    an_import.staging.drop("a")
    await an_import.staging.add(product("a", variant("s2")), 0)
    await an_import.commit()
    assert set(await _sound(store)) == {"a", "b"}


async def test_an_import_that_died_is_in_nobodys_way(store: CatalogStore, redis: Redis) -> None:
    await store.put([product("a", variant("s1"))], actor="ann")
    dead = await Import(store, redis).begin(product("b", variant("s2")))
    await dead.staging.add(product("a", variant("s3")), 1)
    await dead.prepare()
    await store.put([product("c", variant("s2"), variant("s3"))], actor="bob")
    alive = await Import(store, redis).begin(product("a", variant("s1", "4")), expected=1)
    await alive.commit()
    assert set(await _sound(store)) == {"a", "c"}


async def test_of_two_imports_of_one_product_the_slower_plans_anew(
    store: CatalogStore, redis: Redis
) -> None:
    one = await Import(store, redis).begin(product("a", variant("s1", "1")), product("b"))
    two = await Import(store, redis).begin(product("a", variant("s1", "2")))
    await one.prepare()
    await two.prepare()
    with pytest.raises(ConflictError) as conflict:
        await one.commit()
    assert list(conflict.value.actual) == ["a"]
    assert await two.commit() == 1
    one.staging.drop("a")
    await one.staging.add(product("a", variant("s1", "1")), 1)
    assert await one.commit() == 2
    assert set(await _sound(store)) == {"a", "b"}


@pytest.mark.parametrize("seed", range(6))
async def test_edits_and_imports_in_any_order_leave_a_sound_catalogue(
    store: CatalogStore, redis: Redis, seed: int
) -> None:
    chance = random.Random(seed)
    running: list[Import] = []

    def some_product(i: str) -> Product:
        skus = chance.sample(range(9), chance.randint(1, 3))
        return product(i, *(variant(f"s{n}", str(chance.randint(1, 99))) for n in skus))

    for _ in range(120):
        i = chance.choice("abcdef")
        version = (await store.versions()).get(i, 0)
        action = chance.choice(["put", "delete", "begin", "add", "remove", "drop", "commit"])
        try:
            if action == "put":
                await store.put([some_product(i)], actor="ann", expected={i: version})
            elif action == "delete":
                await store.delete([i], actor="ann")
            elif action == "begin" and len(running) < 3:
                running.append(await Import(store, redis).begin())
            elif running:
                await _step(chance.choice(running), action, i, some_product(i), version, running)
        except (ConflictError, SkuTakenError):
            continue
        await _sound(store)


async def _step(
    an_import: Import, action: str, i: str, made: Product, version: int, running: list[Import]
) -> None:
    staging = an_import.staging
    if action == "add":
        await staging.add(made, version)
        await an_import.prepare()
    elif action == "remove":
        staging.remove(i, version)
    elif action == "drop":
        staging.drop(i)
    elif action == "commit" and staging.items:
        try:
            await an_import.commit()
            running.remove(an_import)
        except ConflictError as conflict:
            for product_id in conflict.actual:
                staging.drop(product_id)
            raise
        except SkuTakenError as taken:
            for product_id in [x for x, s in staging.items.items() if taken.has_key(s.sku_keys)]:
                staging.drop(product_id)
            raise
