"""The pipeline over a catalogue, without HTTP and search: one arm's shop and its conversations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from benchmarks.prefix_arms import Naive, Simple
from benchmarks.prefix_engine import WatchedEngine
from benchmarks.prefix_layouts import ORDERS, Ordered
from benchmarks.prefix_workload import Ask
from catalog.product import Product
from pipeline.chat import Chat, ChatConfig
from pipeline.finder import Finder
from pipeline.found import Found
from pipeline.guarding.guard import Guards
from pipeline.prompt import Prompt, PromptBuilder, PromptConfig
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.records import Records
from pipeline.replying.replies import Replies, Reply
from pipeline.retriever import Hit
from pipeline.timing import StageTimings
from pipeline.types import Question, Source, Timing, Token, TokenCounts, Turn

OURS = {"ours": 1, "ours, three products": 3}
"""How many products are put into the prompt."""


class KnownFinder(Finder):
    """Finds what was looked up beforehand: the page's product, then what a search brought."""

    def __init__(self, found: Mapping[tuple[str, str], Sequence[str]]) -> None:
        self._known = found

    async def find(self, question: Question, turns: Sequence[Turn], timings: StageTimings) -> Found:
        """What is known for the page and the question."""
        assert question.product_id is not None
        ids = self._known[question.product_id, question.text]
        return Found(tuple(Hit(id_, "page") for id_ in ids))


class NoReplies(Replies):
    """Every question goes to the engine, so that every arm is asked the same."""

    def __init__(self) -> None:
        """Nothing to say."""

    def reply(self, question: Question, found: Found, sources: Sequence[Source]) -> Reply | None:
        """None."""
        return None


class KeptSessions:
    """Conversations in memory."""

    def __init__(self) -> None:
        self._turns: dict[str, tuple[Turn, ...]] = {}

    async def history(self, session_id: str) -> tuple[Turn, ...]:
        """The turns so far; none of a new conversation."""
        return self._turns.get(session_id, ())

    async def append(self, session_id: str, turn: Turn) -> None:
        """Keep `turn`."""
        self._turns[session_id] = (*await self.history(session_id), turn)


@dataclass(frozen=True, slots=True)
class Answered:
    """TTFT in milliseconds. `own`: the tokens of the prompt that are the question's own: live
    facts, chosen passages, the question."""

    text: str
    ttft_ms: float
    tokens: TokenCounts
    own: int


class Shop:
    """Answers with one way of laying out prompts."""

    def __init__(
        self, bench: "Bench", prompts: PromptBuilder, layout: "Layout", products: int
    ) -> None:
        self._prompts, self._layout = prompts, layout
        self.engine, self.records = bench.engine, Records()
        self.records.replace(bench.catalogue, 1)
        sessions, guards = KeptSessions(), Guards()
        self._chat = Chat(
            self.records,
            KnownFinder(bench.found),
            NoReplies(),
            layout,
            bench.engine,
            sessions,
            ChatConfig(products, bench.max_tokens),
            guards,
        )

    def change(self, product: Product) -> None:
        """`product` is as it is from now on."""
        self.records.apply([product], [], self.records.version + 1)

    def price_of(self, id_: str) -> str:
        """As an answer has it."""
        product = self.records.get(id_)
        assert product is not None  # it is in the catalogue
        return str(product.variants[0].price.amount)

    async def warm_heads(self) -> None:
        """What is the same for everyone."""
        await self.engine.warm(self._prompts.heads()["en"])

    async def warm_page(self, id_: str) -> None:
        """What every prompt about a product begins with."""
        product = self.records.get(id_)
        assert product is not None  # it is in the catalogue
        await self.engine.warm(self._prompts.prefix(product, "en"))

    async def ask(self, asked: Ask) -> Answered:
        """The whole answer to one question."""
        question = Question(
            text=asked.text,
            locale="en",
            answer_id=uuid4().hex,
            session_id=str(asked.conversation),
            product_id=asked.product_id,
        )
        timings, said, tokens = StageTimings(), "", None
        async for event in self._chat.answer(question, timings):
            if isinstance(event, Token):
                said += event.text
            elif isinstance(event, Timing):
                tokens = event.tokens
        if timings.ttft is None or tokens is None:
            raise RuntimeError(f"no answer to {asked.text!r}")
        return Answered(said, timings.ttft * 1e3, tokens, self._layout.own)


class Layout(PromptBuilder):
    """`builder`'s prompts, and how many tokens of the last one were the question's own."""

    def __init__(self, builder: Any) -> None:
        self._builder = builder
        self.own = 0

    def build(self, *given: Any, **named: Any) -> Prompt:
        """As the builder does."""
        prompt: Prompt = self._builder.build(*given, **named)
        self.own = sum(len(p.ids) for p in prompt.parts if p.kind in ("live", "question"))
        return prompt

    def told(self, *given: Any, **named: Any) -> Any:
        """As the builder does."""
        return self._builder.told(*given, **named)


@dataclass(frozen=True, slots=True)
class Bench:
    """What all arms share."""

    catalogue: Sequence[Product]
    found: Mapping[tuple[str, str], Sequence[str]]
    engine: WatchedEngine
    tokenizer: Tokenizer
    max_tokens: int

    def open(self, layout: str) -> Shop:
        """A shop as it is before the first question, laid out as `layout` says."""
        prompts = PromptBuilder(self.tokenizer, PromptConfig(answer_tokens=self.max_tokens))
        if layout in OURS:
            return Shop(self, prompts, Layout(prompts), OURS[layout])
        if order := ORDERS.get(layout):
            ordered = Ordered(self.tokenizer, prompts, order)
            return Shop(self, prompts, Layout(ordered), order.products)
        kind, products = (Naive, 10) if layout == "naive" else (Simple, 3)
        return Shop(self, prompts, Layout(kind(self.tokenizer, prompts, products)), products)
