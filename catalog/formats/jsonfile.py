"""JSON and JSON lines as records, read one at a time; a file cut in the middle keeps its head."""

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, BinaryIO

from catalog.formats.columns import normal_header
from catalog.formats.encoding import Encoding
from catalog.formats.halves import half_of, printable
from catalog.formats.model import FileError, Limits, RowError
from catalog.formats.reasons import why
from catalog.formats.sources import Numbered, Record
from catalog.formats.table import open_text

_LISTS = frozenset({"products", "items", "data", "records", "results", "商品"})
"""Keys under which a file may keep its records."""
_CHUNK = 1 << 16
_SAMPLE = 1000
_SPACE = " \t\r\n"
_PAIR = {"name", "value"}
_WORDS = 60
"""Characters; a list with a longer item is sentences, not words."""


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is not a number")


_decoder = json.JSONDecoder(parse_float=Decimal, parse_constant=_no_number)


class JsonSource:
    """The records of a JSON array, of an object that holds one, or one a line."""

    def __init__(self, file: BinaryIO, encoding: Encoding, limits: Limits) -> None:
        self._file, self._encoding, self._limits = file, encoding, limits
        self.lines = self._has_lines()
        self.columns: dict[str, str] = {}
        self.unread: tuple[str, ...] = ()
        self.nested = False
        for _, (_, record) in zip(range(_SAMPLE), self._objects(), strict=False):
            if not isinstance(record, RowError):
                self._learn(record)

    def _learn(self, record: Record) -> None:
        """Its keys; those of nested lists cannot be read unless they are variants."""
        for key, value in record.items():
            if is_nested(key, value):
                self.nested = True
            elif as_cell(value) is not None:
                self.columns.setdefault(normal_header(spaced(key)), spaced(key))
            elif key not in self.unread and key != "texts":
                self.unread = (*self.unread, key)

    def _has_lines(self) -> bool:
        """Whether the first line is a whole record by itself."""
        with open_text(self._file, self._encoding) as text:
            first = "\n"
            while first and not first.strip():
                first = text.readline(4 * self._limits.max_cell)
        found = parse_object(first, 1) if first.lstrip().startswith("{") else None
        return isinstance(found, dict) and not any(_is_list(k, v) for k, v in found.items())

    def _objects(self) -> Iterator[tuple[int, Record | RowError]]:
        """Every record that is sound to its last character, or why it is not, with its number."""
        for number, record in self._parsed():
            if isinstance(record, RowError):
                yield number, replace(record, line=number, value=printable(record.value))
            else:
                yield number, half_of(record, number) or record

    def _parsed(self) -> Iterator[tuple[int, Record | RowError]]:
        with open_text(self._file, self._encoding) as text:
            if self.lines:
                numbered = ((n, line) for n, line in enumerate(text, start=1) if line.strip())
                yield from ((number, parse_object(line, number)) for number, line in numbered)
            else:
                yield from enumerate(_array(_Buffer(text, self._limits.max_cell)), start=1)

    def records(self) -> Iterator[Numbered | RowError]:
        """Every record; `line` is its line in JSON lines, else its number."""
        for number, record in self._objects():
            if number > self._limits.max_rows:
                raise FileError("too_large", f"more than {self._limits.max_rows} records")
            if isinstance(record, RowError):
                yield record
            else:
                yield flattened(record, number)


def _is_list(key: str, value: object) -> bool:
    return key.casefold() in _LISTS and isinstance(value, list)


class _Buffer:
    """Text that grows as it is read."""

    def __init__(self, text: Any, longest: int) -> None:
        self._text, self._longest = text, longest
        self.held = ""

    def more(self) -> bool:
        """Read on; False at the end, or if one record is longer than allowed."""
        chunk = self._text.read(max(_CHUNK, len(self.held)))
        self.held += chunk
        return bool(chunk) and len(self.held) <= 4 * self._longest

    def peek(self) -> str:
        """The next character that is no blank, or "" at the end."""
        while True:
            self.held = self.held.lstrip(_SPACE)
            if self.held or not self.more():
                return self.held[:1]

    def skip(self) -> None:
        """Drop one character."""
        self.held = self.held[1:]

    def value(self) -> Any:
        """The next JSON value. Raises `ValueError` or `RecursionError`."""
        self.peek()
        while True:
            try:
                value, end = _decoder.raw_decode(self.held)
            except ValueError:
                if not self.more():
                    raise
                continue
            if end < len(self.held) or not self.more():
                self.held = self.held[end:]
                return value


