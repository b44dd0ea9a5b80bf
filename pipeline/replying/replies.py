"""What is said without the model: where there is no product to speak of, or no fact of it.

A model that is asked what it cannot know makes something up, and takes its time over it. These
answers are the shop's own texts (`pipeline/replying/policies.py`), filled in with what was asked
for.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.facts.fitting import FactFinder
from pipeline.found import Found, NotCarried
from pipeline.prompt import PromptBuilder
from pipeline.prompting.rendering import flatten
from pipeline.replying.listing import Lister
from pipeline.replying.policies import UNKNOWN, Policies
from pipeline.types import Finish, Question, Source
from pipeline.understanding.naming import names

_PLACE = re.compile(r"\{(\w+)\}")
_LONGEST = 60
"""Characters of what a shopper said that are repeated."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer."""

    text: str
    finish: Finish = "stop"


class Replies:
    """Decides whether the model is asked at all.

    `facts_only`: say that the record does not tell where no fact of it fits the question. It
    suits small models, which cannot judge that for themselves; others are told to by the policy.
    """

    def __init__(
        self, policies: Policies, facts: FactFinder, lister: Lister, *, facts_only: bool
    ) -> None:
        self.policies = policies
        self._facts = facts
        self._lister = lister
        self._facts_only = facts_only

    @classmethod
    def beside(cls, prompts: PromptBuilder) -> "Replies":
        """Those that suit the model which `prompts` are for, with the texts as shipped."""
        policies = Policies.load(prompts.templates)
        lister = Lister(prompts.facts, prompts.renderers, prompts.templates)
        return cls(policies, prompts.facts, lister, facts_only=prompts.is_transcript)

    def reply(self, question: Question, found: Found, sources: Sequence[Source]) -> Reply | None:
        """The answer to `question`, or None if the model shall give it from `sources`."""
        if found.intent is not None:
            told = bool(sources) and self._is_told(question, sources[0])
            return None if told else self._text(found.intent, question)
        if found.not_carried is not None:
            return self._not_carried(found.not_carried, question)
        if sources and found.unmet and not self._is_choice(question, found, sources[0]):
            return self._unmet(question, found, sources)
        if self._facts_only and self._lister.asks_for_things(question, found, sources):
            return Reply(self._lister.line(question, found, sources))
        if sources:
            asks_of_one = sources[0].why != "search" or names(question.text, sources[0].product)
            if not (self._facts_only and asks_of_one) or self._is_known(question, sources[0]):
                return None
            return self._text(UNKNOWN, question)
        if found.not_found:
            number = ", ".join(_said(number) for number in found.not_found)
            return self._text("not_found", question, number=number)
        return self._text("nothing_fits", question)

    def _is_told(self, question: Question, source: Source) -> bool:
        """Whether the record itself answers a question that a policy would answer too."""
        product, locale = source.product, question.locale
        return bool(self._facts.fitting(question.text, product, locale, question.sku))

    def _is_choice(self, question: Question, found: Found, source: Source) -> bool:
        """Whether what is not met is told by the record: in which colours and sizes one product
        comes that the question names."""
        product, locale = source.product, question.locale
        if not self._facts.asks_of_one(question.text, product):
            return False
        facts = self._facts.fitting(question.text, product, locale, question.sku)
        return any(fact.kind == "choice" for fact in facts)

    def _is_known(self, question: Question, source: Source) -> bool:
        return self._facts.knows(question.text, source.product, question.locale, question.sku)

    def _unmet(self, question: Question, found: Found, sources: Sequence[Source]) -> Reply:
        what, locale = found.explain.understood, question.locale
        gap = ", " if locale == "en" else "、"
        wishes = gap.join(_said(self._lister.wish(wish, what, locale)) for wish in found.unmet)
        nearest = self._lister.nearest(question, found, sources)
        return self._text("unmet", question, wishes=wishes, nearest=nearest)

    def _not_carried(self, asked: NotCarried, question: Question) -> Reply:
        gap = "、" if question.locale == "zh" else ", "
        name = "not_carried" if asked.nearest else "not_carried_alone"
        nearest = gap.join(asked.nearest)
        return self._text(name, question, "not_carried", kind=_said(asked.kind), nearest=nearest)

    def _text(self, name: str, question: Question, finish: Finish = "stop", **said: str) -> Reply:
        text = self.policies.text(name, question.locale)
        text = _PLACE.sub(lambda place: said.get(place[1], place[0]), text)
        return Reply(text, finish)


def _said(text: str) -> str:
    """What a shopper said, on one line and not too long."""
    line = flatten(text)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
