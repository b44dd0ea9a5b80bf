"""Products survive JSON exactly, and records of other releases can be read."""

from decimal import Decimal

import msgspec
import pytest

from catalog.codec import CodecError, decode, decode_list, encode
from catalog.demo import demo_products
from catalog.product import Product
from tests.catalog.make import product


def test_every_demo_product_comes_back_the_same() -> None:
    for original in demo_products():
        assert decode(encode(original)) == original


def test_amounts_keep_their_digits() -> None:
    for amount in ("9.90", "0.10", "1E+2", "12345678901.123456789"):
        again = decode(encode(product("a", price=amount)))
        assert str(again.variants[0].price.amount) == str(Decimal(amount))


def test_a_newer_record_with_more_fields_can_be_read() -> None:
    record = msgspec.json.decode(encode(product("a")))
    record["rank"] = 3
    record["variants"][0]["weight"] = "2 kg"
    assert decode(msgspec.json.encode(record)) == product("a")


def test_an_older_record_with_fewer_fields_can_be_read() -> None:
    record = msgspec.json.decode(encode(product("a")))
    for name in ("brand", "url", "image", "version"):
        del record[name]
    del record["variants"][0]["gtin"]
    assert decode(msgspec.json.encode(record)) == product("a")


@pytest.mark.parametrize(
    "data",
    ["", "{}", "[]", '{"id": 3}', encode(product("a")).replace(b'"9.99"', b'"cheap"'), b"\xff\xfe"],
)
def test_what_is_no_product_is_a_codec_error(data: bytes | str) -> None:
    with pytest.raises(CodecError):
        decode(data)


def test_an_array_is_read_whole() -> None:
    products: list[Product] = [product("a"), product("b")]
    assert decode_list(b"[" + b",".join(map(encode, products)) + b"]") == products
