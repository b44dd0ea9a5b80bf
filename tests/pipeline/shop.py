"""Products for prompt tests, none of them from the demo shop."""

from dataclasses import replace
from decimal import Decimal

from catalog.product import Money, Product, Text, Variant
from pipeline.types import Question, Source

SHIRT_ROWS = (
    ("black", "S", 4),
    ("black", "M", 9),
    ("black", "L", 0),
    ("white", "S", 0),
    ("white", "M", 0),
    ("navy stripe", "M", 2),
)


def shirt() -> Product:
    """Black in S and M, white sold out, a navy stripe in M; told in both languages."""
    variants = tuple(
        Variant(
            sku=f"SH-{color[:2]}-{size}",
            price=Money(Decimal("45.50"), "USD"),
            options=(("color", color), ("size", size)),
            stock=stock,
            availability="in_stock" if stock else "out_of_stock",
        )
        for color, size, stock in SHIRT_ROWS
    )
    labels = {
        "color": "颜色",
        "size": "尺码",
        "black": "黑色",
        "white": "白色",
        "navy stripe": "藏青条纹",
    }
    english = Text(
        "Harbour Work Shirt",
        "A sturdy shirt. The cuffs are reinforced. Buttons are made of corozo.",
        "Shirts",
        (("fabric", "cotton twill"), ("care", "wash at 30 °C"), ("returns", "within 21 days")),
    )
    chinese = Text(
        "海港工装衬衫",
        "结实的衬衫。袖口加固。",
        "衬衫",
        (("面料", "棉斜纹布"), ("洗涤", "30度水洗"), ("退货", "21天内")),
        labels,
    )
    return Product("SH", "en", {"en": english, "zh": chinese}, variants, brand="Harbour")


def lamp(*, price: str = "80.00", description: str = "A reading lamp.") -> Product:
    """One variant, English only."""
    text = Text(
        "Reading Lamp",
        description,
        "Lighting",
        (("warranty", "2 years"), ("power", "9 W"), ("shipping", "sent within 3 days")),
    )
    variant = Variant("LAMP-1", Money(Decimal(price), "USD"), stock=12)
    return Product("LAMP", "en", {"en": text}, (variant,), brand="Lumo")


def titled(product: Product, title: str) -> Product:
    """`product` under another English title."""
    return replace(product, texts={"en": replace(product.texts["en"], title=title)})


def question(text: str, product: Product | None = None, locale: str = "en") -> Question:
    """A shopper's question on a product's page."""
    return Question(
        text,
        "zh" if locale == "zh" else "en",
        "answer-1",
        product_id=None if product is None else product.id,
    )


def sources(*products: Product) -> tuple[Source, ...]:
    """The products as the retriever gives them."""
    return tuple(Source(product, "page") for product in products)
