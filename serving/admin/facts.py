"""Live facts of a variant as they stand in a row that can be edited."""

from catalog.product import Money, Variant

Facts = tuple[str, str, str]
"""Price, sale price and stock, as people write them; empty for none."""


def facts_of(variant: Variant) -> Facts:
    """What stands in the row of `variant`."""
    stock = "" if variant.stock is None else str(variant.stock)
    return _amount(variant.price), _amount(variant.sale_price), stock


def _amount(money: Money | None) -> str:
    """Without currency or exponent."""
    return "" if money is None else format(money.amount, "f")
