"""What a previewed import would leave behind: whole products, for whoever compares answers.

The process that previews has neither index nor records. So it keeps the changed products in Redis
beside the import, as they would be, for the processes that answer shoppers. They go when the import
is planned anew or applied, and with its uploaded file, without which it cannot be applied.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field, replace
from uuid import uuid4

import msgspec
from redis.asyncio import Redis

from catalog.codec import decode, encode
from catalog.keys import Reply
from catalog.plan import Change
from catalog.product import Product
from catalog.uploads import KEPT_S

MAX_CHANGED = 1_000
"""Products that are kept as they would be."""
MAX_REMOVED = 10_000
"""Ids that are kept of those that a full sync would remove."""
MAX_BYTES = 16 * 1024 * 1024
"""Of the products that are kept, as JSON."""
_BATCH = 20


@dataclass(frozen=True, slots=True)
class Aftermath:
    """`changed`: products as they would be, each with the version that it has before.

    `left_out`: how many more would be changed or removed. `plan`: another one after every preview.
    """

    plan: str
    changed: tuple[Product, ...]
    removed: tuple[str, ...]
    left_out: int


@dataclass(slots=True)
class Kept:
    """Fills up while an import is previewed; what is beyond the bounds is counted."""

    changed: list[bytes] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    left_out: int = 0
    size: int = 0

    def note(self, change: Change) -> None:
        """One product that would be created or updated."""
        if change.new is None or change.kind == "unchanged":
            return
        if len(self.changed) >= MAX_CHANGED or self.size >= MAX_BYTES:
            self.left_out += 1
            return
        version = change.old.version if change.old is not None else 0
        record = encode(replace(change.new, version=version))
        self.changed.append(record)
        self.size += len(record)

    def remove(self, ids: list[str]) -> None:
        """Products that would be removed."""
        room = MAX_REMOVED - len(self.removed)
        self.removed += ids[:room]
        self.left_out += max(len(ids) - room, 0)


class Aftermaths:
    """One for each import that was previewed; `key` says where the parts of an import lie."""

    def __init__(self, redis: Redis, key: Callable[[str, str], str]) -> None:
        self._redis, self._key = redis, key

    async def save(self, import_id: str, kept: Kept) -> None:
        """Keep it in place of any other; it is seen when it is whole."""
        await self.clear(import_id)
        for part, items in _parts(kept):
            for batch in _batches(items):
                await self._redis.rpush(self._key(import_id, part), *batch)
            await self._redis.expire(self._key(import_id, part), KEPT_S)
        head = msgspec.json.encode([uuid4().hex, kept.left_out])
        await self._redis.set(self._key(import_id, "after"), head, ex=KEPT_S)

    async def clear(self, import_id: str) -> None:
        """Forget it."""
        parts = ("after", "after:changed", "after:removed")
        await self._redis.delete(*(self._key(import_id, part) for part in parts))

    async def plan(self, import_id: str) -> str | None:
        """By what the newest one is known, without the rest of it."""
        head = await self._head(import_id)
        return None if head is None else head[0]

    async def get(self, import_id: str) -> Aftermath | None:
        """What was kept; None where nothing is foreseen.

        Read a page at a time, so that a large one does not hold up the event loop.
        """
        head = await self._head(import_id)
        if head is None:
            return None
        plan, left_out = head
        changed = [decode(item) async for item in self._pages(import_id, "after:changed")]
        removed = [
            msgspec.json.decode(item, type=str)
            async for item in self._pages(import_id, "after:removed")
        ]
        return Aftermath(plan, tuple(changed), tuple(removed), left_out)

    async def _head(self, import_id: str) -> tuple[str, int] | None:
        head = await self._redis.get(self._key(import_id, "after"))
        return None if head is None else msgspec.json.decode(head, type=tuple[str, int])

    async def _pages(self, import_id: str, part: str) -> AsyncIterator[Reply]:
        start = 0
        while page := await self._redis.lrange(
            self._key(import_id, part), start, start + _BATCH - 1
        ):
            for item in page:
                yield item
                await asyncio.sleep(0)
            start += len(page)


def _parts(kept: Kept) -> Iterable[tuple[str, list[bytes]]]:
    yield "after:changed", kept.changed
    yield "after:removed", [msgspec.json.encode(id_) for id_ in kept.removed]


def _batches(items: list[bytes]) -> Iterable[list[bytes]]:
    return (items[first : first + _BATCH] for first in range(0, len(items), _BATCH))
