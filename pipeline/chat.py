"""The life of a question, in a straight line: this is the file to read first.

session -> encode -> search -> hydrate -> render -> (engine: queue, prefill) -> flush -> decode.
Each step is a file of its own; `timings` is told when each one ends.
"""

import asyncio
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
from pipeline.replying.replies import Replies, Reply
from pipeline.retriever import hydrate
from pipeline.sessions import SessionStore, SessionUnknownError, StoreUnavailableError
from pipeline.timing import StageTimings
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
    Turn,
)


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """`prompt_products`: how many of the products found are put into the prompt.

    `max_tokens`: the longest answer, unless the request asks for less or more.
    """

    prompt_products: int = 1
    max_tokens: int = 48


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
    ) -> None:
        self._records = records
        self._finder = finder
        self._replies = replies
        self._prompts = prompts
        self._engine = engine
        self._sessions = sessions
        self._config = config
        self._guards = guards or Guards()

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
        if question.history is not None:
            return question.history
        if question.session_id is None:
            return ()
        turns = await self._sessions.history(question.session_id)
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
        prompt = self._prompts.build(question, in_prompt, turns)
        timings.mark("render")

        guard = self._guards.watch(question, in_prompt)
        generation = Generation(self._engine, self._request(question, prompt), timings, guard)
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
            failures += await self._keep(question, generation.text, generation.finish, shown)
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
        self, question: Question, said: str, finish: Finish, shown: Sources
    ) -> list[Failure]:
        """Keep the turn with every card shown, whoever leaves meanwhile."""
        ids = tuple(source.product.id for source in shown.sources)
        turn = Turn(question.text, said, ids, finish)
        return await asyncio.shield(self._remember(shown.session_id, turn))

    async def _remember(self, session_id: str | None, turn: Turn) -> list[Failure]:
        """Keep the turn, a partial one too; an answer is never lost for want of a store."""
        if session_id is None:
            return []
        try:
            await self._sessions.append(session_id, turn)
        except StoreUnavailableError:
            message = "the answer is complete, but this conversation could not be kept"
            return [Failure("store_unavailable", message)]
        return []


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
