"""Counts decay, and one shelf follows from them for every replica."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from catalog.pins import Pins
from catalog.store import CatalogStore
from catalog.traffic import Members, Place, Traffic, TrafficConfig
from serving.embedded_redis import EmbeddedRedis, EmbeddedRedisConfig
from tests.catalog.make import product

HOUR = 3600.0
T0 = 1_000_000.0
SMALL = TrafficConfig(places=2, half_life_s=6 * HOUR)


@pytest.fixture
async def shop(store: CatalogStore) -> CatalogStore:
    """Sells six products, a to f."""
    await store.put([product(name) for name in "abcdef"], actor="test")
    return store


def en(name: str) -> Place:
    return Place(name, "en")


def ids(members: Members) -> list[str]:
    return [member.place.product_id for member in members]


def hit(traffic: Traffic, counts: Iterable[tuple[str, float]]) -> None:
    for name, count in counts:
        traffic.hit(en(name), count)


async def test_a_hit_counts_half_after_the_half_life(redis: Redis, shop: CatalogStore) -> None:
    traffic = Traffic(redis, SMALL)
    hit(traffic, [("a", 8)])
    await traffic.exchange(now=T0)
    counts = [(await traffic.exchange(now=T0 + hours * HOUR))[0].count for hours in (6, 12, 15, 18)]
    assert counts == pytest.approx([4, 2, 2**0.5, 1])


async def test_counts_are_the_same_after_their_weights_were_divided(
    redis: Redis, shop: CatalogStore
) -> None:
    traffic = Traffic(redis, SMALL)
    hit(traffic, [("a", 1)])
    await traffic.exchange(now=T0)
    later = T0 + 39.5 * SMALL.half_life_s
    hit(traffic, [("a", 6), ("b", 2)])
    await traffic.exchange(now=later)
    epoch = await redis.hget("{hotshelf}:catalog:shelf", "epoch")
    later += SMALL.half_life_s
    found = await traffic.exchange(now=later)
    assert ids(found) == ["a", "b"]
    assert [m.count for m in found] == pytest.approx([3, 1])
    assert await redis.hget("{hotshelf}:catalog:shelf", "epoch") != epoch
    weight = await redis.zscore("{hotshelf}:catalog:traffic", "en:a")
    assert weight == pytest.approx(3)


async def test_years_without_a_question_leave_nothing(redis: Redis, shop: CatalogStore) -> None:
    traffic = Traffic(redis, SMALL)
    hit(traffic, [("a", 1e9)])
    assert ids(await traffic.exchange(now=T0)) == ["a"]
    assert await traffic.exchange(now=T0 + 10 * 365 * 24 * HOUR) == ()
    assert await redis.zcard("{hotshelf}:catalog:traffic") == 0


async def test_another_half_life_holds_from_now_on(redis: Redis, shop: CatalogStore) -> None:
    old = Traffic(redis, SMALL)
    hit(old, [("a", 8)])
    await old.exchange(now=T0)
    new = Traffic(redis, TrafficConfig(half_life_s=HOUR))
    assert (await new.exchange(now=T0 + 6 * HOUR))[0].count == pytest.approx(4)
    assert (await new.exchange(now=T0 + 7 * HOUR))[0].count == pytest.approx(2)


async def test_a_newcomer_must_be_asked_about_that_much_more(
    redis: Redis, shop: CatalogStore
) -> None:
    traffic = Traffic(redis, SMALL)
    hit(traffic, [("a", 10), ("b", 4), ("c", 4.9)])
    assert ids(await traffic.exchange(now=T0)) == ["a", "c"]
    hit(traffic, [("b", 2.1)])  # 6.1: not a quarter more than 4.9
    assert ids(await traffic.exchange(now=T0 + 1)) == ["a", "c"]
    hit(traffic, [("b", 0.1)])
    assert ids(await traffic.exchange(now=T0 + 2)) == ["a", "b"]


async def test_several_newcomers_displace_the_least_asked(redis: Redis, shop: CatalogStore) -> None:
    traffic = Traffic(redis, TrafficConfig(places=3))
    hit(traffic, [("a", 9), ("b", 2), ("c", 1)])
    await traffic.exchange(now=T0)
    hit(traffic, [("d", 5), ("e", 2.4), ("f", 2.3)])
    assert ids(await traffic.exchange(now=T0 + 1)) == ["a", "d", "b"]


async def test_fewer_places_keep_the_most_asked(redis: Redis, shop: CatalogStore) -> None:
    wide = Traffic(redis, TrafficConfig(places=4))
    hit(wide, [("a", 1), ("b", 4), ("c", 2), ("d", 3)])
    assert ids(await wide.exchange(now=T0)) == ["b", "d", "c", "a"]
    assert ids(await Traffic(redis, SMALL).exchange(now=T0 + 1)) == ["b", "d"]


async def test_pins_are_first_and_stay_unasked_until_they_expire(
    redis: Redis, shop: CatalogStore
) -> None:
    traffic = Traffic(redis, SMALL)
    hit(traffic, [("a", 10), ("b", 5), ("f", 1)])
    await Pins(redis).pin("e", actor="ann", now=T0)
    await Pins(redis).pin("f", actor="ann", seconds=60, now=T0)
    await Pins(redis).pin("gone", actor="ann", now=T0)
    found = await traffic.exchange(now=T0)
    assert [(m.place, m.is_pinned) for m in found] == [(en("f"), True), (en("e"), True)]
    found = await traffic.exchange(now=T0 + 61)
    assert [(m.place, m.is_pinned) for m in found] == [(en("e"), True), (en("a"), False)]
    assert ids(await traffic.exchange(now=T0 + 1000 * HOUR)) == ["e"]


async def test_each_language_of_a_product_has_a_place_of_its_own(
    redis: Redis, shop: CatalogStore
) -> None:
    traffic = Traffic(redis, TrafficConfig(places=3))
    traffic.hit(Place("a", "zh"), 2)
    traffic.hit(en("a"))
    await Pins(redis).pin("a", actor="ann", now=T0)
    found = await traffic.exchange(now=T0)
    assert [(m.place.locale, m.is_pinned) for m in found] == [("en", True), ("zh", False)]


async def test_a_product_that_is_gone_leaves(redis: Redis, shop: CatalogStore) -> None:
    traffic = Traffic(redis, SMALL)
    hit(traffic, [("a", 10), ("b", 5), ("c", 1), ("never", 99)])
    assert ids(await traffic.exchange(now=T0)) == ["a", "b"]
    await Pins(redis).pin("c", actor="ann", now=T0)
    await shop.delete(["a", "c"], actor="test")
    assert ids(await traffic.exchange(now=T0 + 1)) == ["b"]
    assert await redis.zrange("{hotshelf}:catalog:traffic", 0, -1) == [b"en:b"]


async def test_a_decision_stands_for_a_while(redis: Redis, shop: CatalogStore) -> None:
    one, other = Traffic(redis, SMALL), Traffic(redis, SMALL)
    hit(one, [("a", 1)])
    assert ids(await one.exchange(now=T0)) == ["a"]
    hit(other, [("b", 2)])
    assert ids(await other.exchange(now=T0 + 0.4)) == ["a"]
    assert ids(await one.exchange(now=T0 + 0.6)) == ["b", "a"]


async def test_replicas_that_write_at_once_agree_and_lose_nothing(
    redis: Redis, redis_url: str, shop: CatalogStore
) -> None:
    config = TrafficConfig(places=3, stands_s=0.0)

    async def replica(number: int) -> Traffic:
        client = Redis.from_url(redis_url)
        traffic = Traffic(client, config)
        for _ in range(20):
            hit(traffic, [(name, place + number) for place, name in enumerate("abcdef", 1)])
            await traffic.exchange(now=T0)
        await client.aclose()
        return traffic

    await asyncio.gather(*(replica(number) for number in range(3)))
    async with Redis.from_url(redis_url) as second:
        seen = [await Traffic(client, config).exchange(now=T0) for client in (redis, second)]
    assert seen[0] == seen[1]
    assert [(m.place.product_id, round(m.count, 6)) for m in seen[0]] == [
        ("f", 20 * (6 + 7 + 8)),
        ("e", 20 * (5 + 6 + 7)),
        ("d", 20 * (4 + 5 + 6)),
    ]


async def test_the_least_asked_beyond_the_bound_are_forgotten(
    redis: Redis, shop: CatalogStore
) -> None:
    traffic = Traffic(redis, TrafficConfig(places=1, entries=3))
    hit(traffic, [("a", 3), ("b", 2)])
    await traffic.exchange(now=T0)
    hit(traffic, [("c", 1), ("d", 4)])
    await traffic.exchange(now=T0)
    counted = await redis.zrevrange("{hotshelf}:catalog:traffic", 0, -1)
    assert counted == [b"en:d", b"en:a", b"en:b"]


async def test_hits_are_kept_up_to_the_bound_while_redis_is_away(
    redis: Redis, shop: CatalogStore
) -> None:
    async with Redis(port=1) as nowhere:
        traffic = Traffic(nowhere, TrafficConfig(places=1, entries=2, timeout_s=0.2))
        hit(traffic, [("a", 1), ("b", 1), ("c", 1)])
        for _ in range(2):
            with pytest.raises((RedisError, OSError)):
                await traffic.exchange()
            hit(traffic, [("a", 1), ("d", 1)])
    assert traffic.unwritten == 4  # three of a, one of b


async def test_the_shelf_stays_while_redis_is_away_and_hits_are_written_after(
    tmp_path: Path,
) -> None:
    config = EmbeddedRedisConfig(tmp_path / "redis")
    server, again = EmbeddedRedis(config), EmbeddedRedis(config)
    await server.start()
    handed: asyncio.Queue[Members] = asyncio.Queue()
    async with Redis.from_url(server.url) as client:
        await CatalogStore(client).put([product("a"), product("b")], actor="test")
        traffic = Traffic(client, TrafficConfig(stands_s=0, timeout_s=0.2))
        hit(traffic, [("a", 1)])
        following = asyncio.create_task(traffic.follow(handed.put_nowait, every_s=0.001))
        async with asyncio.timeout(20):
            assert ids(await handed.get()) == ["a"]
            await server.close()
            hit(traffic, [("b", 7)])
            with pytest.raises((RedisError, OSError)):
                await traffic.exchange()
            seen = [handed.get_nowait() for _ in range(handed.qsize())]
            assert {tuple(ids(members)) for members in seen} <= {("a",)}
            await again.start()
            while (members := await handed.get()) and ids(members) == ["a"]:
                pass
        assert ids(members) == ["b", "a"]
        assert [member.count for member in members] == pytest.approx([7, 1], rel=0.01)
        following.cancel()
        await asyncio.wait({following})
    await again.close()
    assert traffic.unwritten == 0
