"""What is known of each import, in Redis: how far it is, what it did, and who works on it.

An import is worked on by one process at a time, which says every second that it is alive. If it
dies, another may take over; the one that was taken over from can no longer write.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal, cast
from uuid import uuid4

import msgspec
from redis.asyncio import Redis

from catalog.diff import FieldChange
from catalog.formats.model import Detected, NumberStyle, RowError
from catalog.keys import Reply, pairs, text
from catalog.plan import Counts
from catalog.product import Locale
from catalog.scripts import script
from catalog.writes import StaleImportError

State = Literal[
    "received", "planning", "storing", "applied", "refused", "failed", "undoing", "undone"
]
WORKING: tuple[State, ...] = ("planning", "storing", "undoing")
LEASE_S = 15.0
"""Seconds without a sign of life after which another process may take over."""
KEPT_S = 90 * 24 * 3600
"""Seconds an import is remembered."""
_PAGE = 1000


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the merchandiser chose.

    `mode`: with `all`, one bad row stops the import; with `partial`, sound rows go in without the
    others. `sync`: the file is the whole truth, so what it does not name is removed; then `mode`
    must be `all`, and more than `max_removed` of the catalogue (0 to 1) goes only if `confirmed`.
    """

    mode: Literal["all", "partial"] = "all"
    sync: bool = False
    confirmed: bool = False
    max_removed: float = 0.2
    currency: str | None = None
    locale: Locale | None = None
    decimals: NumberStyle = "auto"
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class ProductDiff:
    """One product's changes."""

    product_id: str
    kind: Literal["created", "updated", "removed"]
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """One import. Times are in milliseconds since 1970, 0 if they have not come.

    `rows` and `products` count; `error` says why it failed or was refused as a whole; `version`
    is the catalogue version it made, `undo_version` the one that undid it. `kept` counts products
    that an undo left alone because someone had changed them since.
    """

    id: str
    state: State
    actor: str
    name: str
    size: int
    options: ImportOptions
    created_at: int
    detected: Detected | None = None
    rows: Counts = field(default_factory=Counts)
    products: Counts = field(default_factory=Counts)
    errors: int = 0
    error: str = ""
    error_code: str = ""
    version: int = 0
    applied_at: int = 0
    undo_version: int = 0
    undone_by: str = ""
    undone_at: int = 0
    kept: int = 0
    phase: str = ""
    done: int = 0
    beat: int = 0

    def interrupted(self, now: float, lease_s: float = LEASE_S) -> bool:
        """Whether at `now`, in seconds since 1970, whoever worked on it has died.

        Then it can be applied (or undone) again, or left as it is.
        """
        silent_ms = int(now * 1000) - self.beat  # in whole milliseconds, as a claim counts
        return self.state in WORKING and silent_ms > int(lease_s * 1000)


class ImportUnknownError(Exception):
    """No import has this id."""


class ImportBusyError(Exception):
    """It cannot be done now; `state` says what is going on instead."""

    def __init__(self, state: str) -> None:
        super().__init__(f"the import is {state}")
        self.state = state


