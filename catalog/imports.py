"""Imports: from an uploaded file to a changed catalogue, in one step that can be undone.

`receive` keeps the file. `preview` says what it would do and writes nothing. `apply` lays every
new record ready, out of sight, and shows them all in one write; whoever dies on the way leaves the
catalogue as it was, and the import can be applied again. `undo` puts back what is still as the
import left it.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from redis.asyncio import Redis
from redis.exceptions import RedisError

from catalog.aftermath import Aftermaths, Kept
from catalog.formats.model import FileError, Limits
from catalog.import_records import (
    LEASE_S,
    ImportBusyError,
    ImportOptions,
    ImportRecord,
    ImportRecords,
    State,
)
from catalog.import_work import ImportWork, Tools, TooManyRemovalsError, Watch
from catalog.plan import Plan
from catalog.staging import Staging
from catalog.store import CatalogStore
from catalog.undo import undo_import
from catalog.uploads import Uploads
from catalog.writes import ConflictError, SkuTakenError, StaleImportError

ATTEMPTS = 1000
"""How often others may change products of an import before it gives up."""
_FROM: tuple[State, ...] = ("received", "refused", "failed", "undone")


@dataclass(frozen=True, slots=True)
class ImporterConfig:
    """`limits`: of one file. `prefix`: of the keys in Redis. `lease_s`: seconds without a sign of
    life after which an import counts as interrupted."""

    limits: Limits = field(default_factory=Limits)
    prefix: str = "{hotshelf}:imports"
    lease_s: float = LEASE_S


class Importer:
    """Imports into one catalogue. `redis` must not decode its replies."""

    def __init__(
        self, redis: Redis, store: CatalogStore, config: ImporterConfig | None = None
    ) -> None:
        self.config = config or ImporterConfig()
        self.store = store
        self.records = ImportRecords(redis, self.config.prefix, self.config.lease_s)
        self.aftermaths = Aftermaths(redis, self.records.key)
        self._uploads = Uploads(redis, self.config.limits)
        self._tools = Tools(store, self.records, self._uploads, self.config.limits)

    async def receive(
        self, file: AsyncIterator[bytes], name: str, *, actor: str, options: ImportOptions
    ) -> str:
        """Keep an uploaded file; the id of its import. Raises `FileError` or `ValueError`."""
        if options.sync and options.mode != "all":
            raise ValueError("a full sync must be applied as a whole")
        import_id = await self.records.create(actor, name, options)
        size = await self._uploads.save(self.records.key(import_id, "file"), file)
        await self.records.update(import_id, size=size)
        return import_id

    async def preview(self, import_id: str, watch: Watch | None = None) -> ImportRecord:
        """What `apply` would do now; nothing is written but the import's own record.

        What the products would be is kept in `aftermaths`, to compare answers with. A file that
        cannot be read, or a sync that would remove too much, is in the record's `error`. Raises
        `ImportUnknownError` or `ImportBusyError`.
        """
        token = await self.records.claim(import_id, "planning", _FROM)
        kept = Kept()
        work = ImportWork(self._tools, import_id, token, watch, kept)
        await self.aftermaths.clear(import_id)
        try:
            plan = await work.plan()
            async for _ in work.changes(plan):
                pass
            await work.removals(plan)
            await self._keep(work, kept)
        except TooManyRemovalsError as error:
            await work.fail(error)
            await self._keep(work, kept)
        except FileError as error:
            await work.fail(error)
        finally:
            with contextlib.suppress(StaleImportError):
                await self.records.step(import_id, token, state="received")
        return await self.records.get(import_id)

    async def _keep(self, work: ImportWork, kept: Kept) -> None:
        """Keep what the products would be, unless another process took the import over."""
        await self.records.step(work.import_id, work.token)
        await self.aftermaths.save(work.import_id, kept)

    async def apply(self, import_id: str, watch: Watch | None = None) -> ImportRecord:
        """Do it, wholly or not at all; how it ended is in the record's `state` and `error`.

        Raises `ImportUnknownError` or `ImportBusyError`; `StaleImportError` when another process
        took the import over.
        """
        token = await self.records.claim(import_id, "storing", _FROM)
        work = ImportWork(self._tools, import_id, token, watch)
        staging = Staging(self.store, self.records, import_id, token)
        try:
            await self.aftermaths.clear(import_id)
            await staging.clear_leftovers()
            if await self._apply(work, staging):
                return await self.records.get(import_id)
            reason, code = "some rows are wrong, and it was to be all or nothing", "rows_refused"
            await self.records.step(
                import_id, token, state="refused", error=reason, error_code=code
            )
        except (FileError, TooManyRemovalsError) as error:
            await work.fail(error)
            await self.records.step(import_id, token, state="failed")
        except BaseException as error:
            await asyncio.shield(self._give_up(import_id, token, staging, error))
            raise
        await staging.discard()
        return await self.records.get(import_id)

    async def _apply(self, work: ImportWork, staging: Staging) -> bool:
        """Whether it was applied; not, if rows are wrong that it may not go without."""
        plan = await work.plan()
        async for change in work.changes(plan):
            if change.new is not None:
                await staging.add(change.new, plan.expected[change.product_id])
        removed = await work.removals(plan)
        if plan.stopped:
            return False
        for product_id in removed:
            staging.remove(product_id)
        await self.records.save_ids(work.import_id, list(staging.items))
        version = await self._show(work, plan, staging)
        await work.save(plan, len(removed))
        return version

    async def _show(self, work: ImportWork, plan: Plan, staging: Staging) -> bool:
        """Commit, planning anew what others change meanwhile; False if it may not go on."""
        actor = (await self.records.get(work.import_id)).actor
        for _ in range(ATTEMPTS):
            if not staging.items:
                now = await self.store.version()
                await self.records.step(work.import_id, work.token, state="applied", version=now)
                return True
            try:
                await staging.commit(actor, f"import:{work.import_id}", work.pause)
            except ConflictError as conflict:
                again = list(conflict.actual)
            except SkuTakenError as taken:
                again = plan.refuse_sku(taken.sku, taken.product_id)
            else:
                return True
            await work.plan_again(plan, staging, again)
            if plan.stopped:
                return False
        raise ImportBusyError("overtaken by other edits again and again")

    async def _give_up(
        self, import_id: str, token: str, staging: Staging, error: BaseException
    ) -> None:
        """Say that it failed, if it has not been applied after all."""
        reason = f"it was broken off: {type(error).__name__}"
        with contextlib.suppress(RedisError, OSError, StaleImportError):
            await self.records.step(
                import_id, token, state="failed", error=reason, error_code="interrupted"
            )
            await staging.discard()

    async def undo(self, import_id: str, *, actor: str) -> ImportRecord:
        """Put back what the import changed, but for what others changed since (`kept`).

        Raises `ImportUnknownError`, or `ImportBusyError` when it is not applied.
        """
        token = await self.records.claim(import_id, "undoing", ("applied",))
        staging = Staging(self.store, self.records, import_id, token)
        try:
            await staging.clear_leftovers()
            pause = ImportWork(self._tools, import_id, token).pause
            await undo_import(self.store, self.records, staging, actor, pause)
        except BaseException:
            with contextlib.suppress(RedisError, OSError, StaleImportError):
                await asyncio.shield(self.records.step(import_id, token, state="applied"))
                await asyncio.shield(staging.discard())
            raise
        return await self.records.get(import_id)
