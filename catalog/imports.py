"""Imports: from an uploaded file to a changed catalogue, in one step that can be undone.

`receive` keeps the file. `preview` says what it would do and writes nothing. `apply` lays every
new record ready, out of sight, and shows them all in one write; whoever dies on the way leaves the
catalogue as it was, and the import can be applied again. `undo` puts back what is still as the
import left it.
"""

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import BinaryIO

import msgspec
from redis.asyncio import Redis
from redis.exceptions import RedisError

from catalog.cancellation import obey_cancellation
from catalog.collect import collect
from catalog.diff import changes
from catalog.formats.model import FileError, Limits, ReadOptions
from catalog.formats.read import Reading, read
from catalog.import_records import (
    LEASE_S,
    ImportBusyError,
    ImportOptions,
    ImportRecord,
    ImportRecords,
    ProductDiff,
    State,
)
from catalog.merge import MergeRules
from catalog.plan import Change, Plan
from catalog.staging import Staging
from catalog.store import CatalogStore
from catalog.undo import undo_import
from catalog.uploads import Uploads
from catalog.writes import ConflictError, SkuTakenError, StaleImportError

SHOWN = 1000
"""Products whose changes are kept to look at, field by field."""
ATTEMPTS = 1000
"""How often others may change products of an import before it gives up."""
_FROM: tuple[State, ...] = ("received", "refused", "failed", "undone")
_BEAT_S = 1.0

Watch = Callable[[Change], None]
"""Told every product that is created, updated or removed, before and after."""


@dataclass(frozen=True, slots=True)
class ImporterConfig:
    """`limits`: of one file. `prefix`: of the keys in Redis. `lease_s`: seconds without a sign of
    life after which an import counts as interrupted."""

    limits: Limits = field(default_factory=Limits)
    prefix: str = "{hotshelf}:imports"
    lease_s: float = LEASE_S


class TooManyRemovalsError(Exception):
    """A full sync would remove more of the catalogue than allowed, and nobody confirmed it."""


class Importer:
    """Imports into one catalogue. `redis` must not decode its replies."""

    def __init__(
        self, redis: Redis, store: CatalogStore, config: ImporterConfig | None = None
    ) -> None:
        self.config = config or ImporterConfig()
        self.store = store
        self.records = ImportRecords(redis, self.config.prefix, self.config.lease_s)
        self.uploads = Uploads(redis, self.config.limits)

    async def receive(
        self, file: AsyncIterator[bytes], name: str, *, actor: str, options: ImportOptions
    ) -> str:
        """Keep an uploaded file; the id of its import. Raises `FileError` or `ValueError`."""
        if options.sync and options.mode != "all":
            raise ValueError("a full sync must be applied as a whole")
        import_id = await self.records.create(actor, name, options)
        size = await self.uploads.save(self.records.key(import_id, "file"), file)
        await self.records.update(import_id, size=size)
        return import_id

    async def preview(self, import_id: str, watch: Watch | None = None) -> ImportRecord:
        """What `apply` would do now; nothing is written but the import's own record.

        A file that cannot be read, or a sync that would remove too much, is in the record's
        `error`. Raises `ImportUnknownError` or `ImportBusyError`.
        """
        token = await self.records.claim(import_id, "planning", _FROM)
        work = _Work(self, import_id, token, watch)
        try:
            plan = await work.plan()
            async for _ in work.changes(plan):
                pass
            await work.removals(plan)
        except (FileError, TooManyRemovalsError) as error:
            await work.fail(error)
        finally:
            with contextlib.suppress(StaleImportError):
                await self.records.step(import_id, token, state="received")
        return await self.records.get(import_id)

    async def apply(self, import_id: str, watch: Watch | None = None) -> ImportRecord:
        """Do it, wholly or not at all; how it ended is in the record's `state` and `error`.

        Raises `ImportUnknownError` or `ImportBusyError`; `StaleImportError` when another process
        took the import over.
        """
        token = await self.records.claim(import_id, "storing", _FROM)
        work = _Work(self, import_id, token, watch)
        staging = Staging(self.store, self.records, import_id, token)
        try:
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

    async def _apply(self, work: "_Work", staging: Staging) -> bool:
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

    async def _show(self, work: "_Work", plan: Plan, staging: Staging) -> bool:
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
            pause = _Work(self, import_id, token, None).pause
            await undo_import(self.store, self.records, staging, actor, pause)
        except BaseException:
            with contextlib.suppress(RedisError, OSError, StaleImportError):
                await asyncio.shield(self.records.step(import_id, token, state="applied"))
                await asyncio.shield(staging.discard())
            raise
        return await self.records.get(import_id)


