"""What is exported comes back the same, and runs in no spreadsheet."""

import csv
import io
from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.demo import demo_products
from catalog.diff import changes
from catalog.export import COLUMNS, ExportFormat, export, rows
from catalog.formats.model import ReadOptions, RowPatch
from catalog.formats.read import read
from catalog.formats.text import tidy
from catalog.merge import MergeRules, merge
from catalog.product import Money, Product, Text, Variant
from catalog.store import CatalogStore
from tests.catalog.make import product, variant

KINDS: tuple[ExportFormat, ...] = ("csv", "json", "jsonl")


def _read_back(data: bytes) -> dict[str, Product]:
    with read(io.BytesIO(data), ReadOptions()) as reading:
        by_id: dict[str, list[RowPatch]] = {}
        for row in reading.patches():
            assert isinstance(row, RowPatch), row
            by_id.setdefault(row.product_id, []).append(row)
    return {i: merge(i, found, None, MergeRules()) for i, found in by_id.items()}


async def _bytes(pieces: AsyncIterator[bytes]) -> bytes:
    return b"".join([piece async for piece in pieces])


@pytest.mark.parametrize("kind", KINDS)
async def test_the_demo_shop_comes_back_to_the_last_field(
    store: CatalogStore, kind: ExportFormat
) -> None:
    shop = {p.id: tidy(p) for p in demo_products()}
    await store.put(shop.values(), actor="setup")
    again = _read_back(await _bytes(export(store, kind)))
    assert again.keys() == shop.keys()
    assert [c for i in shop for c in changes(shop[i], again[i])] == []


@pytest.mark.parametrize("kind", KINDS)
async def test_an_empty_catalogue_is_an_empty_file(store: CatalogStore, kind: ExportFormat) -> None:
    data = await _bytes(export(store, kind))
    assert data.decode("utf-8-sig").split() in ([",".join(COLUMNS)], ["[", "]"], [])


LIVE = ["=cmd|' /C calc'!A0", "+1", "-20 °C", "@SUM(A1)", "\t=1", "＝1+1", "'=1", "''@x", "#N/A"]


@pytest.mark.parametrize("text", LIVE)
async def test_formulas_are_inert_in_the_file_and_the_same_when_they_come_back(
    store: CatalogStore, text: str
) -> None:
    lamp = tidy(replace(product("a", title=text), brand=text))
    await store.put([lamp], actor="ann")
    data = await _bytes(export(store, "csv"))
    for row in csv.reader(io.StringIO(data.decode("utf-8-sig"))):
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "＝")) for cell in row)
    assert changes(lamp, _read_back(data)["a"]) == ()


def test_an_amount_with_three_decimals_cannot_be_taken_for_thousands() -> None:
    dinar = replace(variant("X"), price=Money(Decimal("1.250"), "KWD"))
    cells = dict(zip(COLUMNS, next(rows(product("a", dinar))), strict=True))
    assert (cells["price"], cells["currency"]) == ("1.2500", "KWD")


_line = st.text(max_size=12)
_name = st.text(min_size=1, max_size=8)
_money = st.builds(
    Money,
    st.decimals(0, 10**6, places=2),
    st.sampled_from(["USD", "CNY", "KWD", "JPY"]),
)
_pairs = st.lists(st.tuples(_name, _name), max_size=3, unique_by=lambda p: p[0].strip()).map(tuple)
_text = st.builds(
    Text,
    title=_name,
    description=st.text(max_size=40),
    category=_line,
    attributes=_pairs,
    labels=st.dictionaries(_name, _name, max_size=2),
)


def _variants(offers: list[tuple[Money, int | None, bool]]) -> tuple[Variant, ...]:
    return tuple(
        Variant(
            f"SKU-{number}",
            price,
            (("color", f"c{number}"),),
            Money(price.amount / 2, price.currency) if sale and price.amount else None,
            stock,
            "out_of_stock" if stock == 0 else "in_stock",
        )
        for number, (price, stock, sale) in enumerate(offers)
    )


_products = st.builds(
    Product,
    id=st.just("a"),
    locale=st.just("en"),
    texts=st.fixed_dictionaries({"en": _text}, optional={"zh": _text}),
    variants=st.lists(
        st.tuples(_money, st.none() | st.integers(0, 9999), st.booleans()), min_size=1, max_size=3
    ).map(_variants),
    brand=_line,
)


def _sound(made: Product) -> bool:
    names = [name for text in made.texts.values() for pair in text.attributes for name in pair]
    names += [word for text in made.texts.values() for pair in text.labels.items() for word in pair]
    return all(text.title for text in made.texts.values()) and all(names)


@settings(max_examples=200, deadline=None)
@given(_products.map(tidy).filter(_sound))
def test_any_product_comes_back_from_a_table(made: Product) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([COLUMNS, *rows(made)])
    again = _read_back(text.getvalue().encode("utf-8-sig", "surrogatepass"))
    assert changes(made, again["a"]) == ()
