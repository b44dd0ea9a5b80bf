"""The question's own part of a prompt: the facts that fit it, the question, and who speaks next."""

from collections.abc import Mapping
from dataclasses import dataclass

from catalog.product import Locale, Product
from pipeline.facts.fitting import MOST_FACTS, FactFinder
from pipeline.prompting.frames import Frame, Ids
from pipeline.prompting.rendering import Renderer, flatten
from pipeline.prompting.sizes import LABELS, PromptConfig
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.prompting.trim import clip, clip_middle
from pipeline.types import Question


@dataclass(frozen=True, slots=True)
class Asking:
    """A question about `products`, the most relevant first, with `room` tokens for its part.

    `searched` is whether they were searched for. At most `most_facts` stand beside it.
    """

    question: Question
    products: tuple[Product, ...]
    room: int
    searched: bool
    most_facts: int = MOST_FACTS


class Endings:
    """Makes the last part of prompts."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        frames: Mapping[Locale, Frame],
        renderers: Mapping[Locale, Renderer],
        facts: FactFinder,
        config: PromptConfig,
    ) -> None:
        self._tokenizer = tokenizer
        self._frames = frames
        self._renderers = renderers
        self._facts = facts
        self._config = config

    def ending(self, asking: Asking) -> tuple[Ids, int]:
        """Facts, question and tail, and how many tokens of the question were cut."""
        question, room = asking.question, asking.room - LABELS
        limit = min(self._config.max_question_tokens, room // 2)
        text, cut = clip_middle(self._tokenizer, flatten(question.text), limit)
        renderer = self._renderers[question.locale]
        asked = renderer.question(text, self.facts_line(asking), bool(asking.products))
        ids = self._tokenizer.encode(asked)
        return (*ids, *self._frames[question.locale].to_assistant), cut

    def facts_line(self, asking: Asking) -> str:
        """The facts of the first product that answer the question.

        If none does, the product itself is the answer where it was searched for, or nothing in
        particular is asked.
        """
        if not asking.products:
            return ""
        question, first = asking.question, asking.products[0]
        found = self._facts.fitting(question.text, first, question.locale, question.sku)
        if not found and (asking.searched or self._facts.is_open(question.text, first)):
            found = (self._facts.introduce(first, question.locale),)
        limit = min(self._config.max_fact_tokens, (asking.room - LABELS) // 4)
        line = self._renderers[question.locale].facts(found[: asking.most_facts])
        return clip(self._tokenizer, line, limit)
