"""The catalogue as a file: CSV, JSON or JSON lines, which an import reads back as the same.

In CSV, a product's texts are in its first row. A cell that a spreadsheet would run as a formula
gets an apostrophe in front, which the import takes off again.
"""

import csv
import io
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Literal

import msgspec

from catalog.formats.inert import inert
from catalog.formats.text import pairs_to_cell
from catalog.product import LOCALES, Money, Pairs, Product, Text, Variant
from catalog.store import BATCH, CatalogStore

ExportFormat = Literal["csv", "json", "jsonl"]

_PRODUCT = ("title", "description", "category", "attributes", "labels")
COLUMNS = (
    *("product_id", "sku", "locale", *_PRODUCT, "brand", "url", "image"),
    *("options", "price", "currency", "sale_price", "stock", "availability", "gtin"),
    *(f"{name}:{locale}" for locale in LOCALES for name in _PRODUCT),
)


async def export(store: CatalogStore, kind: ExportFormat) -> AsyncIterator[bytes]:
    """The whole catalogue, by product id, in pieces."""
    ids = sorted(await store.versions())
    writer = {"csv": _csv, "json": _json, "jsonl": _jsonl}[kind]
    yield {"csv": b"\xef\xbb\xbf" + _csv_lines([COLUMNS]), "json": b"[\n", "jsonl": b""}[kind]
    between = b""
    for first in range(0, len(ids), BATCH):
        found = await store.get_many(ids[first : first + BATCH])
        products = [found[i] for i in ids[first : first + BATCH] if i in found]
        if products:
            yield between + writer(products)
            between = b",\n" if kind == "json" else b""
    if kind == "json":
        yield b"\n]\n"


def _json(products: Iterable[Product]) -> bytes:
    return b",\n".join(map(_record, products))


def _jsonl(products: Iterable[Product]) -> bytes:
    return b"".join(_record(product) + b"\n" for product in products)


def _record(product: Product) -> bytes:
    """A product in the native format; its version is of this catalogue and stays here."""
    record = msgspec.to_builtins(product)
    del record["version"]
    return msgspec.json.encode(record)


def _csv(products: Iterable[Product]) -> bytes:
    return _csv_lines(row for product in products for row in rows(product))


def _csv_lines(lines: Iterable[Iterable[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(lines)
    return text.getvalue().encode()


def rows(product: Product) -> Iterator[list[str]]:
    """One row for each variant, in the order of `COLUMNS`."""
    head = _head(product)
    for variant in product.variants:
        cells = {**head, **_variant(variant), "product_id": product.id}
        yield [inert(cells.get(column, "")) for column in COLUMNS]
        head = {}


def _head(product: Product) -> dict[str, str]:
    cells = {
        "locale": product.locale,
        "brand": product.brand,
        "url": product.url,
        "image": product.image,
    }
    for locale, text in product.texts.items():
        suffix = "" if locale == product.locale else f":{locale}"
        cells.update({f"{name}{suffix}": cell for name, cell in _text(text).items()})
    return cells


def _text(text: Text) -> dict[str, str]:
    labels: Pairs = tuple(text.labels.items())
    return {
        "title": text.title,
        "description": text.description,
        "category": text.category,
        "attributes": pairs_to_cell(text.attributes),
        "labels": pairs_to_cell(labels),
    }


def _variant(variant: Variant) -> dict[str, str]:
    return {
        "sku": variant.sku,
        "options": pairs_to_cell(variant.options),
        "price": _amount(variant.price),
        "currency": variant.price.currency,
        "sale_price": _amount(variant.sale_price),
        "stock": "" if variant.stock is None else str(variant.stock),
        "availability": variant.availability,
        "gtin": variant.gtin or "",
    }


def _amount(money: Money | None) -> str:
    """Never three decimals, which may also be read as thousands."""
    if money is None:
        return ""
    digits = format(money.amount, "f")
    return f"{digits}0" if len(digits.partition(".")[2]) == 3 else digits
