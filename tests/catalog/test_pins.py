"""Pins hold until they expire or are taken away."""

from redis.asyncio import Redis

from catalog.pins import Pin, Pins


async def test_a_pin_holds_until_its_time(redis: Redis) -> None:
    pins = Pins(redis)
    await pins.pin("a", actor="ann", seconds=60, now=1000)
    await pins.pin("b", actor="bob", now=1000)
    assert await pins.current(now=1059.9) == [
        Pin("a", "ann", 1000, 1060),
        Pin("b", "bob", 1000, None),
    ]
    assert await pins.get("a", now=1060) is None
    assert [pin.product_id for pin in await pins.current(now=1060)] == ["b"]
    assert await pins.get("a", now=1000) is None


async def test_a_new_pin_replaces_the_old_one(redis: Redis) -> None:
    pins = Pins(redis)
    await pins.pin("a", actor="ann", seconds=60, now=1000)
    await pins.pin("a", actor="bob", seconds=600, now=1000)
    assert await pins.get("a", now=1100) == Pin("a", "bob", 1000, 1600)


async def test_a_pin_can_be_taken_away(redis: Redis) -> None:
    pins = Pins(redis)
    await pins.pin("a", actor="ann")
    assert await pins.unpin("a")
    assert not await pins.unpin("a")
    assert await pins.current() == []
