"""What a merchandiser chose when uploading a file."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from catalog.formats.model import NumberStyle
from catalog.import_records import ImportOptions
from catalog.product import Locale
from serving.body import validate
from serving.catalog_schemas import Body
from serving.schemas import Limits


def _upper_or_none(value: object) -> object:
    return (value.strip().upper() or None) if isinstance(value, str) else value


def _blank_is_none(value: object) -> object:
    return (value.strip() or None) if isinstance(value, str) else value


class UploadForm(Body):
    """The fields beside the file; one that is left blank is found out from the file."""

    csrf: str
    mode: Literal["all", "partial", "sync"] = "all"
    currency: Annotated[
        Annotated[str, Field(pattern="^[A-Z]{3}$")] | None, BeforeValidator(_upper_or_none)
    ] = None
    locale: Annotated[Locale | None, BeforeValidator(_blank_is_none)] = None
    decimals: NumberStyle = "auto"
    encoding: Annotated[
        Annotated[str, Field(max_length=40)] | None, BeforeValidator(_blank_is_none)
    ] = None


def options_of(form: dict[str, str]) -> ImportOptions:
    """Raises `ApiError` that names the field at fault."""
    chosen = validate(UploadForm, form, Limits())
    return ImportOptions(
        mode="partial" if chosen.mode == "partial" else "all",
        sync=chosen.mode == "sync",
        currency=chosen.currency,
        locale=chosen.locale,
        decimals=chosen.decimals,
        encoding=chosen.encoding,
    )
