"""The audit log: who changed a product, when, from what to what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from catalog.codec import decode
from catalog.diff import FieldChange, changes
from catalog.product import Product
from catalog.store import BATCH, CatalogStore


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One change as it is logged: the revision it led to."""

    version: int
    revision: str
    at: datetime
    actor: str
    cause: str


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One change with what it changed.

    `product` is the product after it, None if it was deleted. `cause` is `edit`, `delete`,
    `import:ID` or `undo:ID`.
    """

    version: int
    at: datetime
    actor: str
    cause: str
    changes: tuple[FieldChange, ...]
    product: Product | None


class _Meta(msgspec.Struct):
    actor: str = ""
    cause: str = ""


def parse_line(line: str) -> HistoryLine:
    """One line of a product's history: version, revision, milliseconds, and who and why."""
    version, revision, at, meta = line.split(" ", 3)
    who = msgspec.json.decode(meta, type=_Meta)
    when = datetime.fromtimestamp(int(at) / 1000, UTC)
    return HistoryLine(int(version), revision, when, who.actor, who.cause)


async def logged(store: CatalogStore, ids: Sequence[str]) -> dict[str, list[HistoryLine]]:
    """The logs of some products, newest first; those without one are left out."""
    logs = await store.read("history", ids)
    return {i: [parse_line(line) for line in log.split("\n")] for i, log in logs.items()}


async def records_of(store: CatalogStore, revisions: Mapping[str, str]) -> dict[str, Product]:
    """Products as they were at a revision, by id; those no longer kept are left out."""
    ids = list(revisions)
    found: dict[str, Product] = {}
    for first in range(0, len(ids), BATCH):
        batch = ids[first : first + BATCH]
        names = [revisions[product_id] for product_id in batch]
        records = await store.redis.hmget(store.keys.records, names)
        pairs = zip(batch, records, strict=True)
        found.update({i: decode(record) for i, record in pairs if record is not None})
    return found


async def history(store: CatalogStore, product_id: str) -> list[HistoryEntry]:
    """Every change of a product that is still kept, newest first; empty if there is none."""
    lines = (await logged(store, [product_id])).get(product_id, [])
    states = await records_of(store, {line.revision: line.revision for line in lines})
    before = [states.get(line.revision) for line in lines[1:]]
    entries = []
    for number, line in enumerate(lines):
        now = states.get(line.revision)
        first_kept = number == len(lines) - 1
        changed = changes(None, now) if first_kept else changes(before[number], now)
        entries.append(HistoryEntry(line.version, line.at, line.actor, line.cause, changed, now))
    return entries
