"""Seeded questions about the demo shop, asked as often as shoppers ask: a few products, mostly.

Popularity follows Zipf's law (`exponent`), and the order of products is drawn from the seed. No
question repeats word for word unless the draw repeats it.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from catalog.product import Locale, Product

WORDINGS: dict[Locale, tuple[str, ...]] = {
    "en": (
        "How much is the {title}?",
        "Is the {title} in stock?",
        "What should I know about the {title}?",
        "Who makes the {title}?",
        "Can you tell me the price of the {title}?",
    ),
    "zh": (
        "{title}多少钱？",
        "{title}有货吗？",
        "{title}是什么材质的？",
        "请介绍一下{title}",
        "{title}现在什么价格？",
    ),
}


@dataclass(frozen=True, slots=True)
class ShopperQuestion:
    """A message, and the product whose page it is asked on, if it is asked on one."""

    message: str
    product_id: str | None
    locale: Locale


def zipf_weights(count: int, exponent: float = 1.1) -> list[float]:
    """Relative popularity of `count` products, the most popular first."""
    return [1.0 / rank**exponent for rank in range(1, count + 1)]


def questions(
    products: Sequence[Product],
    count: int,
    seed: int,
    exponent: float = 1.1,
    *,
    on_page: bool = True,
) -> list[ShopperQuestion]:
    """`count` questions over `products`; the same seed gives the same questions."""
    draw = random.Random(seed)
    ranked = list(products)
    draw.shuffle(ranked)
    asked = draw.choices(ranked, weights=zipf_weights(len(ranked), exponent), k=count)
    return [
        ShopperQuestion(
            draw.choice(WORDINGS[p.locale]).format(title=p.text(p.locale).title),
            p.id if on_page else None,
            p.locale,
        )
        for p in asked
    ]
