"""Pins: products that merchandisers keep on the hot shelf, for a while or for good."""

import json
import time
from dataclasses import dataclass

from redis.asyncio import Redis

from catalog.keys import CatalogKeys, text


@dataclass(frozen=True, slots=True)
class Pin:
    """A pinned product. Times in seconds since 1970; `until` is None for a pin that stays."""

    product_id: str
    actor: str
    since: float
    until: float | None


class Pins:
    """Pins by product id, the same for every replica."""

    def __init__(self, redis: Redis, keys: CatalogKeys | None = None) -> None:
        self._redis = redis
        self._key = f"{(keys or CatalogKeys()).prefix}:pins"

    async def pin(
        self, product_id: str, *, actor: str, seconds: float | None = None, now: float | None = None
    ) -> Pin:
        """Pin a product for `seconds`, or for good; a pin that it had before is replaced."""
        since = time.time() if now is None else now
        until = None if seconds is None else since + seconds
        record = json.dumps([actor, since, until], ensure_ascii=False)
        await self._redis.hset(self._key, product_id, record)
        return Pin(product_id, actor, since, until)

    async def unpin(self, product_id: str) -> bool:
        """Whether there was a pin to take away."""
        return await self._redis.hdel(self._key, product_id) > 0

    async def get(self, product_id: str, now: float | None = None) -> Pin | None:
        """The product's pin, unless it has expired."""
        record = await self._redis.hget(self._key, product_id)
        if record is None:
            return None
        return _alive(_pin(product_id, text(record)), now)

    async def current(self, now: float | None = None) -> list[Pin]:
        """Every pin that has not expired, by product id; those that have are dropped."""
        stored = await self._redis.hgetall(self._key)
        pins = [_pin(text(i), text(record)) for i, record in dict(stored).items()]
        if expired := [pin.product_id for pin in pins if _alive(pin, now) is None]:
            await self._redis.hdel(self._key, *expired)
        alive = (pin for pin in pins if _alive(pin, now) is not None)
        return sorted(alive, key=lambda pin: pin.product_id)


def _pin(product_id: str, record: str) -> Pin:
    actor, since, until = json.loads(record)
    return Pin(product_id, actor, since, until)


def _alive(pin: Pin, now: float | None) -> Pin | None:
    moment = time.time() if now is None else now
    return None if pin.until is not None and moment >= pin.until else pin
