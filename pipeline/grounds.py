"""What an answer would stand on: the products found and the lines beside the question.

One question is put to two shops, as they are before a change and after it, without an engine.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from catalog.product import Locale
from pipeline.encoder import Vectors
from pipeline.hotshelf import HotShelf
from pipeline.prompt import PromptBuilder
from pipeline.retriever import Retriever
from pipeline.types import Question, Source


@dataclass(frozen=True, slots=True)
class Asking:
    """A question, on the page of `sku` (a SKU or a product id) if that is given."""

    text: str
    sku: str | None
    locale: Locale


@dataclass(frozen=True, slots=True)
class Found:
    """One product that an answer would stand on, by the title that its shopper reads."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Grounds:
    """What an answer would stand on: the products found, the nearest first, and the lines that
    the prompt carries beside the question. Both are empty for the page of no product."""

    products: tuple[Found, ...] = ()
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """A question that would be answered from something else than now."""

    asking: Asking
    before: Grounds
    after: Grounds


@dataclass(frozen=True, slots=True)
class Shop:
    """What finds the grounds of an answer, a fork that nothing else uses; `in_prompt`: how many
    products a prompt has."""

    shelf: HotShelf
    retriever: Retriever
    prompts: PromptBuilder
    in_prompt: int

    def question(self, asking: Asking) -> Question | None:
        """As a shopper would put it; None on the page of no product."""
        if asking.sku is None:
            return Question(asking.text, asking.locale, "")
        page = self.shelf.resolve(asking.sku)
        if page is None:
            return None
        product, variant = page
        sku = None if variant is None else variant.sku
        return Question(asking.text, asking.locale, "", product_id=product.id, sku=sku)

    async def sources(
        self, question: Question | None, vector: Vectors | None
    ) -> tuple[Source, ...]:
        """The products that are found, as an answer has them; searched behind the shoppers."""
        if question is None:
            return ()
        hits = self.retriever.known(question)
        if not hits and vector is not None:
            hits = await self.retriever.search_behind(question, vector)
        return self.retriever.hydrate(hits)

    def grounds(self, question: Question | None, sources: Sequence[Source]) -> Grounds:
        """What the answer would stand on."""
        if question is None:
            return Grounds()
        found = (Found(s.product.id, s.product.text(question.locale).title) for s in sources)
        told = self.prompts.lines(question, sources[: self.in_prompt])
        return Grounds(tuple(found), told)


async def compare(
    before: Shop, after: Shop, asking: Asking, vector: Vectors | None
) -> AnswerChange | None:
    """What changes for one question; None if nothing does. `vector` is not needed on a page."""
    was, becomes = before.question(asking), after.question(asking)
    old = await before.sources(was, vector)
    new = await after.sources(becomes, vector)
    if was == becomes and _same_records(old, new):
        return None
    await asyncio.sleep(0)
    stood = before.grounds(was, old)
    await asyncio.sleep(0)
    stands = after.grounds(becomes, new)
    return None if stood == stands else AnswerChange(asking, stood, stands)


def _same_records(before: Sequence[Source], after: Sequence[Source]) -> bool:
    return len(before) == len(after) and all(
        old.product is new.product for old, new in zip(before, after, strict=True)
    )
