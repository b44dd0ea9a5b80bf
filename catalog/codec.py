"""Products as JSON, exactly: what the store keeps and what the native file format is made of.

Amounts are decimal strings, so `9.90` comes back as `9.90`. Decoding checks every type, ignores
fields it does not know and fills those that are missing, so that a record written by a newer or
an older release can be read.
"""

import msgspec

from catalog.product import Product

_encoder = msgspec.json.Encoder(decimal_format="string")
_decoder = msgspec.json.Decoder(Product)
_list_decoder = msgspec.json.Decoder(list[Product])


class CodecError(ValueError):
    """A record is not the JSON of a product; the message says where."""


def encode(product: Product) -> bytes:
    """One product as compact UTF-8 JSON on one line."""
    return _encoder.encode(product)


def decode(data: bytes | str) -> Product:
    """The product in `data`. Raises `CodecError`."""
    try:
        return _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CodecError(str(error)) from error


def decode_list(data: bytes | str) -> list[Product]:
    """The products of a JSON array. Raises `CodecError`."""
    try:
        return _list_decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CodecError(str(error)) from error
