"""What an answer would stand on: the products found and the lines beside the question, or the reply
that needs no model.

One question is put to two shops, as they are before a change and after it, without an engine.
"""

import asyncio
from dataclasses import dataclass, replace

from catalog.product import Locale
from pipeline import found as finding
from pipeline.finder import Finder
from pipeline.prompt import PromptBuilder
from pipeline.records import Records
from pipeline.replying.replies import Replies
from pipeline.retriever import Retriever, hydrate
from pipeline.timing import StageTimings
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
class Standing:
    """What was found for a question, and the records of it at that moment."""

    question: Question
    found: finding.Found
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Grounds:
    """What an answer would stand on: the products found, the nearest first, and the lines that
    the prompt carries beside the question, or the reply instead. Both are empty for the page of no
    product."""

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

    records: Records
    retriever: Retriever
    finder: Finder
    replies: Replies
    prompts: PromptBuilder
    in_prompt: int

    def question(self, asking: Asking) -> Question | None:
        """As a shopper would put it; None on the page of no product."""
        if asking.sku is None:
            return Question(asking.text, asking.locale, "")
        page = self.records.resolve(asking.sku)
        if page is None:
            return None
        product, variant = page
        sku = None if variant is None else variant.sku
        return Question(asking.text, asking.locale, "", product_id=product.id, sku=sku)

    async def stand(self, question: Question | None) -> Standing | None:
        """What is found, as an answer has it; None on the page of no product."""
        if question is None:
            return None
        found = await self.finder.find(question, (), StageTimings())
        question = replace(question, sku=found.sku or question.sku)
        return Standing(question, found, hydrate(self.records, found.hits))

    def grounds(self, standing: Standing | None) -> Grounds:
        """What the answer would stand on."""
        if standing is None:
            return Grounds()
        question, sources = standing.question, standing.sources
        found = (Found(s.product.id, s.product.text(question.locale).title) for s in sources)
        reply = self.replies.reply(question, standing.found, sources)
        if reply is not None:
            return Grounds(tuple(found), (reply.text,))
        told = self.prompts.lines(question, sources[: self.in_prompt])
        return Grounds(tuple(found), told)


async def compare(before: Shop, after: Shop, asking: Asking) -> AnswerChange | None:
    """What changes for one question; None if nothing does."""
    old = await before.stand(before.question(asking))
    await asyncio.sleep(0)
    new = await after.stand(after.question(asking))
    if _is_same(old, new):
        return None
    await asyncio.sleep(0)
    stood = before.grounds(old)
    await asyncio.sleep(0)
    stands = after.grounds(new)
    return None if stood == stands else AnswerChange(asking, stood, stands)


def _is_same(old: Standing | None, new: Standing | None) -> bool:
    """Whether nothing was found otherwise, and every record is the very same."""
    if old is None or new is None:
        return old is new
    if (old.question, _told(old.found)) != (new.question, _told(new.found)):
        return False
    return len(old.sources) == len(new.sources) and all(
        before.product is after.product
        for before, after in zip(old.sources, new.sources, strict=True)
    )


def _told(found: finding.Found) -> tuple[object, ...]:
    return (found.not_found, found.not_carried, found.intent, found.unmet)
