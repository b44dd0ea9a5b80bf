"""What an import will do, laid ready out of sight, and the moment that it is seen.

Records come first, then every product's place beside the present one (`lua/prepare.lua`), a few
at a time; `lua/commit.lua` shows them all by writing one field. So Redis is never held for long,
however large the import, and whoever dies on the way has changed nothing.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from catalog.collect import Pause
from catalog.import_records import ImportRecords
from catalog.keys import text
from catalog.product import Product
from catalog.scripts import Argument, script
from catalog.store import CatalogStore, meta
from catalog.writes import ANY, DELETED, ConflictError, SkuTakenError, Staged, StaleImportError

BATCH = 200
"""Products per round trip."""
LISTED = 1000
"""Larger imports name no ids in the stream: followers compare the index."""
_BACK = "="


class Staging:
    """What one process has laid ready for one import, under the import's token."""

    def __init__(
        self, store: CatalogStore, records: ImportRecords, import_id: str, token: str
    ) -> None:
        self.items: dict[str, Staged] = {}
        self.import_id, self.token = import_id, token
        self._expected: dict[str, int] = {}
        self._store, self._records = store, records
        self._prepare = script(store.redis, "prepare")
        self._commit = script(store.redis, "commit")
        self._held: dict[str, Product] = {}
        self._prepared: dict[str, Staged] = {}
        self._former: dict[str, str] = {}
        self._disputes: dict[tuple[str, str], str] = {}
        self._replaced: list[str] = []
        self._count = 0

    async def clear_leftovers(self) -> None:
        """Drop the records that a process that died before had laid ready."""
        await self._store.unstage(await self._records.take_staged(self.import_id))

    async def add(self, product: Product, expected: int) -> None:
        """Store `product`, if it is still at version `expected` then."""
        self.drop(product.id)
        revision = f"{self.token}-{self._count}"
        self._count += 1
        self._held[revision] = product
        self.items[product.id] = Staged.of(product, revision)
        self._expected[product.id] = expected
        if len(self._held) >= BATCH:
            await self._flush()

    def remove(self, product_id: str, expected: int = ANY) -> None:
        """Delete a product."""
        self.drop(product_id)
        self.items[product_id] = Staged(product_id, DELETED)
        self._expected[product_id] = expected

    def drop(self, product_id: str) -> None:
        """Leave this product alone after all."""
        staged = self.items.pop(product_id, None)
        if staged is not None and staged.revision != DELETED:
            self._replaced.append(staged.revision)

    async def _flush(self) -> None:
        if self._held:
            staged = f"{self.token}:{self._count}"
            await self._records.step(self.import_id, self.token, staged=staged)
            await self._store.stage(self._held)
            self._held = {}

    async def discard(self) -> None:
        """Drop all records; only when no commit can show them any more."""
        await self._store.unstage([f"{self.token}-{number}" for number in range(self._count)])

    async def commit(self, actor: str, cause: str, pause: Pause) -> int:
        """Show everything at once; the catalogue version after it.

        Raises `ConflictError` or `SkuTakenError` if others were faster: then drop or add the
        products anew and commit again. Raises `StaleImportError`.
        """
        await self._flush()
        who = meta(actor, cause)
        await self._prepare_all(who, pause)
        ids = list(self.items)
        listed = json.dumps(ids, ensure_ascii=False) if len(ids) <= LISTED else ""
        keys = [*self._store.keys.all, self._records.key(self.import_id)]
        stream = self._store.config.stream
        outcome, *details = await self._commit(keys, [self.token, who, stream, listed])
        match text(outcome):
            case "stale":
                raise StaleImportError
            case "lost":
                await self._lost([text(product_id) for product_id in details])
        await self._store.unstage(self._replaced)
        return int(details[0])

    async def _lost(self, ids: list[str]) -> None:
        for product_id in ids:
            self._prepared.pop(product_id, None)
        index = await self._store.read("index", ids)
        actual = {i: int(index.get(i, "0").split(" ")[0]) for i in ids}
        raise ConflictError(self._expected.get(ids[0], ANY), actual)

    async def _prepare_all(self, who: str, pause: Pause) -> None:
        """Prepare what was not, or was changed since; and what depended on that."""
        self._unsettled()
        while todo := self._unprepared():
            conflicts: dict[str, int] = {}
            for number, batch in enumerate(_batches(todo), start=1):
                reply = await self._prepare(self._store.keys.all, self._arguments(batch, who))
                actual, disputes = ([text(cell) for cell in part] for part in reply)
                conflicts |= dict(zip(actual[::2], map(int, actual[1::2]), strict=True))
                self._note(batch, conflicts)
                self._dispute(disputes)
                await pause(number * BATCH)
            if conflicts:
                raise ConflictError(self._expected[next(iter(conflicts))], conflicts)
        if taken := self._unsettled():
            raise SkuTakenError(*taken[0])

    def _unprepared(self) -> list[str]:
        todo = [i for i, staged in self.items.items() if self._prepared.get(i) != staged]
        return todo + [i for i in self._former if i not in self.items]

    def _dispute(self, cells: list[str]) -> None:
        """Note who has SKU keys that others of the import want, or want no more."""
        for key, having, wanting in zip(cells[::3], cells[1::3], cells[2::3], strict=True):
            if wanting:
                self._disputes[key, wanting] = having
            else:
                self._prepared.pop(having, None)

    def _unsettled(self) -> list[tuple[str, str]]:
        """SKU keys that another product has and does not give up in this import, and who has them.

        Both products are to be prepared anew.
        """
        found = []
        for (key, wanting), having in list(self._disputes.items()):
            if not self._has(wanting, key):
                del self._disputes[key, wanting]
            elif having not in self.items or self._has(having, key):
                del self._disputes[key, wanting]
                self._prepared.pop(wanting, None)
                self._prepared.pop(having, None)
                found.append((key, having))
        return found

    def _has(self, product_id: str, key: str) -> bool:
        staged = self.items.get(product_id)
        return staged is not None and key in staged.sku_keys.split("\t")

    def _arguments(self, batch: Sequence[str], who: str) -> list[Argument]:
        arguments: list[Argument] = [self.token, who, self._store.config.history]
        for product_id in batch:
            staged = self.items.get(product_id, Staged(product_id, _BACK))
            back = staged.revision == _BACK
            expected = ANY if back else self._expected[product_id]
            former = self._former.get(product_id, "")
            arguments += [product_id, expected, staged.revision, staged.sku_keys, former]
        return arguments

    def _note(self, batch: Sequence[str], conflicts: Mapping[str, int]) -> None:
        for product_id in batch:
            staged = self.items.get(product_id)
            if staged is None:
                self._prepared.pop(product_id, None)
                self._former.pop(product_id, None)
            elif product_id not in conflicts:
                self._prepared[product_id] = staged
                self._former[product_id] = staged.sku_keys


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[first : first + BATCH] for first in range(0, len(ids), BATCH))
