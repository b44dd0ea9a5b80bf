"""Every follower ends up with the catalogue as it is, whatever happens on the way."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import pytest
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from catalog.changes import CatalogChange, ChangeFeed, FeedConfig, Follower
from catalog.product import Product
from catalog.store import CatalogStore, Snapshot, Write
from tests.catalog.make import product

QUICK = FeedConfig(idle_s=0.05, backoff_s=0.01, backoff_max_s=0.05)


class Replica:
    """A catalogue in memory that follows the stored one."""

    def __init__(self, store: CatalogStore, config: FeedConfig = QUICK) -> None:
        self.products: dict[str, Product] = {}
        self.changes: list[CatalogChange] = []
        self._changed = asyncio.Condition()
        self.feed = ChangeFeed(store, self._apply, config)

    async def _apply(self, change: CatalogChange) -> None:
        self.changes.append(change)
        self.products |= {p.id: p for p in change.upserts}
        for product_id in change.removed:
            self.products.pop(product_id, None)
        async with self._changed:
            self._changed.notify_all()

    async def reached(self, version: int) -> None:
        """Wait until it has `version`."""
        async with asyncio.timeout(20):
            await self.feed.reached(version)

    async def agrees(self, ready: Callable[[], bool]) -> None:
        """Wait until `ready`, looking after every change."""
        async with asyncio.timeout(20), self._changed:
            await self._changed.wait_for(ready)

    @property
    def prices(self) -> dict[str, str]:
        """By product id."""
        return {i: str(p.variants[0].price.amount) for i, p in self.products.items()}


@asynccontextmanager
async def following(
    store: CatalogStore, start: Snapshot | None = None, config: FeedConfig = QUICK
) -> AsyncIterator[Replica]:
    """A replica that follows from `start`, or from now."""
    replica = Replica(store, config)
    snapshot = start or await store.load()
    replica.products = {p.id: p for p in snapshot.products}
    task = asyncio.create_task(replica.feed.run(snapshot))
    try:
        yield replica
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_edits_and_deletes_arrive_in_order(store: CatalogStore) -> None:
    await store.put([product("a", price="1"), product("b", price="1")], actor="ann")
    async with following(store) as replica:
        await store.put([product("a", price="2")], actor="ann")
        await replica.reached(2)
        assert replica.prices == {"a": "2", "b": "1"}
        await store.put([product("c", price="3")], actor="ann")
        await store.delete(["b"], actor="ann")
        await replica.reached(4)
        assert replica.prices == {"a": "2", "c": "3"}
        assert [c.version for c in replica.changes] == sorted(c.version for c in replica.changes)
        assert all(change.written_at > 0 for change in replica.changes)


async def test_what_was_written_between_loading_and_following_is_not_missed(
    store: CatalogStore,
) -> None:
    await store.put([product("a", price="1")], actor="ann")
    start = await store.load()
    await store.put([product("a", price="2"), product("b", price="2")], actor="ann")
    async with following(store, start) as replica:
        await replica.reached(2)
        assert replica.prices == {"a": "2", "b": "2"}


async def test_a_follower_of_an_empty_catalogue_sees_its_first_products(
    store: CatalogStore,
) -> None:
    async with following(store) as replica:
        await store.put([product("a", price="1")], actor="ann")
        await replica.reached(1)
        assert replica.prices == {"a": "1"}


async def test_a_large_write_arrives_whole(store: CatalogStore) -> None:
    await store.put([product("old"), product("gone")], actor="ann")
    async with following(store) as replica:
        many = [product(f"p{n}", price="5") for n in range(1500)]
        await store.write(Write("ann", many, ["gone"]))
        await replica.reached(2)
        assert replica.products.keys() == {"old"} | {p.id for p in many}
        assert len(replica.changes) == 1


async def test_a_gap_in_the_stream_is_bridged(store: CatalogStore, redis: Redis) -> None:
    await store.put([product("a", price="1"), product("b")], actor="ann")
    start = await store.load()
    for price in "2345":
        await store.put([product("a", price=price)], actor="ann")
    await store.delete(["b"], actor="ann")
    await redis.xtrim(store.keys.changes, maxlen=1, approximate=False)
    async with following(store, start) as replica:
        await replica.reached(6)
        assert replica.prices == {"a": "5"}


async def test_a_catalogue_that_was_emptied_behind_the_feed_is_noticed(
    store: CatalogStore, redis: Redis
) -> None:
    await store.put([product("a")], actor="ann")
    async with following(store) as replica:
        await redis.flushdb()
        await replica.agrees(lambda: replica.products == {})
        await store.put([product("b", price="7")], actor="ann")
        await replica.agrees(lambda: replica.prices == {"b": "7"})


async def test_another_catalogue_with_the_same_versions_is_fetched_whole(
    store: CatalogStore, redis: Redis
) -> None:
    await store.put([product("a", price="1")], actor="ann")
    await store.put([product("b", price="1")], actor="ann")
    start = await store.load()
    await redis.flushdb()
    for price in "234":
        await store.put([product("a", price=price)], actor="bob")
    async with following(store, start) as replica:
        await replica.reached(3)
        assert replica.prices == {"a": "4"}


async def test_two_followers_agree_after_many_writes_at_once(store: CatalogStore) -> None:
    chance = random.Random(7)

    async def edit(number: int) -> None:
        for _ in range(15):
            i = f"p{chance.randrange(20)}"
            if chance.random() < 0.2:
                await store.delete([i], actor=str(number))
            else:
                await store.put([product(i, price=str(chance.randrange(99)))], actor=str(number))

    async with following(store) as one, following(store) as two:
        await asyncio.gather(*(edit(number) for number in range(8)))
        version = await store.version()
        await one.reached(version)
        await two.reached(version)
        truth = {p.id: p for p in (await store.load()).products}
        assert one.products == two.products == truth


async def test_a_lost_connection_is_taken_up_again(store: CatalogStore, redis: Redis) -> None:
    await store.put([product("a", price="1")], actor="ann")
    async with following(store) as replica:
        for price in "234":
            await redis.client_kill_filter(_type="normal", skipme=True)
            await store.put([product("a", price=price)], actor="ann")
        await replica.reached(4)
        assert replica.prices == {"a": "4"}


async def test_waiting_for_events_is_shorter_than_the_clients_patience(
    redis_url: str, redis: Redis
) -> None:
    patient = replace(QUICK, idle_s=30)
    once = Retry(NoBackoff(), 0)
    async with Redis.from_url(redis_url, socket_timeout=1, retry=once) as hasty:
        follower = Follower.at(CatalogStore(hasty), Snapshot(0, ()), patient)
        assert await follower.next() is None
        await CatalogStore(redis).put([product("a", price="1")], actor="ann")
        change = await follower.next()
    assert change is not None
    assert [p.id for p in change.upserts] == ["a"]


async def test_a_feed_that_is_cancelled_ends(store: CatalogStore) -> None:
    for _ in range(30):
        replica = Replica(store)
        task = asyncio.create_task(replica.feed.run(await store.load()))
        await store.put([product("a")], actor="ann")
        task.cancel()
        async with asyncio.timeout(10):
            with pytest.raises(asyncio.CancelledError):
                await task
