"""What the catalogue's HTTP interface answers: every field, its type and its meaning."""

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from catalog.product import Availability, Locale


class MoneyJson(TypedDict):
    """An exact amount."""

    amount: Annotated[str, Field(examples=["12.34"])]
    currency: Annotated[str, Field(description="ISO 4217", examples=["USD"])]


class TextJson(TypedDict):
    """What a shopper reads about a product, in one language."""

    title: str
    description: str
    category: str
    attributes: Annotated[list[list[str]], Field(description="`[name, value]`, in their order")]
    labels: Annotated[dict[str, str], Field(description="option names and values in this language")]


class VariantJson(TypedDict):
    """One thing that can be put into a basket."""

    sku: str
    price: MoneyJson
    sale_price: MoneyJson | None
    options: Annotated[list[list[str]], Field(description="`[name, value]`, in their order")]
    stock: Annotated[int | None, Field(description="null if it is not counted")]
    availability: Availability
    gtin: str | None


class ProductJson(TypedDict):
    """A product, in the form in which `PUT` takes it."""

    id: str
    version: Annotated[int, Field(description="catalogue version of its last change; its ETag")]
    locale: Locale
    texts: dict[Locale, TextJson]
    variants: list[VariantJson]
    brand: str
    url: str
    image: str


class ProductPageJson(TypedDict):
    """Some of the products, ordered by id."""

    products: list[ProductJson]
    total: Annotated[int, Field(description="all that match")]
    next: Annotated[str | None, Field(description="`cursor` of the next page; null at the end")]
    catalog_version: int


class VariantAnswerJson(TypedDict):
    """One variant, and the product that it belongs to."""

    product_id: str
    version: Annotated[int, Field(description="of the product; the answer's ETag")]
    variant: VariantJson


class ErrorDetailJson(TypedDict):
    """What was wrong, and what would be right."""

    code: str
    message: str
    field: NotRequired[Annotated[str, Field(description="the one at fault")]]
    retry_after: NotRequired[Annotated[int, Field(description="seconds")]]
    current_version: NotRequired[
        Annotated[int, Field(description="of the product that If-Match did not match")]
    ]


class ErrorAnswerJson(TypedDict):
    """Every answer that is not 2xx."""

    error: ErrorDetailJson
