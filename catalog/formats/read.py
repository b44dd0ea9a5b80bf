"""From a file to patches of products: what it was taken for first, then row by row.

The file is read twice: once to see how it writes its numbers, in which currency, and which rows
belong together; then to read every row. Neither needs more memory than one row and some names.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Self

from catalog.formats.cells import Context, Refusal
from catalog.formats.detect import Opened, open_file
from catalog.formats.model import Detected, FileError, ReadOptions, RowError, RowPatch
from catalog.formats.native import native_patch
from catalog.formats.sources import Numbered
from catalog.formats.survey import STEP, Progress, Survey, cells_of, survey


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that was looked at, ready to be read. A context manager: a file that came packed is
    closed at its end, any other is the caller's."""

    detected: Detected
    opened: Opened
    context: Context

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _close(self.opened)

    def patches(self, progress: Progress | None = None) -> Iterator[RowPatch | list[RowError]]:
        """Every row: what it says, or everything that is wrong with it."""
        for count, record in enumerate(self.opened.source.records()):
            if progress is not None and count % STEP == 0:
                progress("read", count)
            yield [record] if isinstance(record, RowError) else self._patch(record)

    def _patch(self, record: Numbered) -> RowPatch | list[RowError]:
        adapter = self.opened.adapter
        cells = cells_of(record, adapter, self.opened.source.columns, self.context)
        try:
            if record.native is not None:
                patch = native_patch(record.native, cells)
            else:
                patch = adapter.patch(cells)
        except Refusal as no:
            cells.problem(no.column, no.value, no.why, blocking=no.blocking)
            return cells.problems
        return cells.problems or patch

    def noted(self) -> Detected:
        """What was detected, with what came up while the rows were read."""
        return replace(self.detected, notes=self.opened.adapter.notes())


def read(file: BinaryIO, options: ReadOptions, progress: Progress | None = None) -> Reading:
    """Look at `file`, whatever it is called. Raises `FileError`."""
    opened = open_file(file, options)
    try:
        found = survey(opened, options, progress)
        detected = _detected(opened, found, options)
        if found.rows == 0:
            raise FileError("empty", "the file has a header and no rows", detected)
        if found.bare and options.currency is None:
            message = "the amounts of the file have no currency: say which one they are in"
            raise FileError("currency_unknown", message, detected)
    except BaseException:
        _close(opened)
        raise
    return Reading(detected, opened, Context(detected.decimals, options.currency))


def _close(opened: Opened) -> None:
    if opened.container != "none":
        opened.file.close()


def _detected(opened: Opened, found: Survey, options: ReadOptions) -> Detected:
    columns = opened.source.columns
    used = list(opened.adapter.roles.values())
    return Detected(
        opened.format,
        opened.container,
        opened.encoding,
        opened.delimiter,
        found.decimals if options.decimals == "auto" else options.decimals,
        found.currency or options.currency,
        found.rows,
        tuple(columns[name] for name in used),
        (*(t for name, t in columns.items() if name not in used and t), *opened.source.unread),
    )
