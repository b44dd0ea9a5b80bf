"""From a change of the catalogue to the next answer.

Live facts count at once: the records' record is exchanged in the step in which the change arrives.
A new text counts once it is encoded, which goes on behind; until then the product is found by its
old text and answered from its new record.
"""

import asyncio
import logging
from collections.abc import Sequence

from catalog.product import Product
from pipeline.records import Records
from pipeline.retriever import Retriever, found_by

log = logging.getLogger(__name__)


class Refresher:
    """Applies changes to the records at once and to the index behind. One event loop."""

    def __init__(self, records: Records, retriever: Retriever) -> None:
        self._records = records
        self._retriever = retriever
        self._waiting: dict[str, Product | None] = {}
        self._task: asyncio.Task[None] | None = None

    def apply(self, changed: Sequence[Product], removed: Sequence[str], version: int) -> None:
        """The catalogue is at `version`: these products changed, these ids are gone."""
        for product in changed:
            old = self._records.get(product.id)
            if old is None or found_by(old) != found_by(product):
                self._waiting[product.id] = product
        for product_id in removed:
            if self._records.get(product_id) is not None:
                self._waiting[product_id] = None
        self._records.apply(changed, removed, version)
        self._work()

    def resync(self, products: Sequence[Product], version: int) -> None:
        """The whole catalogue as it is at `version`, after a gap in the changes."""
        known = {product.id for product in products}
        gone = [p.id for p in self._records.products() if p.id not in known]
        old = {p.id: p.version for p in self._records.products()}
        self.apply([p for p in products if old.get(p.id) != p.version], gone, version)

    @property
    def pending(self) -> int:
        """Products whose text is not yet searchable as it is now."""
        return len(self._waiting)

    async def settled(self) -> None:
        """Wait until every text is searchable as it is now."""
        while self._task is not None:
            await asyncio.shield(self._task)

    async def close(self) -> None:
        """Stop encoding."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def _work(self) -> None:
        if self._waiting and self._task is None:
            self._task = asyncio.create_task(self._drain())

    async def _drain(self) -> None:
        try:
            while self._waiting:
                batch = dict(list(self._waiting.items())[: self._retriever.batch])
                await self._encode(batch)
        finally:
            self._task = None

    async def _encode(self, batch: dict[str, Product | None]) -> None:
        """Encode one batch; what changed again meanwhile stays waiting."""
        changed = [product for product in batch.values() if product is not None]
        removed = [product_id for product_id, product in batch.items() if product is None]
        try:
            await self._retriever.update(changed, removed)
        except Exception:
            log.exception("%d changed products could not be encoded: kept as they were", len(batch))
        for product_id, product in batch.items():
            if self._waiting.get(product_id, ...) is product:
                del self._waiting[product_id]
