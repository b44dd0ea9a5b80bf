"""Products for tests, short to write."""

from decimal import Decimal

from catalog.product import Money, Product, Text, Variant


def variant(sku: str, price: str = "9.99", stock: int | None = 5, **options: str) -> Variant:
    """A variant in USD."""
    return Variant(sku, Money(Decimal(price), "USD"), tuple(options.items()), stock=stock)


def product(id_: str, *variants: Variant, title: str = "A thing", price: str = "9.99") -> Product:
    """An English product; without variants it sells one whose SKU is its id."""
    return Product(id_, "en", {"en": Text(title)}, variants or (variant(id_, price),))
