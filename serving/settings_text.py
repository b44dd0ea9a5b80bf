"""Settings in words: what a value must be, the nearest right name, and the table in the docs."""

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import SecretStr
from pydantic.fields import FieldInfo

_KINDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    Path: "a folder",
    SecretStr: "text",
}


def variable(name: str, field: FieldInfo, prefix: str = "HOTSHELF_") -> str:
    """The environment variable of a field."""
    alias = field.validation_alias
    return alias if isinstance(alias, str) else f"{prefix}{name.upper()}"


def without_password(url: str) -> str:
    """`url` as it may be shown."""
    return re.sub(r"[^/@]*@", "***@", url)


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint at the name that was meant, or at where the names are."""
    found = difflib.get_close_matches(name.upper(), list(known), n=1)
    return f": did you mean {found[0]}?" if found else ": `hotshelf settings` lists them all"


def describe(field: FieldInfo) -> str:
    """What a value of this field must be, for example "a whole number from 1 to 9"."""
    return _describe(field.annotation, list(field.metadata), field.examples or [])


def _describe(kind: Any, metadata: list[Any], examples: list[Any]) -> str:
    if get_origin(kind) in (Union, UnionType):
        return _describe(next(k for k in get_args(kind) if k is not type(None)), metadata, examples)
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(get_args(kind))
    if get_origin(kind) is tuple:
        return "texts separated by commas"
    for extra in getattr(kind, "__metadata__", ()):
        metadata += extra.metadata if isinstance(extra, FieldInfo) else [extra]
        examples += (extra.examples or []) if isinstance(extra, FieldInfo) else []
    if hasattr(kind, "__metadata__"):
        kind = kind.__origin__
    if examples:
        return str(examples[0])
    return _KINDS[kind] + _bounds(metadata)


def _bounds(metadata: list[Any]) -> str:
    least = next((m.ge for m in metadata if isinstance(m, Ge)), None)
    above = next((m.gt for m in metadata if isinstance(m, Gt)), None)
    most = next((m.le for m in metadata if isinstance(m, Le)), None)
    if most is not None:
        return f" above {above} up to {most}" if least is None else f" from {least} to {most}"
    if above is not None:
        return f" above {above}"
    return "" if least is None else f" of at least {least}"


def markdown(fields: Mapping[str, FieldInfo]) -> str:
    """The page `docs/settings.md`."""
    head = (
        "# Settings\n\n"
        "Read once at the start, from the environment and from an env file: the one that\n"
        "`HOTSHELF_ENV_FILE` names, else `.env` where there is one. The environment wins. A name\n"
        "that is no setting, or a value that does not fit, is refused.\n\n"
        "This page is made from `serving/settings.py` by `make docs`.\n\n"
        "| variable | value | default | what it is |\n|---|---|---|---|\n"
    )
    return head + "".join(f"{_row(name, field)}\n" for name, field in fields.items())


def summary(name: str, field: FieldInfo) -> str:
    """The setting in one line for a terminal."""
    default = "" if field.default in (None, ()) else f" (default {field.default})"
    return f"{variable(name, field):<32} {field.description}; {describe(field)}{default}"


def _row(name: str, field: FieldInfo) -> str:
    default = "" if field.default in (None, ()) else f"`{field.default}`"
    return f"| `{variable(name, field)}` | {describe(field)} | {default} | {field.description} |"
