r"""Half characters: lone surrogates, which nothing can store and no shopper can read.

A JSON file may spell them (`\ud83d`), and a byte that is wrong in a file's encoding becomes one.
"""

from collections.abc import Mapping

from catalog.formats.model import RowError
from catalog.formats.reasons import why


def printable(text: str) -> str:
    """`text` with a question mark for every half of a character."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def half_of(record: Mapping[str, object], number: int) -> RowError | None:
    """Why `record` is refused, if it has half a character anywhere; names the member."""
    for key, member in record.items():
        if text := _half_in(key, member):
            sku = record.get("sku", record.get("id"))
            named = printable(sku) if isinstance(sku, str) else ""
            column = printable(key)
            reason = why("half_a_character", name=repr(column))
            return RowError(number, named, column, printable(text[:200]), reason)
    return None


def _half_in(*values: object) -> str:
    """The first text with half a character, however deep it lies; empty if there is none."""
    rest = list(values)
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            rest += [*value, *value.values()]
        elif isinstance(value, list):
            rest += value
        elif isinstance(value, str) and printable(value) != value:
            return value
    return ""
