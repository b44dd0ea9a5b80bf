"""The products in memory: where an answer's records come from, never from a database.

A `HotShelf` holds one immutable snapshot at a time; readers see either the old or the new one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from catalog.product import Product, Variant


@dataclass(frozen=True, slots=True)
class _Records:
    version: int = 0
    by_id: Mapping[str, Product] = field(default_factory=dict)
    by_sku: Mapping[str, tuple[Product, Variant]] = field(default_factory=dict)


class HotShelf:
    """Records by product id and by SKU, of one catalogue version."""

    def __init__(self) -> None:
        self._records = _Records()

    def replace(self, products: Iterable[Product], version: int) -> None:
        """Show these products, and no others, from now on."""
        by_id = {product.id: product for product in products}
        by_sku = {v.sku: (p, v) for p in by_id.values() for v in p.variants}
        self._records = _Records(version, by_id, by_sku)

    @property
    def version(self) -> int:
        """The catalogue version shown."""
        return self._records.version

    def __len__(self) -> int:
        return len(self._records.by_id)

    def products(self) -> tuple[Product, ...]:
        """All of them, in the order they were given."""
        return tuple(self._records.by_id.values())

    def get(self, product_id: str) -> Product | None:
        """The product with this id."""
        return self._records.by_id.get(product_id)

    def by_sku(self, sku: str) -> tuple[Product, Variant] | None:
        """The variant with this SKU, and its product."""
        return self._records.by_sku.get(sku)

    def resolve(self, reference: str) -> tuple[Product, Variant | None] | None:
        """The page that `reference`, a SKU or a product id, stands for."""
        if (named := self._records.by_sku.get(reference)) is not None:
            return named
        product = self._records.by_id.get(reference)
        return None if product is None else (product, None)
