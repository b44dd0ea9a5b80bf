"""What a file is, from its content alone: packing, encoding, separator and format."""

from dataclasses import dataclass
from typing import BinaryIO

from catalog.formats import columns, google, magento, shopify, woocommerce
from catalog.formats.adapter import Adapter
from catalog.formats.container import Container, unpacked
from catalog.formats.encoding import Encoding, detect_encoding
from catalog.formats.jsonfile import JsonSource
from catalog.formats.model import FileError, Format, ReadOptions
from catalog.formats.plain import Plain
from catalog.formats.sources import Source, TableSource
from catalog.formats.table import open_table
from catalog.formats.xmlfile import XmlSource

ADAPTERS: tuple[type[Adapter], ...] = (
    shopify.Shopify,
    woocommerce.WooCommerce,
    magento.Magento,
    google.Meta,
    google.Google,
    Plain,
)
"""The most telling first."""
_TABLES = (columns.PLAIN, *(m.ROLES for m in (google, magento, shopify, woocommerce)))
_KNOWN = frozenset(name for table in _TABLES for name in table)


@dataclass(frozen=True, slots=True)
class Opened:
    """A file whose records can be read, and who understands them; `file` is the unpacked one."""

    file: BinaryIO
    source: Source
    adapter: Adapter
    format: Format
    container: Container
    encoding: str
    delimiter: str


def open_file(file: BinaryIO, options: ReadOptions) -> Opened:
    """Find out what `file` is. Raises `FileError`."""
    unpacked_file, container = unpacked(file, options.limits)
    try:
        return _opened(unpacked_file, container, options)
    except BaseException:
        if unpacked_file is not file:
            unpacked_file.close()
        raise


def _opened(file: BinaryIO, container: Container, options: ReadOptions) -> Opened:
    encoding = detect_encoding(file, options.encoding)
    label = encoding.label
    first = _first_character(file, encoding)
    if first == "<":
        xml = XmlSource(file, options.limits)
        adapter = _adapter(xml, ADAPTERS)
        return Opened(file, xml, adapter, adapter.format, container, label, "")
    if first in ("[", "{"):
        json = JsonSource(file, encoding, options.limits)
        kind: Format = "jsonl" if json.lines else "json"
        adapter = Plain(json.columns) if json.nested else _adapter(json, (Plain,))
        return Opened(file, json, adapter, kind, container, label, "")
    table = open_table(file, encoding, options.limits, _KNOWN.__contains__)
    source = TableSource(table)
    adapter = _adapter(source, ADAPTERS)
    meta = table.commented and adapter.format == "google"
    kind = "meta" if meta else adapter.format
    return Opened(file, source, adapter, kind, container, label, table.delimiter)


def _first_character(file: BinaryIO, encoding: Encoding) -> str:
    file.seek(0)
    start = file.read(1024).decode(encoding.codec, "replace").lstrip("\ufeff \t\r\n")
    file.seek(0)
    return start[:1]


def _adapter(source: Source, adapters: tuple[type[Adapter], ...]) -> Adapter:
    names = frozenset(source.columns)
    for adapter in adapters:
        if adapter.fits(names):
            return adapter(source.columns)
    shown = ", ".join(list(source.columns.values())[:8])[:200]
    raise FileError(
        "not_a_catalogue",
        f"no known columns (found: {shown}); a catalogue has at least sku, title and price",
    )
