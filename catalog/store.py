"""The catalogue in Redis: immutable records, and one atomic step for every write.

A product's record is stored under a revision and never changes; the index says which revision
is the present one. A write (`lua/write.lua`) checks everything first, then bumps the catalogue
version, moves the index, appends to the audit log and to the change stream, all or nothing.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import uuid4

from redis.asyncio import Redis
from redis.typing import EncodableT, FieldT

from catalog.checks import problems
from catalog.codec import decode, encode
from catalog.keys import CatalogKeys, text
from catalog.product import Product
from catalog.scripts import Argument, script
from catalog.skus import sku_key
from catalog.writes import (
    ANY,
    ConflictError,
    InvalidProductError,
    SkuTakenError,
    StaleImportError,
    Write,
    sku_keys,
)

__all__ = [
    "ANY",
    "CatalogStore",
    "ConflictError",
    "InvalidProductError",
    "SkuTakenError",
    "Snapshot",
    "StaleImportError",
    "StoreConfig",
    "Write",
]

BATCH = 1000
"""Products per round trip when many are read."""


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """`history`: changes kept per product, at least 2. `stream`: writes kept for followers."""

    keys: CatalogKeys = field(default_factory=CatalogKeys)
    history: int = 50
    stream: int = 100_000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole catalogue as it was at `version`, which the write named by `token` made."""

    version: int
    products: tuple[Product, ...]
    token: str = ""