class ImportRecords:
    """Imports by id, newest first."""

    def __init__(
        self, redis: Redis, prefix: str = "{hotshelf}:imports", lease_s: float = LEASE_S
    ) -> None:
        self._redis, self._prefix = redis, prefix
        self._lease_ms = int(lease_s * 1000)
        self._claim = script(redis, "import_claim", shared=False)
        self._step = script(redis, "import_step", shared=False)

    def key(self, import_id: str, part: str = "record") -> str:
        """Where a part of an import lies: record, file, errors, diffs or ids."""
        return f"{self._prefix}:{import_id}:{part}"

    async def create(self, actor: str, name: str, options: ImportOptions) -> str:
        """A new one, without its file yet; its id."""
        import_id = uuid4().hex[:16]
        now = int(time.time() * 1000)
        chosen = msgspec.json.encode(options)
        await self.update(
            import_id,
            state="received",
            actor=actor,
            name=name[:200],
            options=chosen,
            created_at=now,
        )
        await self._redis.zadd(self._prefix, {import_id: now})
        return import_id

    async def update(self, import_id: str, **fields: str | bytes | int) -> None:
        """Set some fields."""
        key = self.key(import_id)
        await self._redis.hset(key, items=[item for pair in fields.items() for item in pair])
        await self._redis.expire(key, KEPT_S)

    async def get(self, import_id: str) -> ImportRecord:
        """Raises `ImportUnknownError`."""
        reply = await self._redis.hgetall(self.key(import_id))
        fields = pairs(dict(reply).items())
        if not fields:
            raise ImportUnknownError(import_id)
        for internal in ("token", "staged"):
            fields.pop(internal, None)
        nested = {"options", "detected", "rows", "products"}
        record = {k: msgspec.json.decode(v) if k in nested else v for k, v in fields.items()}
        return msgspec.convert({"id": import_id, "size": 0, **record}, ImportRecord, strict=False)

    async def latest(self, count: int = 50) -> list[ImportRecord]:
        """The newest ones."""
        ids = await self._redis.zrange(self._prefix, 0, count - 1, desc=True)
        found = []
        for import_id in (text(cast(Reply, i)) for i in ids):
            try:
                found.append(await self.get(import_id))
            except ImportUnknownError:
                await self._redis.zrem(self._prefix, import_id)
        return found

    async def claim(self, import_id: str, state: State, states: Sequence[State]) -> str:
        """Begin to work on it, from one of `states` or because whoever did has died; a token.

        Raises `ImportUnknownError` or `ImportBusyError`.
        """
        token = uuid4().hex
        reply = await self._claim([self.key(import_id)], [state, token, self._lease_ms, *states])
        match [text(reply[0]), *reply[1:]]:
            case ["missing"]:
                raise ImportUnknownError(import_id)
            case ["busy", now]:
                raise ImportBusyError(text(now))
        return token

    async def step(self, import_id: str, token: str, **fields: str | bytes | int) -> None:
        """Set some fields and say that one is alive. Raises `StaleImportError`."""
        named = [item for pair in fields.items() for item in pair]
        if not await self._step([self.key(import_id)], [token, *named]):
            raise StaleImportError

    async def take_staged(self, import_id: str) -> list[str]:
        """Revisions that whoever died before had laid ready; nobody will show them."""
        left = await self._redis.hget(self.key(import_id), "staged")
        token, _, count = text(left or "").partition(":")
        return [f"{token}-{number}" for number in range(int(count or 0))]

    async def save_errors(self, import_id: str, errors: Sequence[RowError]) -> None:
        """Replace the row errors."""
        await self._replace(self.key(import_id, "errors"), [asdict(error) for error in errors])

    async def save_diffs(self, import_id: str, diffs: Sequence[ProductDiff]) -> None:
        """Replace the changes that can be looked at."""
        await self._replace(self.key(import_id, "diffs"), [asdict(diff) for diff in diffs])

    async def save_ids(self, import_id: str, ids: Sequence[str]) -> None:
        """Replace the ids of the products that it changes; an undo goes by them."""
        await self._replace(self.key(import_id, "ids"), ids)

    async def errors(self, import_id: str, start: int = 0, count: int = -1) -> list[RowError]:
        """Row errors, in the order of the file."""
        stored = await self._range(import_id, "errors", start, count)
        return [msgspec.json.decode(item, type=RowError) for item in stored]

    async def diffs(self, import_id: str, start: int = 0, count: int = -1) -> list[ProductDiff]:
        """Changes by product."""
        stored = await self._range(import_id, "diffs", start, count)
        return [msgspec.json.decode(item, type=ProductDiff) for item in stored]

    async def ids(self, import_id: str) -> list[str]:
        """The products that it changed."""
        stored = await self._range(import_id, "ids", 0, -1)
        return [msgspec.json.decode(item, type=str) for item in stored]

    async def _range(self, import_id: str, part: str, start: int, count: int) -> list[Reply]:
        last = -1 if count < 0 else start + count - 1
        return list(await self._redis.lrange(self.key(import_id, part), start, last))

    async def _replace(self, key: str, items: Sequence[object]) -> None:
        await self._redis.delete(key)
        for first in range(0, len(items), _PAGE):
            page = [json.dumps(item, ensure_ascii=False) for item in items[first : first + _PAGE]]
            await self._redis.rpush(key, *page)
        await self._redis.expire(key, KEPT_S)
