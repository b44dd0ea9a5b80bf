"""Which products a question is about, and what it asks of them: all that precedes the prompt."""

from collections.abc import Sequence
from typing import Protocol

from pipeline.found import Found
from pipeline.fusion import Candidate
from pipeline.hotshelf import HotShelf
from pipeline.retriever import Retriever
from pipeline.timing import StageTimings
from pipeline.types import Question, Turn


class Named(Protocol):
    """An intent: what a turn wants that is not about a product."""

    @property
    def name(self) -> str:
        """As in `Found.intent`."""
        ...

    @property
    def record_first(self) -> bool:
        """Whether a product's record may answer it."""
        ...


class Intents(Protocol):
    """Reads intents."""

    def read(self, text: str) -> Named | None:
        """The intent of `text`; None if it is about products."""
        ...


class Judge(Protocol):
    """The last judgement whether the shop sells what is asked for, by words and scores."""

    def unsold(self, text: str, candidates: Sequence[Candidate]) -> str | None:
        """What is asked for and not sold, as the shopper said it; None if it may be sold."""
        ...


class Finder:
    """Finds what a question is about; holds no state of any of them. One event loop."""

    def __init__(
        self,
        shelf: HotShelf,
        retriever: Retriever,
        intents: Intents | None = None,
        judge: Judge | None = None,
    ) -> None:
        self._shelf = shelf
        self._retriever = retriever
        self._intents = intents
        self._judge = judge

    async def find(self, question: Question, turns: Sequence[Turn], timings: StageTimings) -> Found:
        """What `question` is about after `turns`; ends the stages encode and search if they ran."""
        hits = self._retriever.known(question)
        intent = self._intents.read(question.text) if self._intents else None
        if intent is not None and not (intent.record_first and hits):
            return Found(intent=intent.name)
        if hits:
            return Found(hits, intent=None if intent is None else intent.name)
        vector = await self._retriever.encode(question.text)
        timings.mark("encode")
        hits = self._retriever.search(question, vector, turns)
        timings.mark("search")
        return Found(hits)
