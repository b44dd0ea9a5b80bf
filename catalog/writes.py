"""A write to the catalogue, and the ways it can be refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from catalog.formats.reasons import Reason
from catalog.product import Product
from catalog.skus import sku_key

ANY = -1
"""Expected version of a product that may be at any version or absent; 0 means absent."""
DELETED = "-"
"""Stands for the revision of a product that is no more."""


@dataclass(frozen=True, slots=True)
class Staged:
    """What becomes of one product of an import: its record lies ready under `revision`.

    `revision` is `DELETED` and `sku_keys` is empty if the product goes.
    """

    id: str
    revision: str
    sku_keys: str = ""

    @classmethod
    def of(cls, product: Product, revision: str) -> "Staged":
        """`product`, whose record lies under `revision`."""
        return cls(product.id, revision, sku_keys(product))


def sku_keys(product: Product) -> str:
    """The keys of all its SKUs, with tabs between."""
    return "\t".join(sku_key(variant.sku) for variant in product.variants)


@dataclass(frozen=True, slots=True)
class Write:
    """One step: products to store and ids to delete, by whom and for what reason.

    `expected` holds product versions that must still be the present ones. `token` names the write:
    done twice under one name, it is done once.
    """

    actor: str
    puts: Sequence[Product] = ()
    deletes: Sequence[str] = ()
    expected: Mapping[str, int] = field(default_factory=dict)
    cause: str = "edit"
    token: str = ""


class ConflictError(Exception):
    """Someone changed the product first; nothing was written. `actual` has every such product."""

    def __init__(self, expected: int, actual: Mapping[str, int]) -> None:
        self.product_id, self.actual_version = next(iter(actual.items()))
        super().__init__(f"{self.product_id} is at version {self.actual_version}, not {expected}")
        self.expected, self.actual = expected, actual


class StaleImportError(Exception):
    """Another process has taken over the import that this write is part of; nothing was written."""


class SkuTakenError(Exception):
    """Another product has this SKU, however it is written; nothing was written."""

    def __init__(self, sku: str, product_id: str) -> None:
        super().__init__(f"SKU {sku} belongs to {product_id}")
        self.sku, self.product_id = sku, product_id

    def has_key(self, keys: str) -> bool:
        """Whether it is one of the SKU keys in `keys`, tabs between."""
        return sku_key(self.sku) in keys.split("\t")


class InvalidProductError(ValueError):
    """A product that may not enter the catalogue; `problems` says why, nothing was written."""

    def __init__(self, product_id: str, found: Sequence[Reason]) -> None:
        self.product_id, self.problems = product_id, tuple(why.reason for why in found)
        super().__init__(f"{product_id}: {'; '.join(self.problems)}")
