"""Merchant feeds in XML (RSS or Atom with `g:` elements), read item by item.

Entities and document types are refused: a catalogue needs none, and they are how a small file
becomes a large one.
"""

from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from catalog.formats.columns import normal_header
from catalog.formats.model import FileError, Limits, RowError
from catalog.formats.reasons import why
from catalog.formats.sources import Numbered

_ITEMS = frozenset({"item", "entry"})
_DEPTH = 32
_SAMPLE = 1000


class XmlSource:
    """The items of a feed."""

    unread: tuple[str, ...] = ()

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        self._file, self._limits = file, limits
        self.columns: dict[str, str] = {}
        for _, item in zip(range(_SAMPLE), self._items(), strict=False):
            if not isinstance(item, RowError):
                self.columns.update({normal_header(name): name for name in item})

    def records(self) -> Iterator[Numbered | RowError]:
        """Every item; `line` is its number."""
        for number, item in enumerate(self._items(), start=1):
            if number > self._limits.max_rows:
                raise FileError("too_large", f"more than {self._limits.max_rows} items")
            if isinstance(item, RowError):
                yield RowError(number, "", "", "", item.why)
            else:
                yield Numbered(number, {normal_header(name): item[name] for name in item})

    def _items(self) -> Iterator[dict[str, str] | RowError]:
        self._file.seek(0)
        path: list[Element] = []
        try:
            for event, element in iterparse(self._file, events=("start", "end"), forbid_dtd=True):
                if event == "start":
                    path.append(element)
                    if len(path) > _DEPTH:
                        raise FileError("unsafe", f"elements inside {_DEPTH} others")
                    continue
                path.pop()
                if _local(element) in _ITEMS:
                    yield _fields(element)
                    path[-1].clear()
        except DefusedXmlException:
            raise FileError("unsafe", "the file declares entities: export it without") from None
        except ParseError as error:
            yield RowError(0, "", "", "", why("xml_broken", error=error))


def _local(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _fields(item: Element) -> dict[str, str]:
    """The item's own elements; those that occur several times are a list."""
    fields: dict[str, str] = {}
    for child in item:
        name, text = _local(child), "".join(child.itertext()).strip() or child.get("href", "")
        if len(child) > 0 and name not in ("description", "title", "content"):
            continue
        if name in fields and name in ("product_highlight", "product_detail"):
            fields[name] = f"{fields[name]}, {text}"
        else:
            fields.setdefault(name, text)
    return fields
