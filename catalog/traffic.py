"""What shoppers ask about, and which products are therefore on the hot shelf.

Hits are gathered in the process and written about once a second, in one call that also decides the
shelf: one script does both for every replica, by Redis' own clock, so all see the same members.
Nothing that a shopper waits for waits for it. Without Redis, hits are kept and written later, and
the last members stay.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from redis.asyncio import Redis
from redis.exceptions import RedisError

from catalog.keys import CatalogKeys, text
from catalog.product import Locale
from catalog.scripts import Argument, script

log = logging.getLogger(__name__)


class Place(NamedTuple):
    """What is counted and kept: a product as it is told in one language."""

    product_id: str
    locale: Locale


@dataclass(frozen=True, slots=True)
class Member:
    """On the shelf. `count`: its hits, decayed to now; pins stay whatever it is."""

    place: Place
    count: float
    is_pinned: bool


Members = tuple[Member, ...]
"""Pins first, then by count."""


@dataclass(frozen=True, slots=True)
class TrafficConfig:
    """Every replica should have the same.

    `places` on the shelf, pins among them; a newcomer displaces a member whose count its own
    exceeds by the share `hysteresis`. A hit counts half after `half_life_s`. `entries` are counted
    for each place; of so many, a process keeps hits that are not written yet. A decision stands for
    `stands_s`.
    """

    places: int = 100
    hysteresis: float = 0.25
    half_life_s: float = 6 * 3600.0
    entries: int = 20
    stands_s: float = 0.5
    timeout_s: float = 2.0

    @property
    def bound(self) -> int:
        """Entries that are counted at most."""
        return max(self.places, 1) * self.entries


class Traffic:
    """Counts, and the shelf that follows from them. One event loop."""

    def __init__(
        self, redis: Redis, config: TrafficConfig | None = None, keys: CatalogKeys | None = None
    ) -> None:
        keys = keys or CatalogKeys()
        self._config = config or TrafficConfig()
        names = ("traffic", "shelf", "pins")
        self._keys = (*keys.all, *(f"{keys.prefix}:{name}" for name in names))
        self._run = script(redis, "shelf")
        self._hits: dict[Place, float] = {}

    @property
    def unwritten(self) -> float:
        """Hits that Redis does not have yet."""
        return sum(self._hits.values())

    def hit(self, place: Place, count: float = 1.0) -> None:
        """Count a hit; it is written later. Beyond the bound, products not yet counted are left
        out."""
        if place in self._hits or len(self._hits) < self._config.bound:
            self._hits[place] = self._hits.get(place, 0.0) + count

    async def exchange(self, now: float | None = None) -> Members:
        """Write the hits gathered so far; the shelf, decided anew where that is due.

        `now` (seconds) stands in for Redis' clock. Raises what redis-py raises; the hits are kept
        then, and it may be that they were written all the same, and will be twice.
        """
        hits, self._hits = self._hits, {}
        try:
            async with asyncio.timeout(self._config.timeout_s):
                reply = await self._run(self._keys, self._arguments(hits, now))
        except BaseException:
            for place, count in hits.items():
                self.hit(place, count)
            raise
        return _members(reply)

    async def follow(self, use: Callable[[Members], None], every_s: float = 1.0) -> None:
        """Write hits and hand the shelf to `use`, time and again, until cancelled."""
        while True:
            try:
                use(await self.exchange())
            except (RedisError, OSError, TimeoutError) as error:
                log.info("the hot shelf could not be read (%s): as it was", error)
            await asyncio.sleep(every_s)

    def _arguments(self, hits: dict[Place, float], now: float | None) -> Sequence[Argument]:
        config = self._config
        counted = [part for place, n in hits.items() for part in (_name(place), n)]
        moment = "" if now is None else now
        fixed = (config.half_life_s, config.places, config.hysteresis, config.bound)
        return (moment, *fixed, config.stands_s, *counted)


def _name(place: Place) -> str:
    return f"{place.locale}:{place.product_id}"


def _place(name: str) -> Place:
    locale, _, product_id = name.partition(":")
    return Place(product_id, cast(Locale, locale))


def _members(reply: Sequence[bytes | str]) -> Members:
    rows = zip(*[map(text, reply)] * 3, strict=True)
    return tuple(Member(_place(name), float(count), flag == "1") for name, count, flag in rows)
