"""The catalogue in Redis: immutable records, and one atomic step for every write.

A product's record is stored under a revision and never changes; the index says which revision
is the present one. A write (`store.lua`) checks everything first, then bumps the catalogue
version, moves the index, appends to the audit log and to the change stream, all or nothing.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import cast
from uuid import uuid4

from redis.asyncio import Redis

from catalog.checks import problems
from catalog.codec import decode, encode
from catalog.keys import CatalogKeys, Reply, pairs, text
from catalog.product import Product
from catalog.skus import sku_key

ANY = -1
"""Expected version of a product that may be at any version or absent; 0 means absent."""
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


@dataclass(frozen=True, slots=True)
class Write:
    """One step: products to store and ids to delete, by whom and for what reason.

    `expected` holds product versions that must still be the present ones. With `staged`, the
    records already lie under these revisions, one per product of `puts`, and were checked. The
    write of an import names the import's hash and the `token` that it is being stored under.
    """

    actor: str
    puts: Sequence[Product] = ()
    deletes: Sequence[str] = ()
    expected: Mapping[str, int] = field(default_factory=dict)
    cause: str = "edit"
    staged: Sequence[str] | None = None
    import_key: str | None = None
    token: str = ""


class ConflictError(Exception):
    """Someone changed the product first; nothing was written. `actual` has every such product."""

    def __init__(self, expected: int, actual: Mapping[str, int]) -> None:
        self.product_id, self.actual_version = next(iter(actual.items()))
        super().__init__(f"{self.product_id} is at version {self.actual_version}, not {expected}")
        self.expected, self.actual = expected, actual


class StaleImportError(Exception):
    """Another process has taken over the import that this write is part of; nothing was written."""


class SkuTakenError(Exception):
    """Another product has this SKU, however it is written; nothing was written."""

    def __init__(self, sku: str, product_id: str) -> None:
        super().__init__(f"SKU {sku} belongs to {product_id}")
        self.sku, self.product_id = sku, product_id


class InvalidProductError(ValueError):
    """A product that may not enter the catalogue; `problems` says why, nothing was written."""

    def __init__(self, product_id: str, found: tuple[str, ...]) -> None:
        super().__init__(f"{product_id}: {'; '.join(found)}")
        self.product_id, self.problems = product_id, found


class CatalogStore:
    """Products by id. `redis` may be standalone, behind Sentinel, or a cluster."""

    def __init__(self, redis: Redis, config: StoreConfig | None = None) -> None:
        self.redis = redis
        self.config = config or StoreConfig()
        self.keys = self.config.keys
        self._write = redis.register_script(files("catalog").joinpath("store.lua").read_text())

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
        for product in write.puts if write.staged is None else ():
            if found := problems(product):
                raise InvalidProductError(product.id, found)
        keys = [*self.keys.write_keys, *([write.import_key] if write.import_key else [])]
        outcome, *details = await self._write(keys=keys, args=self._arguments(write))
        match text(outcome):
            case "version":
                actual = {text(i): int(v) for i, v in zip(details[::2], details[1::2], strict=True)}
                raise ConflictError(write.expected[next(iter(actual))], actual)
            case "sku":
                raise SkuTakenError(_spelling(text(details[0]), write.puts), text(details[1]))
            case "stale":
                raise StaleImportError
            case _:
                return int(details[0])

    def _arguments(self, write: Write) -> list[str | bytes | int]:
        meta = json.dumps({"actor": write.actor, "cause": write.cause}, ensure_ascii=False)
        arguments: list[str | bytes | int] = [
            write.token or uuid4().hex,
            meta,
            self.config.history,
            self.config.stream,
            len(write.puts),
            len(write.deletes),
            int(write.staged is None),
        ]
        revisions = write.staged or [uuid4().hex for _ in write.puts]
        for product, revision in zip(write.puts, revisions, strict=True):
            keys = "\t".join(sku_key(variant.sku) for variant in product.variants)
            arguments += [product.id, write.expected.get(product.id, ANY), revision, keys]
            if write.staged is None:
                arguments.append(encode(product))
        for product_id in write.deletes:
            arguments += [product_id, write.expected.get(product_id, ANY)]
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
            lines = await self.redis.hmget(self.keys.index, batch)
            known = {i: text(line) for i, line in zip(batch, lines, strict=True) if line}
            products = await self._records(known)
            found.update(products)
            wanted += [i for i in known if i not in products]
        return found

    async def by_sku(self, sku: str) -> Product | None:
        """The product that sells `sku`, however blanks, case and width are written."""
        owner = await self.redis.hget(self.keys.skus, sku_key(sku))
        return None if owner is None else await self.get(text(owner))

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
        cursor = 0
        while True:
            cursor, page = await self.redis.hscan(self.keys.index, cursor, count=BATCH)
            index.update(pairs(cast(dict[Reply, Reply], page).items()))
            if cursor == 0:
                return index

    async def _records(self, lines: Mapping[str, str]) -> dict[str, Product]:
        """Products of index lines; one whose record has been superseded meanwhile is left out."""
        if not lines:
            return {}
        heads = [line.split(" ", 2) for line in lines.values()]
        records = await self.redis.hmget(self.keys.records, [head[1] for head in heads])
        return {
            i: replace(decode(record), version=int(head[0]))
            for i, head, record in zip(lines, heads, records, strict=True)
            if record is not None
        }


def _batches(ids: list[str]) -> Iterator[list[str]]:
    return (ids[first : first + BATCH] for first in range(0, len(ids), BATCH))


def _spelling(key: str, products: Iterable[Product]) -> str:
    skus = (variant.sku for product in products for variant in product.variants)
    return next((sku for sku in skus if sku_key(sku) == key), key)
