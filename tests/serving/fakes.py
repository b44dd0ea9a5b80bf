"""An answerer that does exactly what a test writes down, and says how it was treated."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from decimal import Decimal

from catalog.product import Money, Product, Text, Variant
from pipeline.found import Found
from pipeline.timing import StageTimings
from pipeline.types import (
    Done,
    Event,
    Question,
    Source,
    Sources,
    Timing,
    Token,
    TokenCounts,
    Turn,
)

Step = Event | asyncio.Event | Exception


class WrittenChat:
    """Yields the events written down; waits where there is an asyncio.Event, fails at an error."""

    def __init__(self, *steps: Step) -> None:
        self.steps = steps
        self.asked: list[Question] = []
        self.ended = 0
        self.is_over = asyncio.Event()

    async def answer(
        self, question: Question, timings: StageTimings
    ) -> AsyncGenerator[Event, None]:
        self.asked.append(question)
        try:
            for step in self.steps:
                if isinstance(step, asyncio.Event):
                    await step.wait()
                elif isinstance(step, Exception):
                    raise step
                else:
                    if isinstance(step, Timing):
                        timings.finish()
                    yield step
                    if isinstance(step, Token):
                        timings.first_token()
        finally:
            self.ended += 1
            self.is_over.set()


SOURCES = Sources("s1", "a1", (), 7, "en")
DONE = Done("s1", "stop", 7)
COUNTS = TokenCounts(prompt=10, cached=8, trimmed=0, completion=2)


def whole_answer(*texts: str) -> tuple[Event, ...]:
    """Every event of an answer that went well."""
    return (SOURCES, *(Token(text) for text in texts), Timing("a1", COUNTS), DONE)


def shirt() -> Product:
    """A garment with two languages, two colours, one of them sold out and one on sale."""
    labels = {"color": "颜色", "black": "黑色", "white": "白色"}
    return Product(
        id="shirt",
        locale="en",
        texts={"en": Text("Linen Shirt"), "zh": Text("亚麻衬衫", labels=labels)},
        variants=(
            Variant(
                "SH-BLK",
                Money(Decimal("30.00"), "USD"),
                (("color", "black"),),
                stock=0,
                availability="out_of_stock",
            ),
            Variant(
                "SH-WHT",
                Money(Decimal("30.00"), "USD"),
                (("color", "white"),),
                sale_price=Money(Decimal("19.90"), "USD"),
                stock=3,
            ),
        ),
        url="/products/shirt",
        image="javascript:alert(1)",
    )


def sources_of(product: Product) -> Sources:
    """A `Sources` event that names `product` alone."""
    return Sources("s1", "a1", (Source(product, "page"),), 7, "en")


class WrittenFinder:
    """Finds what a test wrote down, whatever is asked."""

    def __init__(self) -> None:
        self.found = Found()
        self.asked: list[Question] = []

    async def find(self, question: Question, turns: Sequence[Turn], timings: StageTimings) -> Found:
        """What was written."""
        self.asked.append(question)
        timings.mark("encode")
        timings.mark("search")
        return self.found