def _array(buffer: _Buffer) -> Iterator[Record | RowError]:
    """The records of the array; whatever cannot be read ends it with an error."""
    try:
        if buffer.peek() == "{" and (record := _up_to_list(buffer)) is not None:
            yield record
            return
        buffer.skip()
        while buffer.peek() not in ("]", ""):
            value = buffer.value()
            yield value if isinstance(value, dict) else _no_object(value)
            if buffer.peek() == ",":
                buffer.skip()
        if buffer.peek() == "":
            yield RowError(0, "", "", "", why("list_cut"))
    except (ValueError, RecursionError) as error:
        yield RowError(0, "", "", buffer.held[:200], why("json_broken", error=str(error)[:200]))


def _up_to_list(buffer: _Buffer) -> Record | None:
    """Go to the list of records inside an object; the object itself if it holds none."""
    record: dict[str, Any] = {}
    buffer.skip()
    while buffer.peek() == '"':
        key = buffer.value()
        if buffer.peek() != ":":
            raise ValueError("a key without a value")
        buffer.skip()
        if buffer.peek() == "[" and str(key).casefold() in _LISTS:
            return None
        record[key] = buffer.value()
        if buffer.peek() == ",":
            buffer.skip()
    if buffer.peek() != "}":
        raise ValueError("the object does not end")
    return record


def parse_object(line: str, number: int) -> Record | RowError:
    """One JSON object, or why it is none."""
    try:
        value = json.loads(line, parse_float=Decimal, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        reason = why("line_not_json", error=str(error)[:200])
        return RowError(number, "", "", line.strip()[:200], reason)
    return value if isinstance(value, dict) else _no_object(value)


def _no_object(value: object) -> RowError:
    reason = why("not_an_object", example='{"sku": "...", ...}')
    return RowError(0, "", "", str(value)[:200], reason)


def flattened(record: Record, number: int) -> Numbered:
    """A JSON record as cells, and as it is if it has variants of its own."""
    cells = ((normal_header(spaced(key)), as_cell(value)) for key, value in record.items())
    values = {name: text for name, text in cells if text is not None}
    native = any(is_nested(key, value) for key, value in record.items())
    return Numbered(number, values, record if native else None)


def is_nested(key: str, value: object) -> bool:
    """Whether a record keeps its variants under this key."""
    name = normal_header(key)
    return name == "variants" or (name in ("sku", "skus") and isinstance(value, list))


def as_cell(value: object) -> str | None:
    """A JSON value as the text of a cell; None if it has no such form."""
    scalar = (str, int, Decimal)
    if value is None or isinstance(value, bool):
        return {None: "", True: "true", False: "false"}[value]
    if isinstance(value, scalar):
        return str(value)
    if isinstance(value, dict) and all(isinstance(item, scalar) for item in value.values()):
        return ", ".join(f"{name}: {item}" for name, item in value.items())
    if isinstance(value, list):
        if all(isinstance(item, scalar) for item in value):
            long = any(len(str(item)) > _WORDS for item in value)
            return ("\n" if long else ", ").join(map(str, value))
        if (pairs := _named(value)) is not None:
            return json.dumps(pairs, ensure_ascii=False)
    return None


def _named(items: list[Any]) -> list[list[str]] | None:
    """`[{"name": ..., "value": ...}]` or `[[name, value]]` as pairs; None if it is neither."""
    pairs = [list(i.values()) if isinstance(i, dict) and set(i) == _PAIR else i for i in items]
    if all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        return [[str(name), str(value)] for name, value in pairs]
    return None


def spaced(key: str) -> str:
    """`warrantyInformation` as `warranty information`; other keys as they are."""
    if not (key.isascii() and key.isidentifier()) or key.isupper() or key.islower():
        return key
    return "".join(f" {char.lower()}" if char.isupper() else char for char in key).strip()
