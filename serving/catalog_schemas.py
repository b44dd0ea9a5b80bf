"""Products as the catalogue's HTTP interface takes and gives them.

Amounts are decimal strings: a JSON number passes through a binary float in most clients and may
lose a cent on the way, so it is refused. Texts are cleaned afterwards, as those of a file are.
"""

import re
from datetime import datetime
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    model_validator,
)
from pydantic.config import JsonDict, JsonValue

from catalog.product import Availability, Locale
from serving.text import is_blank, whole_text

_AMOUNT = re.compile(r"\d{1,12}(\.\d{1,8})?", re.ASCII)
MAX_STOCK = 1_000_000_000


def _no_number(value: object) -> object:
    if isinstance(value, int | float):
        raise ValueError('a JSON number can lose cents: send a string such as "12.34"')
    return value


def _amount(value: str) -> str:
    if _AMOUNT.fullmatch(value) is None:
        raise ValueError(
            'is not an amount: send digits with a decimal point, such as "12.34", '
            "without currency, sign, blanks or thousands separators"
        )
    return value


def _refuse_missing_part(value: list[str]) -> list[str]:
    if is_blank(value[0]):
        raise ValueError("has no name: send [name, value]")
    return value


Amount = Annotated[
    str,
    BeforeValidator(_no_number, json_schema_input_type=str),
    AfterValidator(_amount),
    Field(description="A decimal number as a string.", examples=["12.34"]),
]
Words = Annotated[str, AfterValidator(whole_text)]
Pair = Annotated[
    list[Words],
    Field(min_length=2, max_length=2, description="`[name, value]`"),
    AfterValidator(_refuse_missing_part),
]
Stock = Annotated[int, Field(ge=0, le=MAX_STOCK)]


class Body(BaseModel):
    """A JSON object whose fields are all known; any other is named, with the nearest right one."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_fields(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(data, dict):
            return data
        fields = list(cls.model_fields)
        for name in data:
            if name not in fields:
                near = get_close_matches(str(name), fields, n=1)
                hint = f"did you mean {near[0]}?" if near else f"the fields are {', '.join(fields)}"
                shown = ascii(name)[:60]
                raise ValueError(f"{shown} is not a field here; {hint}")
        return data


class MoneyBody(Body):
    """An exact amount in one currency."""

    amount: Amount
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$", description="ISO 4217", examples=["USD"])]


class TextBody(Body):
    """What a shopper reads about a product, in one language."""

    title: Words
    description: Words = ""
    category: Words = ""
    attributes: list[Pair] = Field(
        default=[], description="Free facts, in the order in which they are shown."
    )
    labels: dict[Words, Words] = Field(
        default={}, description="Option names and values as this language says them."
    )


class VariantBody(Body):
    """One thing that can be put into a basket."""

    sku: str
    price: MoneyBody
    options: list[Pair] = Field(default=[], description="What tells it from its siblings.")
    sale_price: MoneyBody | None = Field(None, description="While it is on sale.")
    stock: Stock | None = Field(None, description="A count; null if it is not counted.")
    availability: Availability | None = Field(
        None, description="Without it: `out_of_stock` if the stock is 0, else `in_stock`."
    )
    gtin: Words | None = None


_TEXT: JsonDict = {"title": "Linen Shirt", "attributes": [["material", "linen"]]}
_VARIANT: JsonDict = {
    "sku": "LS-BLK-M",
    "price": {"amount": "39.90", "currency": "USD"},
    "sale_price": {"amount": "29.90", "currency": "USD"},
    "options": [["color", "black"], ["size", "M"]],
    "stock": 12,
}
EXAMPLE: JsonDict = {
    "locale": "en",
    "texts": {"en": _TEXT},
    "variants": [_VARIANT],
    "brand": "Moorland",
}


class ProductBody(Body):
    """A product page: texts by language, and at least one variant."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    id: str | None = Field(None, description="As in the path, if it is sent at all.")
    locale: Locale = Field(description="The language it was written in; it has a text in it.")
    texts: dict[Locale, TextBody]
    variants: list[VariantBody]
    brand: Words = ""
    url: Words = ""
    image: Words = ""
    version: int | None = Field(
        None, description="Told, never taken: send `If-Match` to change only what you have seen."
    )


def _spelled_out(value: object) -> object:
    """`"12.34"` stands for an amount in the present currency."""
    if isinstance(value, str | int | float):
        return {"amount": value}
    if isinstance(value, dict | BaseModel) or value is None:
        return value
    raise ValueError('send "12.34", or {"amount": "12.34", "currency": "USD"}')


def _not_null(value: object) -> object:
    if value is None:
        raise ValueError("cannot be null: leave it out to keep it")
    return value


class MoneyPatch(Body):
    """An amount, in the present currency unless it says another."""

    amount: Amount
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] | None = None


NewMoney = Annotated[
    MoneyPatch, BeforeValidator(_spelled_out, json_schema_input_type=str | MoneyPatch)
]


class PinBody(Body):
    """How long a product is pinned; for good if nothing is said."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{}, {"until": "2026-12-24T18:00:00Z"}, {"seconds": 86400}]},
    )

    until: Annotated[datetime, Field(strict=False)] | None = Field(
        None, description="A moment with its time zone."
    )
    seconds: Annotated[float, Field(gt=0, le=10 * 366 * 86400, allow_inf_nan=False)] | None = None


PATCH_EXAMPLES: list[JsonValue] = [
    {"brand": "Moorland"},
    {"texts": {"zh": {"title": "亚麻衬衫", "labels": {"color": "颜色", "black": "黑色"}}}},
]


class VariantPatch(Body):
    """Live facts of one variant; what is absent stays as it is."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"price": "12.34"},
                {"sale_price": "9.99", "stock": 40},
                {"stock": 0},
                {"price": {"amount": "12.34", "currency": "EUR"}},
            ]
        }
    )

    price: Annotated[
        NewMoney | None, BeforeValidator(_not_null, json_schema_input_type=str | MoneyPatch)
    ] = Field(None, description='In the present currency as "12.34", or with a currency.')
    sale_price: NewMoney | None = Field(None, description="The same; null ends the sale.")
    stock: Stock | None = Field(
        None,
        description="A count, or null if it is not counted. Without `availability`, 0 turns "
        "`in_stock` into `out_of_stock`, and a count above 0 turns it back.",
    )
    availability: Annotated[
        Availability | None, BeforeValidator(_not_null, json_schema_input_type=Availability)
    ] = None
