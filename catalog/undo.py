"""Taking an import back: every product becomes what it was, unless someone changed it since."""

from catalog.audit import HistoryLine, logged, records_of
from catalog.collect import Pause
from catalog.import_records import ImportRecords
from catalog.product import Product
from catalog.staging import Staging
from catalog.store import CatalogStore
from catalog.writes import DELETED, ConflictError, SkuTakenError

ATTEMPTS = 1000
"""How often others may change products of the import before the undo gives up."""


async def undo_import(
    store: CatalogStore, records: ImportRecords, staging: Staging, actor: str, pause: Pause
) -> None:
    """Undo the import that `staging` belongs to, in one step.

    Products that were changed since are left as they are, and counted as `kept`.
    """
    record = await records.get(staging.import_id)
    logs = await logged(store, await records.ids(record.id))
    touched = [i for i, log in logs.items() if any(x.version == record.version for x in log)]
    untouched = {i: log for i, log in logs.items() if log[0].version == record.version}
    for product_id, product in (await _before(store, untouched)).items():
        expected = 0 if untouched[product_id][0].revision == DELETED else record.version
        if product is None:
            staging.remove(product_id, expected)
        else:
            await staging.add(product, expected)
    version = await _show(store, staging, actor, pause)
    await records.update(record.id, undone_by=actor, kept=len(touched) - len(staging.items))
    if not staging.items:
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


async def _show(store: CatalogStore, staging: Staging, actor: str, pause: Pause) -> int:
    """Commit, leaving alone what someone changes meanwhile."""
    for _ in range(ATTEMPTS):
        if not staging.items:
            return await store.version()
        try:
            return await staging.commit(actor, f"undo:{staging.import_id}", pause)
        except ConflictError as conflict:
            overtaken = list(conflict.actual)
        except SkuTakenError as taken:
            overtaken = [i for i, s in staging.items.items() if taken.has_key(s.sku_keys)]
        for product_id in overtaken:
            staging.drop(product_id)
    raise ConflictError(0, dict.fromkeys(staging.items, 0))
