"""One run over one import: reading its file, comparing it with the catalogue, and saying so."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import BinaryIO

import msgspec

from catalog.aftermath import Kept
from catalog.cancellation import obey_cancellation
from catalog.collect import collect
from catalog.diff import changes
from catalog.formats.model import FileError, Limits, ReadOptions
from catalog.formats.read import Reading, read
from catalog.import_records import ImportOptions, ImportRecords, ProductDiff
from catalog.merge import MergeRules
from catalog.plan import Change, Plan
from catalog.staging import Staging
from catalog.store import CatalogStore
from catalog.uploads import Uploads

SHOWN = 1000
"""Products whose changes are kept to look at, field by field."""
_BEAT_S = 1.0

Watch = Callable[[Change], None]
"""Told every product that is created, updated or removed, before and after."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a run works with."""

    store: CatalogStore
    records: ImportRecords
    uploads: Uploads
    limits: Limits


class TooManyRemovalsError(Exception):
    """A full sync would remove more of the catalogue than allowed, and nobody confirmed it."""


class ImportWork:
    """One run over one import, told to the record as it goes on."""

    def __init__(
        self,
        tools: Tools,
        import_id: str,
        token: str,
        watch: Watch | None = None,
        kept: Kept | None = None,
    ) -> None:
        self.import_id, self.token = import_id, token
        self._tools, self._watch, self._kept = tools, watch, kept
        self._records = tools.records
        self._diffs: list[ProductDiff] = []
        self._phase, self._told = "reading", ""
        self._beat = 0.0

    async def pause(self, done: int) -> None:
        """Let other work go on; say every second, and in each new phase, that one is alive."""
        await asyncio.sleep(0)
        obey_cancellation()
        if self._phase != self._told or time.monotonic() - self._beat > _BEAT_S:
            self._beat, self._told = time.monotonic(), self._phase
            await self._records.step(self.import_id, self.token, phase=self._phase, done=done)

    async def plan(self) -> Plan:
        """Read the file and find out which product each row is for. Raises `FileError`."""
        options = (await self._records.get(self.import_id)).options
        file = await self._tools.uploads.open(self._records.key(self.import_id, "file"))
        with file, await self._look_at(file, options) as reading:
            collected = await collect(reading, self.pause)
            detected = msgspec.json.encode(reading.noted())
        await self._records.step(self.import_id, self.token, detected=detected, error="")
        rules = MergeRules(options.locale, whole=options.sync)
        plan = Plan(self._tools.store, rules, collected, options.mode == "all")
        await plan.resolve()
        return plan

    async def _look_at(self, file: BinaryIO, options: ImportOptions) -> Reading:
        """The first pass over the file, in a thread: it cannot be paused."""
        stop = threading.Event()

        def progress(phase: str, rows: int) -> None:
            self._phase = phase
            if stop.is_set():
                raise InterruptedError

        chosen = _read_options(options, self._tools.limits)
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
        if self._kept is not None:
            self._kept.note(change)
        if len(self._diffs) < SHOWN and change.kind != "unchanged":
            fields = changes(change.old, change.new)
            self._diffs.append(ProductDiff(change.product_id, change.kind, fields))

    async def removals(self, plan: Plan) -> list[str]:
        """What a full sync removes; counts are saved. Raises `TooManyRemovalsError`."""
        removed = [] if plan.stopped else await plan.removals()
        if self._kept is not None:
            self._kept.remove(removed)
        if removed and (self._watch is not None or len(self._diffs) < SHOWN):
            for product in (await self._tools.store.get_many(removed)).values():
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