class _Work:
    """One run over one import, told to the record as it goes on."""

    def __init__(self, importer: Importer, import_id: str, token: str, watch: Watch | None) -> None:
        self.import_id, self.token = import_id, token
        self._importer, self._watch = importer, watch
        self._records = importer.records
        self._diffs: list[ProductDiff] = []
        self._phase = "reading"
        self._beat = 0.0

    async def pause(self, done: int) -> None:
        """Let other work go on, and say every second that one is alive."""
        await asyncio.sleep(0)
        obey_cancellation()
        if time.monotonic() - self._beat > _BEAT_S:
            self._beat = time.monotonic()
            await self._records.step(self.import_id, self.token, phase=self._phase, done=done)

    async def plan(self) -> Plan:
        """Read the file and find out which product each row is for. Raises `FileError`."""
        options = (await self._records.get(self.import_id)).options
        file = await self._importer.uploads.open(self._records.key(self.import_id, "file"))
        with file, await self._look_at(file, options) as reading:
            collected = await collect(reading, self.pause)
            detected = msgspec.json.encode(reading.noted())
        await self._records.step(self.import_id, self.token, detected=detected, error="")
        rules = MergeRules(options.locale, whole=options.sync)
        plan = Plan(self._importer.store, rules, collected, options.mode == "all")
        await plan.resolve()
        return plan

    async def _look_at(self, file: BinaryIO, options: ImportOptions) -> Reading:
        """The first pass over the file, in a thread: it cannot be paused."""
        stop = threading.Event()

        def progress(phase: str, rows: int) -> None:
            self._phase = phase
            if stop.is_set():
                raise InterruptedError

        chosen = _read_options(options, self._importer.config.limits)
        task = asyncio.create_task(asyncio.to_thread(read, file, chosen, progress))
        try:
            while not task.done():
                await asyncio.wait({task}, timeout=_BEAT_S)
                await self.pause(0)
        finally:
            stop.set()
            await asyncio.wait({task})
        return task.result()

    async def changes(self, plan: Plan) -> AsyncIterator[Change]:
        """What is created and updated."""
        self._phase = "comparing"
        async for change in plan.changes(self.pause):
            self._note(change)
            yield change
        self._phase = "storing"

    async def plan_again(self, plan: Plan, staging: Staging, ids: list[str]) -> None:
        """Plan some products as they are now; those that a sync removes are removed as they are."""
        planned = [i for i in ids if i in plan.targets]
        for product_id in planned:
            staging.drop(product_id)
        async for change in plan.changes(self.pause, only=planned):
            if change.new is not None:
                await staging.add(change.new, plan.expected[change.product_id])

    def _note(self, change: Change) -> None:
        if self._watch is not None:
            self._watch(change)
        if len(self._diffs) < SHOWN and change.kind != "unchanged":
            fields = changes(change.old, change.new)
            self._diffs.append(ProductDiff(change.product_id, change.kind, fields))

    async def removals(self, plan: Plan) -> list[str]:
        """What a full sync removes; counts are saved. Raises `TooManyRemovalsError`."""
        removed = [] if plan.stopped else await plan.removals()
        if removed and (self._watch is not None or len(self._diffs) < SHOWN):
            for product in (await self._importer.store.get_many(removed)).values():
                self._note(Change("removed", product, None))
        await self.save(plan, len(removed))
        options = (await self._records.get(self.import_id)).options
        total = len(removed) + len(plan.kinds) - plan.product_counts().created
        if removed and not options.confirmed and len(removed) > options.max_removed * total:
            raise TooManyRemovalsError(
                f"{len(removed)} of {total} products are not in the file and would be removed: "
                "confirm it if that is right"
            )
        return removed

    async def save(self, plan: Plan, removed: int) -> None:
        """Keep counts, row errors and changes."""
        errors = plan.errors
        await self._records.save_errors(self.import_id, errors)
        await self._records.save_diffs(self.import_id, self._diffs)
        await self._records.update(
            self.import_id,
            rows=msgspec.json.encode(plan.row_counts()),
            products=msgspec.json.encode(plan.product_counts(removed)),
            errors=len(errors),
        )

    async def fail(self, error: FileError | TooManyRemovalsError) -> None:
        """Note why the file as a whole cannot be imported."""
        code = error.code if isinstance(error, FileError) else "too_many_removals"
        fields: dict[str, str | bytes] = {"error": str(error), "error_code": code}
        if isinstance(error, FileError) and error.detected is not None:
            fields["detected"] = msgspec.json.encode(error.detected)
        await self._records.step(self.import_id, self.token, **fields)


def _read_options(options: ImportOptions, limits: Limits) -> ReadOptions:
    return ReadOptions(options.currency, options.locale, options.decimals, options.encoding, limits)
