"""Exact identifiers, and those that do not exist."""

from dataclasses import replace
from decimal import Decimal

import pytest

from catalog.product import Money, Product, Text, Variant
from pipeline.lexicon.cues import load_cues
from pipeline.lexicon.words import fold
from pipeline.prompting.rendering import TEMPLATES
from pipeline.understanding.identifier_index import IdentifierIndex
from pipeline.understanding.identifiers import Identifier, IdentifierReader
from tests.pipeline.fakes import product
from tests.pipeline.shop import shirt


def _product(id_: str, *, gtin: str | None = None, model: str = "") -> Product:
    attributes = (("型号", model),) if model else ()
    text = Text(f"thing {id_}", attributes=attributes)
    variant = Variant(id_, Money(Decimal(5), "USD"), gtin=gtin)
    return Product(id_, "en", {"en": text}, (variant,))


PRODUCTS = (
    _product("1234567"),
    _product("KIT-BRD-056", gtin="0788954559076"),
    _product("1064021", model="T710"),
    _product("1086015", model="MT20290-1-130"),
    replace(shirt(), id="SH-WORK"),
)


@pytest.fixture(scope="module")
def index() -> IdentifierIndex:
    index = IdentifierIndex(("型号", "model"))
    for one in PRODUCTS:
        index.add(one)
    return index


@pytest.fixture(scope="module")
def reader() -> IdentifierReader:
    return IdentifierReader(load_cues(TEMPLATES))


def read(reader: IdentifierReader, index: IdentifierIndex, text: str) -> tuple[Identifier, ...]:
    return reader.read(fold(text), index)


@pytest.mark.parametrize(
    ("text", "product_id"),
    [
        ("1234567", "1234567"),
        ("SKU: 1234567?", "1234567"),
        ("do you have KIT-BRD-056", "KIT-BRD-056"),
        ("price of sku kit brd 056 ?", "KIT-BRD-056"),
        ("ＫＩＴ－ＢＲＤ－０５６ please", "KIT-BRD-056"),
        ("0 788954 559076", "KIT-BRD-056"),
        ("788954559076 what is it", "KIT-BRD-056"),
        ("barcode 0788-9545-59076", "KIT-BRD-056"),
        ("型号T710的灯", "1064021"),
        ("model t710", "1064021"),
        ("ｍｔ20290-1-130 多少钱", "1086015"),
        ("编号１２３４５６７是什么", "1234567"),
        ("货号 1234567 还有吗", "1234567"),
    ],
)
def test_known(
    reader: IdentifierReader, index: IdentifierIndex, text: str, product_id: str
) -> None:
    assert [found.product_id for found in read(reader, index, text)] == [product_id]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("SKU 1234568", "1234568"),
        ("1234568", "1234568"),
        ("编号 305 的有没有", "305"),
        ("sku 4471 anyone?", "4471"),
        ("ean 7578271198952", "7578271198952"),
        ("KIT-BRD-057 dimensions?", "kit-brd-057"),
        ("kit-brd-650 - still for sale?", "kit-brd-650"),
        ("型号 F720 有吗", "f720"),
        ("商品编号 1234568，朋友推荐的", "1234568"),
        ("条码5784719087688，有这个吗", "5784719087688"),
        ("SH-bl-XXL-2", "sh-bl-xxl-2"),
    ],
)
def test_unknown_is_never_a_neighbour(
    reader: IdentifierReader, index: IdentifierIndex, text: str, written: str
) -> None:
    (found,) = read(reader, index, text)
    assert (found.written, found.product_id) == (written, None)


@pytest.mark.parametrize(
    "text",
    [
        "where is my order 1234567",
        "订单号1234568到哪了",
        "call me at 5551234",
        "an iphone 13 pro",
        "size 34",
        "under 500",
        "two for $1234567",
        "jeans 32-34",
        "USB-C cable",
        "一共305块",
    ],
)
def test_numbers_that_are_none(reader: IdentifierReader, index: IdentifierIndex, text: str) -> None:
    assert read(reader, index, text) == ()


def test_a_variant_is_told(reader: IdentifierReader, index: IdentifierIndex) -> None:
    (found,) = read(reader, index, "is SH-bl-M in stock")
    assert (found.product_id, found.sku) == ("SH-WORK", "SH-bl-M")


def test_an_identifier_is_not_cut_short(reader: IdentifierReader, index: IdentifierIndex) -> None:
    (found,) = read(reader, index, "SH-WORK-GRN please")
    assert found.product_id is None


def test_removed_products_are_not_found(reader: IdentifierReader) -> None:
    index = IdentifierIndex()
    index.add(product("7654321", "lamp"))
    assert read(reader, index, "7654321")[0].product_id == "7654321"
    index.remove("7654321")
    assert read(reader, index, "sku 7654321")[0].product_id is None
