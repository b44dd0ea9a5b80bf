"""Tables in text files: which sign separates the cells, where the header is, and the rows.

Rows come one at a time, each with the line it begins on. A row that is no row (a quote out of
place, too few or too many cells, bytes that are wrong in the encoding) comes as a `RowError`.
"""

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO, Protocol

from catalog.formats.columns import normal_header
from catalog.formats.encoding import Encoding
from catalog.formats.halves import printable
from catalog.formats.model import FileError, Limits, RowError
from catalog.formats.reasons import why

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 40


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of one row, as many as the header has. `line` counts from 1."""

    line: int
    cells: list[str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table and where its rows begin. `header` is as written, `names` are for comparing."""

    file: BinaryIO
    encoding: Encoding
    limits: Limits
    delimiter: str
    skipped: int
    header: tuple[str, ...]
    names: tuple[str, ...]
    commented: bool = False

    def rows(self) -> Iterator[Row | RowError]:
        """Every row that is not blank."""
        with open_text(self.file, self.encoding) as lines:
            for _ in range(self.skipped):
                lines.readline()
            reader = _reader(lines, self.delimiter)
            next(reader, None)
            yield from _rows(reader, self)


class _Reader(Protocol):
    line_num: int

    def __next__(self) -> list[str]: ...


def open_table(
    file: BinaryIO, encoding: Encoding, limits: Limits, known: Callable[[str], bool]
) -> Table:
    """The table in `file`; `known` tells header cells that mean something. Raises `FileError`."""
    csv.field_size_limit(limits.max_cell)
    with open_text(file, encoding) as lines:
        skipped, commented, told = _preamble(lines)
        sample = [line for _, line in zip(range(_SAMPLE_LINES), lines, strict=False)]
    if not sample:
        raise FileError("empty", "the file has no rows")
    candidates = (told,) if told else DELIMITERS
    delimiter = max(candidates, key=lambda sign: _fitness(sample, sign, known))
    header = _first_record(sample, delimiter)
    if len(header) > limits.max_columns:
        raise FileError("too_large", f"{len(header)} columns; at most {limits.max_columns}")
    header = [printable(cell) for cell in header]
    names = tuple(normal_header(cell) for cell in header)
    return Table(file, encoding, limits, delimiter, skipped, tuple(header), names, commented)


def _errors(encoding: Encoding) -> str:
    """Wrong bytes become lone surrogates, but in the wide encodings, where they cannot."""
    return "replace" if encoding.codec.startswith(("utf-16", "utf-32")) else "surrogateescape"


@contextmanager
def open_text(file: BinaryIO, encoding: Encoding) -> Iterator[io.TextIOWrapper]:
    """`file` from its beginning as text; it is left open."""
    file.seek(0)
    text = io.TextIOWrapper(file, encoding.codec, _errors(encoding), newline="")
    try:
        yield text
    finally:
        text.detach()


def _preamble(lines: io.TextIOWrapper) -> tuple[int, bool, str]:
    """Skip blank lines, `#` comments and Excel's `sep=;`: how many, if comments, which sign."""
    skipped, commented, told = 0, False, ""
    position = lines.tell()
    while line := lines.readline():
        bare = line.strip().lstrip("\ufeff")
        if bare.startswith("#"):
            commented = True
        elif bare[:4].lower() == "sep=" and len(bare) == 5:
            told = bare[4]
        elif bare:
            lines.seek(position)
            break
        skipped += 1
        position = lines.tell()
    return skipped, commented, told


def _reader(lines: Iterator[str], delimiter: str) -> _Reader:
    return csv.reader(lines, delimiter=delimiter, strict=True)


def _first_record(sample: list[str], delimiter: str) -> list[str]:
    try:
        return next(_reader(iter(sample), delimiter))
    except (csv.Error, StopIteration):
        return []


def _fitness(sample: list[str], delimiter: str, known: Callable[[str], bool]) -> tuple[int, int]:
    header = _first_record(sample, delimiter)
    return sum(known(normal_header(cell)) for cell in header), len(header)


def _rows(reader: _Reader, table: Table) -> Iterator[Row | RowError]:
    count, width = 0, len(table.header)
    lossy = _errors(table.encoding) == "replace"
    while True:
        line = table.skipped + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield _broken(line, str(error))
            continue
        if not any(cells):
            continue
        count += 1
        if count > table.limits.max_rows:
            raise FileError("too_large", f"more than {table.limits.max_rows} rows: split the file")
        yield _checked(Row(line, cells), width, lossy)


def _checked(row: Row, width: int, lossy: bool) -> Row | RowError:
    cells = row.cells
    if len(cells) < width:
        reason = why("cells_missing", cells=len(cells), width=width)
        return RowError(row.line, "", "", _shown(cells), reason)
    if any(cells[width:]):
        reason = why("cells_too_many", cells=len(cells), width=width)
        return RowError(row.line, "", "", printable(cells[width][:200]), reason)
    if not _sound(cells, lossy):
        bad = next(cell for cell in cells if not _sound([cell], lossy))
        value = printable(bad)[:200]
        return RowError(row.line, "", "", value, why("wrong_characters"))
    return row if len(cells) == width else replace(row, cells=cells[:width])


def _sound(cells: list[str], lossy: bool) -> bool:
    """Whether every byte was right; where wrong ones are replaced, U+FFFD tells."""
    joined = "".join(cells)
    if joined.isascii():
        return True
    try:
        joined.encode()
    except UnicodeEncodeError:
        return False
    return not (lossy and "\ufffd" in joined)


def _shown(cells: list[str]) -> str:
    return printable(", ".join(cells)[:200])


def _broken(line: int, error: str) -> RowError:
    if "unexpected end of data" in error:
        return RowError(line, "", "", "", why("quote_open"))
    if "field larger" in error:
        return RowError(line, "", "", "", why("cell_too_long"))
    return RowError(line, "", "", "", why("quote_misplaced", error=error))
