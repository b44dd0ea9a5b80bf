"""The life of a question, in a straight line: this is the file to read first.

session -> encode -> search -> hydrate -> render -> (engine: queue, prefill) -> flush -> decode.
Each step is a file of its own; `timings` is told when each one ends.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from uuid import uuid4

from pipeline.engine import Engine, EngineError, GenerationRequest
from pipeline.finder import Finder
from pipeline.found import Found
from pipeline.generation import Generation
from pipeline.guarding.guard import Guards
from pipeline.prompt import Prompt, PromptBuilder
from pipeline.records import Records
from pipeline.remembering import Memory
from pipeline.replying.replies import Replies, Reply
from pipeline.retriever import hydrate
from pipeline.reuse.account import Books
from pipeline.reuse.pace import Pace
from pipeline.sessions import SessionStore, SessionUnknownError, StoreUnavailableError
from pipeline.spending import Spending
from pipeline.timing import TTFT_BUDGET_MS, StageTimings
from pipeline.types import (
    Done,
    Event,
    Failure,
    Finish,
    Question,
    Source,
    Sources,
    Timing,
    Token,
    TokenCounts,
    Told,
    Turn,
)


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """`prompt_products`: how many of the products found are put into the prompt.

    `max_tokens`: the longest answer, unless the request asks for less or more. `ttft_budget_ms`:
    prompts are trimmed so that the first token comes within it, as far as that can be told.
    """

    prompt_products: int = 1
    max_tokens: int = 48
    ttft_budget_ms: float = TTFT_BUDGET_MS


class Chat:
    """Answers questions; holds no state of any of them."""

    def __init__(
        self,
        records: Records,
        finder: Finder,
        replies: Replies,
        prompts: PromptBuilder,
        engine: Engine,
        sessions: SessionStore,
        config: ChatConfig,
        guards: Guards | None = None,
        books: Books | None = None,
        pace: Pace | None = None,
    ) -> None:
        """`books` say what the engine has cached, `pace` how fast it is: trimming by time goes by
        both, and without them there is none."""
        self._records = records
        self._finder = finder
        self._replies = replies
        self._prompts = prompts
        self._engine = engine
        self._memory = Memory(sessions)
        self._config = config
        self._guards = guards or Guards()
        self._books = books
        self._spending = Spending(
            config.ttft_budget_ms / 1e3, books.ledger if books else None, pace
        )

    async def answer(
        self, question: Question, timings: StageTimings
    ) -> AsyncGenerator[Event, None]:
        """Events of one answer, `Done` last. Closing it aborts the engine's work.

        The caller asks for the next event only when the last one has left the process: that is
        how `flush` and `decode` are measured.
        """
        session_id = _session_id(question)
        try:
            turns = await self._history(question, timings)
        except (SessionUnknownError, StoreUnavailableError) as error:
            yield _session_failure(error)
            yield Done(session_id, "error", self._records.version)
            return
        version = self._records.version
        found = await self._finder.find(question, turns, timings)
        sources = self._hydrate(found, timings)
        question = replace(question, sku=found.sku or question.sku)
        shown = Sources(
            session_id,
            question.answer_id,
            sources,
            version,
            question.locale,
            found.not_found,
            found.intent,
        )
        reply = self._replies.reply(question, found, sources)
        if reply is not None:
            told = self._say(reply, question, shown, timings)
        else:
            told = self._generate(question, turns, shown, timings)
        async with aclosing(told) as events:
            async for event in events:
                yield event

    async def _history(self, question: Question, timings: StageTimings) -> tuple[Turn, ...]:
        turns = await self._memory.turns(question)
        if question.session_id is not None and question.history is None:
            timings.mark("session")
        return turns

    def _hydrate(self, found: Found, timings: StageTimings) -> tuple[Source, ...]:
        """The records of what was found, as they are at this moment."""
        if not found.hits:
            return ()
        sources = hydrate(self._records, found.hits)
        timings.mark("hydrate")
        return sources

    async def _generate(
        self, question: Question, turns: Sequence[Turn], shown: Sources, timings: StageTimings
    ) -> AsyncGenerator[Event, None]:
        """An answer of the engine, as events; the guard reads along."""
        in_prompt = shown.sources[: self._config.prompt_products]
        spare = self._spending.spare(timings)
        prompt = self._prompts.build(question, in_prompt, turns, spare)
        timings.mark("render")

        guard = self._guards.watch(question, in_prompt)
        account = self._books.open(prompt.parts) if self._books else None
        request = self._request(question, prompt)
        generation = Generation(self._engine, request, timings, guard, account)
        failures: list[Failure] = []
        try:
            generation.start()
            yield shown
            async for text in generation.texts():
                yield Token(text)
                timings.first_token()
            timings.finish()
        except EngineError as error:
            failures.append(Failure(error.code, str(error)))
        finally:
            await generation.close()
            self._spending.learn(generation.counts(prompt.trimmed), timings)
            told = self._prompts.told(prompt, question, generation.text, generation.said_ids)
            failures += await self._keep(question, generation.text, generation.finish, shown, told)
        for failure in failures:
            yield failure
        if generation.answered:
            yield Timing(question.answer_id, generation.counts(prompt.trimmed))
        yield Done(shown.session_id, generation.finish, shown.catalog_version)

    async def _say(
        self, reply: Reply, question: Question, shown: Sources, timings: StageTimings
    ) -> AsyncGenerator[Event, None]:
        """An answer without the engine, as events."""
        timings.mark("render")
        said = ""
        finish: Finish = "abort"
        failures: list[Failure] = []
        try:
            yield shown
            said = reply.text
            yield Token(said)
            timings.first_token()
            timings.finish()
            finish = reply.finish
        finally:
            failures += await self._keep(question, said, finish, shown)
        for failure in failures:
            yield failure
        yield Timing(question.answer_id, TokenCounts(0, None, 0, 0))
        yield Done(shown.session_id, finish, shown.catalog_version)

    def _request(self, question: Question, prompt: Prompt) -> GenerationRequest:
        return GenerationRequest(
            request_id=question.answer_id,
            token_ids=prompt.token_ids,
            max_tokens=question.max_tokens or self._config.max_tokens,
            temperature=question.temperature,
            stop=prompt.stop + question.stop,
            stop_token_ids=prompt.stop_token_ids,
        )

    async def _keep(
        self,
        question: Question,
        said: str,
        finish: Finish,
        shown: Sources,
        told: Told | None = None,
    ) -> list[Failure]:
        """Keep the turn with every card shown."""
        ids = tuple(source.product.id for source in shown.sources)
        turn = Turn(question.text, said, ids, finish, told)
        return await self._memory.keep(question, shown.session_id, turn)


def _session_id(question: Question) -> str | None:
    """The conversation's id: the one given, a new one, or none if the client keeps the history."""
    if question.history is not None:
        return None
    return question.session_id or uuid4().hex


def _session_failure(error: Exception) -> Failure:
    if isinstance(error, SessionUnknownError):
        return Failure(
            "session_unknown",
            "this conversation does not exist or has expired: "
            "send the message without session_id to begin a new one",
        )
    return Failure(
        "store_unavailable", "conversations cannot be read now: try again shortly", retry_after=5
    )
