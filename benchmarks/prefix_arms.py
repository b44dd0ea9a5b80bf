"""How a prompt may be laid out: the ways that are compared. The texts are the same for all."""

from collections.abc import Sequence
from datetime import UTC, datetime

from catalog.product import LOCALES, Product
from pipeline.facts.offers import live_facts
from pipeline.lexicon.words import Words
from pipeline.prompt import Prompt, PromptBuilder, Spare
from pipeline.prompting.frames import Frame, frames_for
from pipeline.prompting.parts import Ids, Part
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.types import Question, Source, Turn

LONGEST = 1900
"""Tokens: what the engine's context leaves beside an answer."""


class Simple:
    """Whole texts behind the head, then the conversation, all of it rendered for each question."""

    def __init__(self, tokenizer: Tokenizer, prompts: PromptBuilder, products: int) -> None:
        self._tokenizer, self._prompts, self._products = tokenizer, prompts, products
        lexicons = {locale: Words.load(prompts.templates, locale) for locale in LOCALES}
        self._frame: Frame = frames_for(tokenizer, lexicons)["en"]
        self._texts = prompts.renderers["en"]

    def build(
        self,
        question: Question,
        sources: Sequence[Source],
        turns: Sequence[Turn],
        spare: Spare | None = None,
    ) -> Prompt:
        """The prompt, with as many products as fit."""
        opening = self._opening(question)
        ending = (*self._talk(turns), *self._question(question, sources[0].product))
        told: list[Ids] = []
        room = LONGEST - len(opening) - len(ending)
        for source in sources[: self._products]:
            ids = self._product(source.product)
            if told and sum(map(len, told)) + len(ids) > room:
                break
            told.append(ids)
        ids = (*opening, *(token for ids in told for token in ids), *ending)
        return Prompt((Part("question", ids),), 0, self._frame.stop, self._frame.stop_ids)

    def told(self, *_: object) -> None:
        """Nothing is kept of a prompt."""

    def _opening(self, question: Question) -> Ids:
        return self._prompts.heads()["en"]

    def _product(self, product: Product) -> Ids:
        """Everything about it: its whole text, price and stock."""
        live = live_facts(product, product.variants, "en", self._prompts.facts.options)
        text = self._texts.product(product) + self._texts.live(product, live, several=True)
        return self._tokenizer.encode(text)

    def _talk(self, turns: Sequence[Turn]) -> Ids:
        frame, talk = self._frame, list[int]()
        for turn in turns:
            said = frame.before_answer + turn.answer + frame.after_answer
            talk += self._tokenizer.encode(self._texts.history(turn.question))
            talk += (*frame.to_assistant, *self._tokenizer.encode(said))
        return tuple(talk)

    def _question(self, question: Question, product: Product) -> Ids:
        """The question with the facts that fit, as ours has it, and what opens the answer."""
        found = self._prompts.facts.fitting(question.text, product, "en", question.sku)
        text = self._texts.question(question.text, self._texts.facts(found), known=True)
        return (*self._tokenizer.encode(text), *self._frame.to_assistant)


class Naive(Simple):
    """As `Simple`, and the time and the request's id come first."""

    def _opening(self, question: Question) -> Ids:
        clock = f"It is {datetime.now(UTC).isoformat(sep=' ')}, request {question.answer_id}.\n"
        bos = self._tokenizer.bos_id
        text = clock + self._texts.policy()
        return (*(() if bos is None else (bos,)), *self._tokenizer.encode(text))
