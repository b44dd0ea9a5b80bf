"""Other ways to lay out the same parts as ours, to see what each order costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.prefix_arms import Simple
from catalog.product import Product
from pipeline.facts.offers import live_facts
from pipeline.prompt import Prompt, PromptBuilder, Spare
from pipeline.prompting.parts import Ids, Part
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.types import Question, Source, Turn

LONGEST_BLOCK = 256
"""Tokens of a stable block, as by default."""


@dataclass(frozen=True, slots=True)
class Order:
    """`products`: how many. `canonical`: sorted by id, else by relevance. `facts`: where live
    facts stand; the conversation is rendered anew for each question."""

    products: int
    canonical: bool
    facts: Literal["before history", "after history"]


ORDERS = {
    "one product, facts after history": Order(1, True, "after history"),
    "one product, facts before history": Order(1, True, "before history"),
    "three products, canonical": Order(3, True, "after history"),
    "three products, by relevance": Order(3, False, "after history"),
}


class Ordered(Simple):
    """Head, stable blocks, and the rest as `order` says."""

    def __init__(self, tokenizer: Tokenizer, prompts: PromptBuilder, order: Order) -> None:
        super().__init__(tokenizer, prompts, order.products)
        self._order = order

    def build(
        self,
        question: Question,
        sources: Sequence[Source],
        turns: Sequence[Turn],
        spare: Spare | None = None,
    ) -> Prompt:
        """The prompt."""
        products = [source.product for source in sources[: self._products]]
        ending = self._question(question, products[0])
        if self._order.canonical:
            products.sort(key=lambda product: product.id)
        live = tuple(token for product in products for token in self._live(product))
        talk = self._talk(turns)
        after = self._order.facts == "after history"
        middle = (*talk, *live) if after else (*live, *talk)
        blocks = [Part("product", self._block(product), product.id) for product in products]
        parts = (
            Part("head", self._opening(question)),
            *blocks,
            Part("history", middle),
            Part("question", ending),
        )
        return Prompt(parts, 0, self._frame.stop, self._frame.stop_ids)

    def _block(self, product: Product) -> Ids:
        return self._tokenizer.encode(self._texts.product(product))[:LONGEST_BLOCK]

    def _live(self, product: Product) -> Ids:
        live = live_facts(product, product.variants, "en", self._prompts.facts.options)
        several = self._products > 1
        return self._tokenizer.encode(self._texts.live(product, live, several))
