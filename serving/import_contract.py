"""What the routes of imports, history and pins answer."""

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

Status = Literal[
    "received",
    "queued",
    "previewing",
    "previewed",
    "applying",
    "applied",
    "refused",
    "failed",
    "interrupted",
    "undoing",
    "undone",
]


class DetectedJson(TypedDict):
    """What a file was taken for."""

    format: str
    container: str
    encoding: str
    delimiter: str
    decimals: Annotated[str, Field(description="how it writes them: point, comma, unknown, mixed")]
    currency: str | None
    rows: int
    columns: Annotated[list[str], Field(description="header cells that are read")]
    ignored: Annotated[list[str], Field(description="header cells that are not")]
    notes: list[str]


class CountsJson(TypedDict):
    """Rows or products, each counted once."""

    created: int
    updated: int
    unchanged: int
    refused: Annotated[int, Field(description="rows only")]
    removed: Annotated[int, Field(description="products only, by a full sync")]


class ProblemJson(TypedDict):
    """Why a row was refused, and what would be right."""

    line: int
    sku: str
    column: str
    value: str
    problem: str
    fix: str
    blocking: Annotated[
        bool, Field(description="whether an all-or-nothing import is refused for it")
    ]


class FieldChangeJson(TypedDict):
    """One field before and after; null where there was or is nothing."""

    field: str
    old: str | None
    new: str | None
    locale: str | None
    sku: str | None
    name: str | None


class ProductChangeJson(TypedDict):
    """What becomes of one product."""

    product_id: str
    kind: Literal["created", "updated", "removed"]
    fields: list[FieldChangeJson]


class FailureJson(TypedDict):
    """Why the import as a whole was not done."""

    code: str
    message: str


class UndoJson(TypedDict):
    """How it was undone."""

    version: int
    by: str
    at: str
    kept: Annotated[int, Field(description="products left alone, since others changed them")]


class ImportJson(TypedDict):
    """One import."""

    id: str
    status: Annotated[
        Status, Field(description="`interrupted`: its process died; apply it again, or leave it")
    ]
    actor: str
    name: Annotated[str, Field(description="of the file")]
    size: Annotated[int, Field(description="bytes")]
    options: dict[str, Any]
    created_at: str
    detected: DetectedJson | None
    rows: CountsJson
    products: CountsJson
    errors: Annotated[int, Field(description="problems of rows, in all")]
    failure: FailureJson | None
    phase: Annotated[str, Field(description="reading, comparing or storing, while it works")]
    done: Annotated[int, Field(description="rows or products, of this phase")]
    version: Annotated[int | None, Field(description="catalogue version that it made")]
    applied_at: str | None
    undo: UndoJson | None


class ImportAnswerJson(ImportJson):
    """One import, with the first of its problems and changes."""

    problems: Annotated[list[ProblemJson], Field(description="the first 50; all in errors.csv")]
    changes: Annotated[list[ProductChangeJson], Field(description="the first 50 of those kept")]


class ImportsJson(TypedDict):
    """Imports, newest first."""

    imports: list[ImportJson]


class ChangesJson(TypedDict):
    """Products that an import changes, field by field; 1,000 of them are kept."""

    changes: list[ProductChangeJson]


class StatusJson(TypedDict):
    """The catalogue as it is stored, and as this process answers from it."""

    catalog_version: Annotated[int, Field(description="of the store")]
    shown_version: Annotated[int, Field(description="of the answers of this process")]
    products: int
    waiting_for_search: Annotated[
        int, Field(description="products whose text is not yet searchable as it is now")
    ]


class HistoryEntryJson(TypedDict):
    """One change: who, when, and what it changed."""

    version: int
    at: str
    actor: Annotated[str, Field(description="the name of a token")]
    cause: Annotated[str, Field(description="`edit`, `delete`, `import:ID` or `undo:ID`")]
    changes: list[FieldChangeJson]


class HistoryJson(TypedDict):
    """What is kept of a product's changes, newest first."""

    product_id: str
    history: list[HistoryEntryJson]


class PinJson(TypedDict):
    """A product that is kept on the hot shelf."""

    product_id: str
    actor: str
    since: str
    until: Annotated[str | None, Field(description="null for a pin that stays")]


class PinsJson(TypedDict):
    """Pins that have not expired, by product id."""

    pins: list[PinJson]
