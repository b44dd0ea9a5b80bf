"""What the shop's products are and are called by, kept current: identifiers and profiles.

It follows the records: one that changed is read again in the same step, unless only its price or
stock did, which are always read from the record itself.
"""

import asyncio
from collections.abc import Iterable, Sequence

from catalog.product import Product
from pipeline.records import Records
from pipeline.understanding.identifier_index import IdentifierIndex
from pipeline.understanding.profiler import Profiler
from pipeline.understanding.profiles import Profiles


class ShopIndex:
    """Identifiers and profiles of the products in memory. One event loop."""

    def __init__(self, records: Records, profiler: Profiler, models: Iterable[str] = ()) -> None:
        self._records, self._profiler, self._models = records, profiler, tuple(models)
        self._late: list[tuple[Sequence[Product], Sequence[str]]] | None = None
        self.identifiers = IdentifierIndex(self._models)
        self.profiles = Profiles(profiler)
        self._read: dict[str, tuple[object, ...]] = {}
        records.follow(self.change)

    def fork(self, records: Records) -> "ShopIndex":
        """As it is now, to follow `records`, a fork of the one that it follows, alone."""
        fork = ShopIndex(records, self._profiler, self._models)
        fork.identifiers, fork.profiles = self.identifiers.copy(), self.profiles.copy()
        fork._read = dict(self._read)
        return fork

    async def rebuild(self) -> None:
        """Read all records afresh, beside the event loop; changes meanwhile count too."""
        self._late = []
        try:
            built = await asyncio.to_thread(self._build, self._records.products())
        finally:
            late, self._late = self._late, None
        self.identifiers, self.profiles, self._read = built
        for changed, removed in late:
            self.change(changed, removed)

    def change(self, changed: Sequence[Product], removed: Sequence[str] = ()) -> None:
        """Know `changed` as they are now, and `removed` no more."""
        if self._late is not None:
            self._late.append((changed, removed))
        for product_id in removed:
            self._read.pop(product_id, None)
            self.identifiers.remove(product_id)
            self.profiles.remove(product_id)
        for product in changed:
            if self._read.get(product.id) != (read := _read_by(product)):
                self._read[product.id] = read
                self.identifiers.add(product)
                self.profiles.add(product)

    def _build(
        self, products: Sequence[Product]
    ) -> tuple[IdentifierIndex, Profiles, dict[str, tuple[object, ...]]]:
        identifiers, profiles = IdentifierIndex(self._models), Profiles(self._profiler)
        for product in products:
            identifiers.add(product)
            profiles.add(product)
        return identifiers, profiles, {product.id: _read_by(product) for product in products}


def _read_by(product: Product) -> tuple[object, ...]:
    """All of `product` but its prices and stock."""
    variants = tuple((v.sku, v.gtin, v.options) for v in product.variants)
    return (product.brand, product.texts, variants)
