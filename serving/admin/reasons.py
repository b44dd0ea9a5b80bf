"""Why a row or a file was refused, in the language of the page."""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from catalog.formats.reasons import Reason
from catalog.import_records import ImportRecord
from catalog.product import Locale


@lru_cache(maxsize=1)
def chinese() -> Mapping[str, Mapping[str, Any]]:
    """`rows`: reason and fix by code; `files`: a sentence by code."""
    source = files("serving.admin").joinpath("reasons.toml").read_text(encoding="utf-8")
    return tomllib.loads(source)


def row_reason(why: Reason, locale: Locale) -> tuple[str, str]:
    """What is wrong, and what would be right."""
    if locale == "en":
        return why.reason, why.fix
    reason, fix = chinese()["rows"][why.code]
    return reason.format(**why.params), fix.format(**why.params)


def file_reason(record: ImportRecord, locale: Locale) -> str:
    """Why an import failed or was refused as a whole; empty if it was not."""
    said = "" if locale == "en" else chinese()["files"].get(record.error_code, "")
    return f"{said}（{record.error}）" if said and record.error else record.error
