"""Taking an import back: every product becomes what it was, unless someone changed it since."""

from dataclasses import replace

from catalog.audit import DELETED, HistoryLine, logged, records_of
from catalog.import_records import ImportRecords
from catalog.product import Product
from catalog.staging import ATTEMPTS, Staging
from catalog.store import CatalogStore
from catalog.writes import ConflictError, SkuTakenError, Write


async def undo_import(
    store: CatalogStore, records: ImportRecords, staging: Staging, actor: str
) -> None:
    """Undo the import that `staging` belongs to, in one write.

    Products that were changed since are left as they are, and counted as `kept`.
    """
    record = await records.get(staging.import_id)
    changed = await records.ids(record.id)
    logs = await logged(store, changed)
    touched = [i for i, log in logs.items() if any(x.version == record.version for x in log)]
    untouched = {i: log for i, log in logs.items() if log[0].version == record.version}
    before = await _before(store, untouched)
    for product in before.values():
        if product is not None:
            await staging.add(product)
    deletes = [i for i, product in before.items() if product is None]
    expected = {i: 0 if log[0].revision == DELETED else record.version for i, log in logs.items()}
    key, cause = records.key(record.id), f"undo:{record.id}"
    write = Write(actor, (), deletes, expected, cause, (), key, staging.token)
    version, write = await _show(staging, write)
    put_back = len(staging.items) + len(write.deletes)
    await records.update(record.id, undone_by=actor, kept=len(touched) - put_back)
    if put_back == 0:
        await records.step(record.id, staging.token, state="undone", undo_version=version)


async def _before(
    store: CatalogStore, logs: dict[str, list[HistoryLine]]
) -> dict[str, Product | None]:
    """What each product was before its newest change; None if it was not.

    One whose record is no longer kept is left out.
    """
    was = {i: log[1].revision if len(log) > 1 else DELETED for i, log in logs.items()}
    records = await records_of(store, {i: r for i, r in was.items() if r != DELETED})
    absent = [i for i, revision in was.items() if revision == DELETED]
    return {**records, **dict.fromkeys(absent)}


async def _show(staging: Staging, write: Write) -> tuple[int, Write]:
    """Do it, leaving alone what someone changes meanwhile; the version and what was done."""
    for _ in range(ATTEMPTS):
        try:
            staged = tuple(staging.items.values())
            return await staging.show(replace(write, staged=staged)), write
        except ConflictError as conflict:
            for product_id in conflict.actual:
                staging.drop(product_id)
            write = replace(write, deletes=[i for i in write.deletes if i not in conflict.actual])
        except SkuTakenError as taken:
            for product_id in [i for i, s in staging.items.items() if taken.has_key(s.sku_keys)]:
                staging.drop(product_id)
    raise ConflictError(0, dict.fromkeys(staging.items, 0))
