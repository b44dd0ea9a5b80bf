"""What the shop sells: products, their variants, and the texts a shopper reads.

Everything is immutable; a change is a new object with a new version. Slow facts (texts,
attributes, options) and live facts (price, sale, stock) are kept apart by `Text` and `Variant`,
because the prompt caches the first and never the second.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

Locale = Literal["en", "zh"]
LOCALES: tuple[Locale, ...] = ("en", "zh")

Availability = Literal["in_stock", "out_of_stock", "preorder", "backorder"]

Pairs = tuple[tuple[str, str], ...]
"""Ordered name/value pairs; order is the merchandiser's and is kept."""


@dataclass(frozen=True, slots=True)
class Money:
    """An exact amount. `amount` is a decimal, never a float; `currency` is ISO 4217."""

    amount: Decimal
    currency: str

    def __str__(self) -> str:
        return f"{self.amount} {self.currency}"


@dataclass(frozen=True, slots=True)
class Variant:
    """One thing that can be put into a basket, with its live facts.

    `options` names what tells it from its siblings, as (name, value) in the product's own
    locale, for example `(("color", "black"), ("size", "M"))`. `stock` is a count, or None when
    the shop does not count it.
    """

    sku: str
    price: Money
    options: Pairs = ()
    sale_price: Money | None = None
    stock: int | None = None
    availability: Availability = "in_stock"
    gtin: str | None = None

    @property
    def available(self) -> bool:
        """Whether a shopper can have it sent today."""
        return self.availability == "in_stock"


@dataclass(frozen=True, slots=True)
class Text:
    """What a shopper reads about a product, in one language.

    `attributes` are free (name, value) pairs. `labels` translates option names and values from
    the product's own locale into this one, for example `{"black": "黑色", "color": "颜色"}`.
    """

    title: str
    description: str = ""
    category: str = ""
    attributes: Pairs = ()
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Product:
    """A product page: texts by locale, and at least one variant.

    `locale` is the language the merchandiser wrote it in and always has a text. `version` is the
    catalogue version of its last change, 0 before it is stored.
    """

    id: str
    locale: Locale
    texts: Mapping[Locale, Text]
    variants: tuple[Variant, ...]
    brand: str = ""
    url: str = ""
    image: str = ""
    version: int = 0

    def text(self, locale: Locale) -> Text:
        """The text for `locale`, or the one it was written in."""
        return self.texts.get(locale) or self.texts[self.locale]

    def label(self, word: str, locale: Locale) -> str:
        """An option name or value as `locale` says it."""
        return self.text(locale).labels.get(word, word)

    @property
    def options(self) -> dict[str, tuple[str, ...]]:
        """Every option name with its values, in the order the variants show them."""
        values: dict[str, dict[str, None]] = {}
        for variant in self.variants:
            for name, value in variant.options:
                values.setdefault(name, {})[value] = None
        return {name: tuple(seen) for name, seen in values.items()}
