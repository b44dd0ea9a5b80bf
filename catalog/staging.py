"""Records of an import, laid ready out of sight, and the one write that shows them."""

from dataclasses import replace

from catalog.collect import Pause
from catalog.import_records import ImportRecords
from catalog.plan import Plan
from catalog.product import Product
from catalog.store import CatalogStore
from catalog.writes import ConflictError, SkuTakenError, Staged, Write

BATCH = 200
"""Records per round trip."""
ATTEMPTS = 100
"""How often others may change a product of the import before it gives up."""


class Staging:
    """What one process has laid ready for one import, under revisions named by its token."""

    def __init__(
        self, store: CatalogStore, records: ImportRecords, import_id: str, token: str
    ) -> None:
        self.items: dict[str, Staged] = {}
        self.import_id, self.token = import_id, token
        self._store, self._records = store, records
        self._held: dict[str, Product] = {}
        self._replaced: list[str] = []
        self._count = 0

    async def clear_leftovers(self) -> None:
        """Drop what a process that died before had laid ready."""
        await self._store.unstage(await self._records.take_staged(self.import_id))

    async def add(self, product: Product) -> None:
        """Lay a product ready, in place of what was there for it before."""
        self.drop(product.id)
        revision = f"{self.token}-{self._count}"
        self._count += 1
        self.items[product.id] = Staged.of(product, revision)
        self._held[revision] = product
        if len(self._held) >= BATCH:
            await self.flush()

    def drop(self, product_id: str) -> None:
        """Do not show this product after all."""
        if (staged := self.items.pop(product_id, None)) is not None:
            self._replaced.append(staged.revision)

    async def flush(self) -> None:
        """Send what is held back. Raises `StaleImportError`."""
        if self._held:
            staged = f"{self.token}:{self._count}"
            await self._records.step(self.import_id, self.token, staged=staged)
            await self._store.stage(self._held)
            self._held = {}

    async def discard(self) -> None:
        """Drop everything; only when no write can show it any more."""
        await self._store.unstage([f"{self.token}-{number}" for number in range(self._count)])

    async def show(self, write: Write) -> int:
        """The write; the catalogue version after it."""
        await self.flush()
        version = await self._store.write(write)
        await self._store.unstage(self._replaced)
        return version


async def commit(plan: Plan, staging: Staging, write: Write, pause: Pause) -> int | None:
    """Show the plan in one write, planning anew what others change meanwhile.

    The catalogue version after it; None if rows turned out wrong that the plan may not go without.
    """
    for _ in range(ATTEMPTS):
        staged = tuple(staging.items.values())
        try:
            return await staging.show(replace(write, staged=staged, expected=plan.expected))
        except ConflictError as conflict:
            again = [i for i in conflict.actual if i in plan.targets]
            plan.expected |= conflict.actual
        except SkuTakenError as taken:
            again = plan.refuse_sku(taken.sku, taken.product_id)
        await _plan_again(plan, staging, again, pause)
        if plan.stopped:
            return None
    raise ConflictError(0, dict.fromkeys(again, 0))


async def _plan_again(plan: Plan, staging: Staging, ids: list[str], pause: Pause) -> None:
    for product_id in ids:
        staging.drop(product_id)
    async for change in plan.changes(pause, only=ids):
        if change.new is not None:
            await staging.add(change.new)
