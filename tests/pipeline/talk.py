"""A conversation with a prompt builder, without an engine: what is asked and what is answered."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from catalog.product import Locale, Money, Product
from pipeline.prompt import Prompt, PromptBuilder
from pipeline.types import Finish, Turn
from tests.pipeline.shop import lamp, question, sources


class Talk:
    """`turns` as a session store has them, `prompts` as the engine got them."""

    def __init__(self, builder: PromptBuilder) -> None:
        self.builder = builder
        self.turns: list[Turn] = []
        self.prompts: list[Prompt] = []

    def ask(
        self,
        text: str,
        *products: Product,
        answer: str = "It is.",
        locale: Locale = "en",
        said: tuple[int, ...] | None = None,
        finish: Finish = "stop",
    ) -> Prompt:
        """One turn that the engine answers."""
        asked = question(text, products[0] if products else None, locale)
        prompt = self.builder.build(asked, sources(*products), self.turns)
        told = self.builder.told(prompt, asked, answer, said)
        ids = tuple(product.id for product in products)
        self.turns.append(Turn(text, answer, ids, finish, told))
        self.prompts.append(prompt)
        return prompt

    def reply(self, text: str, answer: str) -> None:
        """One turn that is answered without the engine."""
        self.turns.append(Turn(text, answer))


def priced(product: Product, price: str) -> Product:
    """`product` at another price."""
    money = Money(Decimal(price), "USD")
    variants = tuple(replace(variant, price=money) for variant in product.variants)
    return replace(product, variants=variants, version=product.version + 1)


def tent(words: int = 5) -> Product:
    """A third product, with as long a description as is wished."""
    description = "A light tent for two. " + "It is made of silk and steel. " * words
    return replace(lamp(description=description), id="TENT", brand="Norden")


def starts_with(ids: Sequence[int], beginning: Sequence[int]) -> bool:
    """Whether `ids` begin with `beginning`, which is not all of them."""
    return len(beginning) < len(ids) and tuple(ids[: len(beginning)]) == tuple(beginning)


def kinds(prompt: Prompt) -> list[tuple[str, str]]:
    """Kind and key of the parts that say something."""
    return [(part.kind, part.key) for part in prompt.parts if part.ids]