class CatalogStore:
    """Products by id. `redis` may be standalone, behind Sentinel, or a cluster."""

    def __init__(self, redis: Redis, config: StoreConfig | None = None) -> None:
        self.redis = redis
        self.config = config or StoreConfig()
        self.keys = self.config.keys
        self._write = script(redis, "write")
        self._read = script(redis, "read")
        self._scan = script(redis, "scan")

    async def put(
        self,
        products: Iterable[Product],
        *,
        actor: str,
        expected: Mapping[str, int] | None = None,
        cause: str = "edit",
    ) -> int:
        """Store `products` in one step; the new catalogue version, theirs from now on.

        Raises `ConflictError`, `SkuTakenError` or `InvalidProductError`.
        """
        return await self.write(Write(actor, tuple(products), (), expected or {}, cause))

    async def delete(
        self, ids: Iterable[str], *, actor: str, expected: Mapping[str, int] | None = None
    ) -> int:
        """Remove products in one step; the catalogue version after it. Raises `ConflictError`."""
        return await self.write(Write(actor, (), tuple(ids), expected or {}, "delete"))

    async def write(self, write: Write) -> int:
        """Do one step, wholly or not at all; the catalogue version after it."""
        ids = [*(product.id for product in write.puts), *write.deletes]
        if not ids:
            return await self.version()
        if len(set(ids)) != len(ids):
            raise ValueError("a product may occur only once in a write")
        for product in write.puts:
            if found := problems(product):
                raise InvalidProductError(product.id, found)
        token = write.token or uuid4().hex
        keys = [*self.keys.all, self.keys.done(token)]
        outcome, *details = await self._write(keys, self._arguments(write, token))
        match text(outcome):
            case "version":
                actual = {text(i): int(v) for i, v in zip(details[::2], details[1::2], strict=True)}
                raise ConflictError(write.expected[next(iter(actual))], actual)
            case "sku":
                raise SkuTakenError(_spelling(text(details[0]), write.puts), text(details[1]))
            case _:
                return int(details[0])

    def _arguments(self, write: Write, token: str) -> list[Argument]:
        arguments: list[Argument] = [
            token,
            meta(write.actor, write.cause),
            self.config.history,
            self.config.stream,
            len(write.puts),
            len(write.deletes),
        ]
        expected = write.expected.get
        for product in write.puts:
            arguments += [product.id, expected(product.id, ANY), uuid4().hex, sku_keys(product)]
            arguments.append(encode(product))
        for product_id in write.deletes:
            arguments += [product_id, expected(product_id, ANY)]
        return arguments

    async def version(self) -> int:
        """The catalogue version; 0 before the first write."""
        reply = await self.redis.hget(self.keys.head, "version")
        return int(reply or 0)

    async def is_empty(self) -> bool:
        """Whether nothing was ever written: a catalogue that was emptied is not filled again."""
        return await self.version() == 0

    async def get(self, product_id: str) -> Product | None:
        """One product as it is now, or None."""
        return (await self.get_many([product_id])).get(product_id)

    async def get_many(self, ids: Sequence[str]) -> dict[str, Product]:
        """Those of `ids` that exist, as they are now."""
        found: dict[str, Product] = {}
        wanted = list(dict.fromkeys(ids))
        while wanted:
            batch, wanted = wanted[:BATCH], wanted[BATCH:]
            known = await self.read("index", batch)
            products = await self._records(known)
            found.update(products)
            wanted += [i for i in known if i not in products]
        return found

    async def read(self, kind: str, fields: Sequence[str]) -> dict[str, str]:
        """Cells that are there, by field; `lua/read.lua` says what kinds there are."""
        found: dict[str, str] = {}
        for batch in _batches(fields):
            cells = await self._read(self.keys.all, [kind, *batch])
            found.update({f: text(cell) for f, cell in zip(batch, cells, strict=True) if cell})
        return found

    async def by_sku(self, sku: str) -> Product | None:
        """The product that sells `sku`, however blanks, case and width are written."""
        owner = (await self.owners([sku_key(sku)])).get(sku_key(sku))
        return None if owner is None else await self.get(owner)

    async def owners(self, keys: Sequence[str]) -> dict[str, str]:
        """Which products have these SKU keys; those that nobody has are left out."""
        return await self.read("skus", keys)

    async def known(self, ids: Sequence[str]) -> set[str]:
        """Those of `ids` that exist."""
        return set(await self.read("index", ids))

    async def versions(self) -> dict[str, int]:
        """Every product's version, by id; reads the index alone."""
        return {i: int(line.split(" ", 1)[0]) for i, line in (await self._index()).items()}

    async def load(self) -> Snapshot:
        """Everything, by id. Writes made meanwhile may be in it or not: follow from `version`."""
        version, token = await self.redis.hmget(self.keys.head, ["version", "token"])
        index = await self._index()
        found: dict[str, Product] = {}
        for ids in _batches(list(index)):
            found.update(await self._records({i: index[i] for i in ids}))
        if missing := [i for i in index if i not in found]:
            found.update(await self.get_many(missing))
        products = tuple(found[i] for i in sorted(found))
        return Snapshot(int(version or 0), products, text(token or ""))

    async def _index(self) -> dict[str, str]:
        index: dict[str, str] = {}
        cursor = "0"
        while True:
            reply, page = await self._scan(self.keys.all, [cursor, BATCH])
            cells = [text(cell) for cell in page]
            index.update(zip(cells[::2], cells[1::2], strict=True))
            if (cursor := text(reply)) == "0":
                return index

    async def _records(self, lines: Mapping[str, str]) -> dict[str, Product]:
        """Products of index lines; one whose record has been superseded meanwhile is left out."""
        if not lines:
            return {}
        heads = [line.split(" ", 1) for line in lines.values()]
        records = await self.redis.hmget(self.keys.records, [head[1] for head in heads])
        return {
            i: replace(decode(record), version=int(head[0]))
            for i, head, record in zip(lines, heads, records, strict=True)
            if record is not None
        }

    async def stage(self, revisions: Mapping[str, Product]) -> None:
        """Lay records ready under their revisions, for an import to show."""
        records: dict[FieldT, EncodableT] = {r: encode(product) for r, product in revisions.items()}
        await self.redis.hset(self.keys.records, mapping=records)

    async def unstage(self, revisions: Sequence[str]) -> None:
        """Drop records that nobody was shown."""
        for batch in _batches(revisions):
            await self.redis.hdel(self.keys.records, *batch)


def meta(actor: str, cause: str) -> str:
    """Who and why, as the audit log has it: JSON on one line."""
    return json.dumps({"actor": actor, "cause": cause}, ensure_ascii=False)


def _batches(ids: Sequence[str]) -> Iterator[list[str]]:
    return (list(ids[first : first + BATCH]) for first in range(0, len(ids), BATCH))


def _spelling(key: str, products: Iterable[Product]) -> str:
    skus = (variant.sku for product in products for variant in product.variants)
    return next((sku for sku in skus if sku_key(sku) == key), key)
