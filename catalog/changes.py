"""The change feed: what every replica follows to know the catalogue as it is.

Redis keeps one event per write in a stream, under the version it made. A follower reads on from
the version it has; where the stream cannot tell (a gap, a large write, a Redis that was restarted
or replaced), it compares the index and fetches what differs.
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from redis.asyncio import Redis
from redis.backoff import ExponentialWithJitterBackoff
from redis.exceptions import RedisError

from catalog.cancellation import obey_cancellation
from catalog.keys import Reply, pairs, text
from catalog.product import Product
from catalog.store import CatalogStore, Snapshot

log = logging.getLogger(__name__)

Fields = dict[str, str]

_DEFAULT_TIMEOUT_S = 5.0
"""What redis-py waits for a reply unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class FeedConfig:
    """Times in seconds. `idle_s`: how often a quiet feed makes sure that it missed nothing."""

    idle_s: float = 2.0
    grace_s: float = 5.0
    backoff_s: float = 0.05
    backoff_max_s: float = 2.0
    events: int = 500


@dataclass(frozen=True, slots=True)
class CatalogChange:
    """What became different since the version before: products as they are now, and ids gone.

    `written_at` is when the newest write of it happened, in milliseconds since 1970, 0 if unknown.
    """

    version: int
    upserts: tuple[Product, ...]
    removed: tuple[str, ...]
    written_at: int = 0


@dataclass(slots=True)
class Follower:
    """Where one follower stands. `versions` is what it has of each product."""

    store: CatalogStore
    version: int = 0
    token: str = ""
    versions: dict[str, int] = field(default_factory=dict)
    config: FeedConfig = field(default_factory=FeedConfig)

    @classmethod
    def at(cls, store: CatalogStore, start: Snapshot, config: FeedConfig) -> "Follower":
        """One that has `start`."""
        versions = {product.id: product.version for product in start.products}
        return cls(store, start.version, start.token, versions, config)

    async def next(self) -> CatalogChange | None:
        """What changed since the last call, waiting a while for it; None if nothing did."""
        block = _block_ms(self.store.redis, self.config)
        async with asyncio.timeout(self.config.idle_s + self.config.grace_s):
            reply = await self.store.redis.xread(
                {self.store.keys.changes: f"{self.version}-0"}, self.config.events, block
            )
        events = _events(reply)
        if not events:
            return await self.check()
        version, first = events[0]
        if version != self.version + 1 or first["before"] != self.token:
            return await self.resync()
        if any("ids" not in fields for _, fields in events):
            return await self.resync()
        ids = list(dict.fromkeys(i for _, fields in events for i in json.loads(fields["ids"])))
        version, last = events[-1]
        found = await self.store.get_many(ids)
        removed = [i for i in ids if i not in found]
        return self._change(version, last["token"], found.values(), removed, int(last["at"]))

    async def check(self) -> CatalogChange | None:
        """Catch up unless this is the very catalogue that was followed; None if it is."""
        version, token = await self._head()
        if (version, token) == (self.version, self.token):
            return None
        if version > self.version and await self._continues():
            return None
        return await self.resync()

    async def _continues(self) -> bool:
        """Whether the stream still has the write that led to our version: it just reads on."""
        event_id = f"{self.version}-0"
        found = await self.store.redis.xrange(self.store.keys.changes, event_id, event_id)
        return any(_fields(fields).get("token") == self.token for _, fields in found or [])

    async def resync(self) -> CatalogChange:
        """Compare everything; fetch what differs. Another catalogue is fetched whole."""
        version, token = await self._head()
        same_past = self.version == 0 or (version >= self.version and await self._continues())
        index = await self.store.versions()
        known = self.versions if same_past else {}
        differing = [i for i, v in index.items() if known.get(i) != v]
        found = await self.store.get_many(differing)
        removed = [i for i in self.versions if i not in index]
        removed += [i for i in differing if i not in found and i in self.versions]
        return self._change(version, token, found.values(), removed, 0)

    async def _head(self) -> tuple[int, str]:
        keys = self.store.keys
        version, token = await self.store.redis.hmget(keys.head, ["version", "token"])
        return int(version or 0), text(token or "")

    def _change(
        self, version: int, token: str, found: Iterable[Product], removed: list[str], at: int
    ) -> CatalogChange:
        upserts = tuple(found)
        self.versions.update({product.id: product.version for product in upserts})
        for product_id in removed:
            self.versions.pop(product_id, None)
        self.version, self.token = version, token
        return CatalogChange(version, upserts, tuple(removed), at)


def _block_ms(redis: Redis, config: FeedConfig) -> int:
    """How long to wait for an event: half as long as the client waits for any reply."""
    options = redis.get_connection_kwargs()  # type: ignore[no-untyped-call]
    limit = options.get("socket_timeout", _DEFAULT_TIMEOUT_S)
    return int(1000 * min(config.idle_s, limit / 2 if limit else config.idle_s))


def _events(reply: object) -> list[tuple[int, Fields]]:
    """Versions and fields of what XREAD gave, of either protocol."""
    streams = (
        reply.values() if isinstance(reply, dict) else [s[1] for s in cast(list[Any], reply or [])]
    )
    found: list[tuple[int, Fields]] = []
    for entries in streams:
        flat = entries[0] if entries and isinstance(entries[0], list) else entries
        found += [(int(text(i).partition("-")[0]), _fields(fields)) for i, fields in flat]
    return found


def _fields(fields: object) -> Fields:
    return pairs(cast("dict[Reply, Reply]", fields or {}).items())


async def follow(
    store: CatalogStore, start: Snapshot, config: FeedConfig | None = None
) -> AsyncGenerator[CatalogChange, None]:
    """Every change after `start`, for ever: through lost connections and restarts of Redis."""
    chosen = config or FeedConfig()
    follower = Follower.at(store, start, chosen)
    backoff = ExponentialWithJitterBackoff(chosen.backoff_max_s, chosen.backoff_s)
    failures = 0
    while True:
        obey_cancellation()
        try:
            change = await follower.check() if failures else await follower.next()
        except (RedisError, OSError, TimeoutError) as error:
            failures += 1
            level = logging.INFO if failures == 1 else logging.WARNING  # one read may be late
            log.log(level, "the change feed lost Redis (%s); attempt %d", error, failures)
            await asyncio.sleep(backoff.compute(failures))
            continue
        failures = 0
        if change is not None:
            yield change


Apply = Callable[[CatalogChange], Awaitable[None]]


class ChangeFeed:
    """Follows the catalogue and hands every change to `apply`, in order.

    `version` is the newest one that was applied; `reached` waits for one.
    """

    def __init__(self, store: CatalogStore, apply: Apply, config: FeedConfig | None = None) -> None:
        self._store, self._apply, self._config = store, apply, config
        self._advanced = asyncio.Condition()
        self.version = 0

    async def run(self, start: Snapshot) -> None:
        """Until cancelled."""
        await self._advance(start.version)
        async for change in follow(self._store, start, self._config):
            await self._apply(change)
            await self._advance(change.version)

    async def _advance(self, version: int) -> None:
        async with self._advanced:
            self.version = version
            self._advanced.notify_all()

    async def reached(self, version: int) -> None:
        """Wait until `version`, or a later one, is applied."""
        async with self._advanced:
            await self._advanced.wait_for(lambda: self.version >= version)
