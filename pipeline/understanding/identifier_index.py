"""Exact identifiers of the products in memory: SKUs, ids, barcodes, model numbers."""

import re
from collections import Counter
from collections.abc import Iterable

from catalog.product import Product
from pipeline.lexicon.words import fold, shape

PART = re.compile(r"[a-z0-9]+")
SHORT = 5
"""A number of so many digits or fewer counts only after a word such as SKU."""


def key_of(text: str) -> str:
    """What identifiers are compared by; a number's leading zeros do not count."""
    key = "".join(PART.findall(fold(text)))
    return key.lstrip("0") or key if key.isdigit() and len(key) > SHORT else key


class IdentifierIndex:
    """Identifiers of the products in memory; `models`: how shops call a model number."""

    def __init__(self, models: Iterable[str] = ()) -> None:
        self._models = frozenset(map(shape, models))
        self._owners: dict[str, dict[str, str | None]] = {}
        self._heads: Counter[str] = Counter()
        self._shapes: Counter[tuple[str, ...]] = Counter()
        self._known: dict[str, tuple[tuple[str, str | None], ...]] = {}
        self._numbered: set[str] = set()

    def copy(self) -> "IdentifierIndex":
        """The same, to be changed alone."""
        copied = IdentifierIndex()
        copied._models = self._models
        copied._owners = {key: dict(owners) for key, owners in self._owners.items()}
        copied._heads, copied._shapes = self._heads.copy(), self._shapes.copy()
        copied._known, copied._numbered = dict(self._known), set(self._numbered)
        return copied

    def add(self, product: Product) -> None:
        """Know `product` from now on."""
        self.remove(product.id)
        rows = self._known[product.id] = tuple(self._rows(product))
        for written, sku in rows:
            self._owners.setdefault(key_of(written), {}).setdefault(product.id, sku)
            self._heads.update(_heads(written))
            self._shapes[_shape(parts_of(written))] += 1
        if any(shape(n) in self._models for t in product.texts.values() for n, _ in t.attributes):
            self._numbered.add(product.id)

    def remove(self, product_id: str) -> None:
        """Forget it, whatever it was."""
        self._numbered.discard(product_id)
        for written, _ in self._known.pop(product_id, ()):
            owners = self._owners.get(key_of(written), {})
            owners.pop(product_id, None)
            if not owners:
                self._owners.pop(key_of(written), None)
            self._heads.subtract(_heads(written))
            self._shapes.subtract([_shape(parts_of(written))])

    def find(self, key: str) -> tuple[str, str | None] | None:
        """The product, and the variant if it is one's, with this `key_of`."""
        owners = self._owners.get(key)
        return next(iter(owners.items())) if owners else None

    @property
    def has_models(self) -> bool:
        """Whether the shop tells model numbers at all."""
        return bool(self._numbered)

    def is_alike(self, parts: list[str]) -> bool:
        """Whether the shop has identifiers that look like this and begin like this."""
        if parts[0].isdigit():
            return self._shapes[_shape(parts)] > 0
        return len(parts) > 2 and any(
            self._heads["-".join(parts[:length])] > 0 for length in range(len(parts) - 1, 0, -1)
        )

    def _rows(self, product: Product) -> Iterable[tuple[str, str | None]]:
        """Everything that the product is found by exactly; a lone variant is not told apart."""
        alone = len(product.variants) == 1
        yield product.id, None
        for variant in product.variants:
            sku = None if alone else variant.sku
            if variant.sku != product.id:
                yield variant.sku, sku
            if variant.gtin:
                yield variant.gtin, sku
        for text in product.texts.values():
            for name, value in text.attributes:
                if shape(name) in self._models and _is_code(value):
                    yield value, None


def parts_of(written: str) -> list[str]:
    return PART.findall(fold(written))


def _heads(written: str) -> list[str]:
    """What identifiers of the same family begin with: all but the last part."""
    parts = parts_of(written)
    return ["-".join(parts[:length]) for length in range(1, len(parts))] if len(parts) > 2 else []


def _shape(parts: list[str]) -> tuple[str, ...]:
    """Which of the parts are numbers, and how long they are."""
    return tuple(f"9{len(part)}" if part.isdigit() else "a" for part in parts)


def _is_code(value: str) -> bool:
    return any(c.isdigit() for c in value) and len(key_of(value)) > 2 and len(value) <= 40
