"""Prices of products as they are at this moment, against those asked for."""

from decimal import Decimal

from catalog.product import Product, Variant
from pipeline.found import Bounds, Order


def price_of(variant: Variant) -> Decimal:
    """What it costs now."""
    return (variant.sale_price or variant.price).amount


def said(bounds: Bounds) -> str:
    """Bounds in short: "<= 100 USD"."""
    low = "" if bounds.low is None else f">= {bounds.low}"
    high = "" if bounds.high is None else f"<= {bounds.high}"
    return " ".join(part for part in (low, high, bounds.currency or "") if part)


def price_in_order(product: Product, order: Order, bounds: Bounds | None) -> Decimal:
    """The lowest or highest price, within the bounds if any is."""
    prices = [price_of(v) for v in product.variants if bounds is None or is_within(v, bounds)]
    prices = prices or [price_of(variant) for variant in product.variants]
    return min(prices) if order == "cheapest" else max(prices)


def is_within(variant: Variant, bounds: Bounds) -> bool:
    """Whether its price satisfies `bounds`."""
    price = price_of(variant)
    if bounds.currency is not None and variant.price.currency != bounds.currency:
        return False
    if bounds.low is not None and (price < bounds.low or (bounds.strict and price == bounds.low)):
        return False
    return not (
        bounds.high is not None
        and (price > bounds.high or (bounds.strict and price == bounds.high))
    )
