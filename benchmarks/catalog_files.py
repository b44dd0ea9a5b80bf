"""Products of any file, to measure with: what imports is read as an import reads it.

Files that no shop could be run on, since they have no prices, are read leniently: an id, a title
and whatever other texts there are. Nothing of a file is kept.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from catalog.collect import Collected
from catalog.demo import demo_products
from catalog.formats.model import FileError, ReadOptions
from catalog.formats.read import read
from catalog.formats.text import is_chinese
from catalog.merge import MergeRefused, MergeRules, merge
from catalog.product import Locale, Money, Product, Text, Variant

DEMO = "demo"
"""Names the demo shop instead of a file."""
_IDS = ("sku", "id", "asin", "product_id", "商品编号")
_TITLES = ("title", "name", "商品标题", "商品名称")
_DESCRIPTIONS = ("bullets", "description", "简介")


def products_of(name: str) -> tuple[Product, ...]:
    """The products of the file `name`, or of the demo shop. Raises `OSError`, `ValueError`."""
    if name == DEMO:
        return demo_products()
    path = Path(name)
    return _imported(path) or tuple(_lenient(path))


def _imported(path: Path) -> tuple[Product, ...]:
    """The products as an import would make them; none if it would refuse the file."""
    collected = Collected()
    try:
        with path.open("rb") as file, read(file, ReadOptions(currency="USD")) as reading:
            for patch in reading.patches():
                collected.add(patch)
    except FileError:
        return ()
    found = []
    for product_id, rows in collected.rows.items():
        try:
            found.append(merge(product_id, rows, None, MergeRules()))
        except MergeRefused:
            continue
    return tuple(found)


def _lenient(path: Path) -> Iterator[Product]:
    for record in _records(path):
        id_, title = _first(record, _IDS), _first(record, _TITLES)
        if not id_ or not title:
            raise ValueError(f"{path} has a record without an id or a title: {record}")
        locale: Locale = "zh" if is_chinese(title) else "en"
        description = " ".join(filter(None, (_text(record.get(n)) for n in _DESCRIPTIONS)))
        text = Text(title, description, attributes=tuple(_attributes(record)))
        variant = Variant(id_, Money(Decimal("0.00"), "USD"))
        yield Product(id_, locale, {locale: text}, (variant,))


def _records(path: Path) -> Sequence[Mapping[str, Any]]:
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8-sig") as file:
            return list(csv.DictReader(file))
    found = json.loads(path.read_text(encoding="utf-8"))
    records: Sequence[Mapping[str, Any]] = found["products"] if isinstance(found, dict) else found
    return records


def _attributes(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for pair in record.get("attributes") or ():
        yield str(pair["name"]), str(pair["value"])


def _first(record: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((str(record[name]) for name in names if record.get(name)), "")


def _text(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value or "")
