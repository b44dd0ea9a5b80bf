"""Answers put through the guard, for the tests of it."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from catalog.product import Availability, Money, Product
from pipeline.guarding.guard import Guards, Outcome
from pipeline.guarding.judge import Kind
from tests.pipeline.shop import lamp, question, sources

Counted = list[tuple[Kind, Outcome]]


def let_through(
    pieces: str | Sequence[str],
    asked: str,
    *products: Product,
    locale: str = "en",
    sku: str | None = None,
    counted: Counted | None = None,
) -> str:
    """What a shopper gets of an answer that the engine gives in these pieces."""
    noted = [] if counted is None else counted
    guards = Guards(lambda kind, outcome: noted.append((kind, outcome)))
    asking = replace(question(asked, products[0] if products else None, locale), sku=sku)
    guard = guards.watch(asking, sources(*products))
    given = [guard.feed(piece) for piece in ([pieces] if isinstance(pieces, str) else pieces)]
    return "".join(given) + guard.end()


def lamp_on_sale() -> Product:
    """80 dollars, now 60; three left."""
    product = lamp()
    variant = replace(product.variants[0], sale_price=Money(Decimal("60.00"), "USD"), stock=3)
    return replace(product, variants=(variant,))


def lamp_that_is(availability: Availability) -> Product:
    """A lamp of which none is in stock."""
    product = lamp()
    variant = replace(product.variants[0], stock=0, availability=availability)
    return replace(product, variants=(variant,))


def kettle() -> Product:
    """149 yuan, Chinese, dearer in red; the red one is sold out."""
    base = lamp()
    variants = tuple(
        replace(
            base.variants[0],
            sku=f"K-{number}",
            price=Money(Decimal(price), "CNY"),
            options=(("颜色", color),),
            stock=stock,
            availability="in_stock" if stock else "out_of_stock",
        )
        for number, (color, price, stock) in enumerate(
            (("白色", "149.00", 20), ("红色", "169.00", 0))
        )
    )
    text = replace(base.texts["en"], title="山泉电水壶", description="烧水很快。", attributes=())
    return Product("KET", "zh", {"zh": text}, variants, brand="山泉")
