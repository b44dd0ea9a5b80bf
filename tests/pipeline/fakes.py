"""Small stand-ins for what a pipeline test does not look at."""

import threading
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from catalog.product import Money, Product, Text, Variant
from pipeline.encoder import Vectors


class LetterModel:
    """Vectors that count letters: alike texts are near, and it is known why."""

    name = "letters"
    dimension = 26

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.gate = threading.Event()
        self.gate.set()

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        self.gate.wait(timeout=10)
        self.calls.append(list(texts))
        return self.encode_document(texts)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        rows = np.array(
            [[text.lower().count(chr(97 + i)) + 1e-3 for i in range(26)] for text in texts],
            dtype=np.float32,
        )
        unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


def product(id_: str, title: str, *, price: str = "9.99", zh: str | None = None) -> Product:
    """A product with one variant whose SKU is `<id>-1`."""
    variant = Variant(sku=f"{id_}-1", price=Money(Decimal(price), "USD"), stock=5)
    texts = {"en": Text(title)} | ({"zh": Text(zh)} if zh else {})
    return Product(id=id_, locale="en", texts=texts, variants=(variant,))  # type: ignore[arg-type]
