"""The straight line: the order of events, the marks of the stages, and every way it can end."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from pipeline.chat import Chat, ChatConfig
from pipeline.encoder import Encoder
from pipeline.engine import Chunk, Engine, EngineError, EngineTimes, GenerationRequest
from pipeline.finder import Finder
from pipeline.finding import make_finder
from pipeline.found import Found, NotCarried
from pipeline.prompt import PromptBuilder, PromptConfig
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.records import Records
from pipeline.replying.replies import Replies
from pipeline.retriever import Retriever
from pipeline.sessions import SessionUnknownError, StoreUnavailableError
from pipeline.timing import StageTimings
from pipeline.types import Done, Event, Failure, Question, Sources, Timing, Token, Turn
from serving.engines.scripted import ScriptedConfig, ScriptedEngine
from tests.pipeline.fakes import LetterModel, product


class MemorySessions:
    """Conversations in a dictionary, and a switch that takes the store away."""

    def __init__(self) -> None:
        self.turns: dict[str, list[Turn]] = {}
        self.available = True

    async def history(self, session_id: str) -> tuple[Turn, ...]:
        self._check()
        if session_id not in self.turns:
            raise SessionUnknownError(session_id)
        return tuple(self.turns[session_id])

    async def append(self, session_id: str, turn: Turn) -> None:
        self._check()
        self.turns.setdefault(session_id, []).append(turn)

    def _check(self) -> None:
        if not self.available:
            raise StoreUnavailableError


class ListedEngine(ScriptedEngine):
    """Gives exactly these chunks, then fails if told to."""

    def __init__(self, chunks: Sequence[Chunk], failure: EngineError | None = None) -> None:
        super().__init__(ScriptedConfig())
        self.chunks = chunks
        self.failure = failure
        self.requests: list[GenerationRequest] = []

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        self.requests.append(request)
        for chunk in self.chunks:
            yield chunk
        if self.failure is not None:
            raise self.failure


class Shop:
    """A chat over three products, with parts that a test can change."""

    finder: Finder

    def __init__(self, prompts: PromptBuilder, encoder: Encoder) -> None:
        self.records = Records()
        self.records.replace((product("1", "zzz lamp"), product("2", "qqq kettle")), 5)
        self.sessions = MemorySessions()
        self.prompts = prompts
        self.retriever = Retriever(encoder, self.records)

    def chat(self, engine: Engine, finder: Finder | None = None) -> Chat:
        config = ChatConfig(max_tokens=20)
        return Chat(
            self.records,
            finder or self.finder,
            Replies.beside(self.prompts),
            self.prompts,
            engine,
            self.sessions,
            config,
        )


@pytest.fixture(scope="session")
def prompts(model_dir: Path) -> PromptBuilder:
    return PromptBuilder(Tokenizer.load(model_dir), PromptConfig())


@pytest_asyncio.fixture
async def shop(prompts: PromptBuilder) -> AsyncGenerator[Shop, None]:
    encoder = Encoder(LetterModel())
    shop = Shop(prompts, encoder)
    await shop.retriever.rebuild()
    shop.finder = await make_finder(prompts.templates, shop.records, shop.retriever)
    yield shop
    await encoder.close()


def asked(text: str = "how much is the zzz lamp?", **more: object) -> Question:
    return Question(text=text, locale="en", answer_id="a1", **more)  # type: ignore[arg-type]


def said(*texts: str, finish: str = "stop") -> list[Chunk]:
    """Chunks as an engine gives them; the last one ends the answer."""
    last = len(texts) - 1
    return [
        Chunk(text, n + 1, 30, 10, finish_reason=finish if n == last else None)  # type: ignore[arg-type]
        for n, text in enumerate(texts)
    ]


async def collect(chat: Chat, question: Question, timings: StageTimings) -> list[Event]:
    return [event async for event in chat.answer(question, timings)]


async def test_sources_come_first_and_done_last(shop: Shop) -> None:
    timings = StageTimings()
    engine = ListedEngine(said(" It", " costs", " 9.99."))
    events = await collect(shop.chat(engine), asked(), timings)
    assert [type(e) for e in events] == [Sources, Token, Token, Token, Timing, Done]
    sources, done = events[0], events[-1]
    assert isinstance(sources, Sources)
    assert isinstance(done, Done)
    assert sources.sources[0].product.id == "1"
    assert done.session_id == sources.session_id
    assert (done.finish, done.catalog_version) == ("stop", 5)
    assert "".join(e.text for e in events if isinstance(e, Token)) == "It costs 9.99."


async def test_every_stage_that_ran_is_marked_and_they_sum_to_the_ttft(shop: Shop) -> None:
    timings = StageTimings()
    timings.mark("admit")
    await collect(shop.chat(ListedEngine(said("Yes"))), asked(), timings)
    ran = ["admit", "encode", "search", "hydrate", "render", "prefill", "flush"]
    assert list(timings.stages()) == ran
    assert timings.ttft == pytest.approx(sum(timings.stages().values()))


async def test_the_engines_own_times_split_queue_from_prefill(shop: Shop) -> None:
    timings = StageTimings()
    chunk = said("Yes")[0]
    far = timings.started + 1e6  # later than now: clamped, so the sum cannot break
    times = EngineTimes(scheduled_at=timings.started, first_token_at=far)
    engine = ListedEngine([Chunk(chunk.text, 1, 30, 10, times, "stop")])
    await collect(shop.chat(engine), asked(), timings)
    assert {"queue", "prefill"} <= timings.stages().keys()
    assert timings.ttft == pytest.approx(sum(timings.stages().values()))


async def test_blank_pieces_do_not_count_as_the_first_token(shop: Shop) -> None:
    engine = ListedEngine(said(" ", "\n", "", "  Yes", ""))
    events = await collect(shop.chat(engine), asked(), StageTimings())
    assert [e.text for e in events if isinstance(e, Token)] == ["Yes"]


async def test_a_conversation_goes_on_and_keeps_its_turns(shop: Shop) -> None:
    chat = shop.chat(ListedEngine(said("9.99.")))
    first = await collect(chat, asked(), StageTimings())
    assert isinstance(first[0], Sources)
    session_id = first[0].session_id
    assert session_id is not None
    timings = StageTimings()
    second = await collect(chat, asked("is it blue?", session_id=session_id), timings)
    assert isinstance(second[0], Sources)
    [lamp, *_] = second[0].sources
    assert (lamp.product.id, lamp.why) == ("1", "conversation")
    assert "session" in timings.stages()
    assert [t.question for t in shop.sessions.turns[session_id]] == [
        "how much is the zzz lamp?",
        "is it blue?",
    ]


async def test_an_unknown_conversation_is_an_error_and_costs_no_engine(shop: Shop) -> None:
    engine = ListedEngine(said("never"))
    events = await collect(shop.chat(engine), asked(session_id="gone"), StageTimings())
    assert isinstance(events[0], Failure)
    assert events[0].code == "session_unknown"
    assert events[1] == Done("gone", "error", 5)
    assert engine.requests == []


async def test_an_engine_that_fails_at_token_three_ends_with_an_error_and_done(shop: Shop) -> None:
    chunks = [Chunk(text, n, 30, 10) for n, text in enumerate(("x", "y", "z"), 1)]
    engine = ListedEngine(chunks, EngineError("engine_failed", "the engine broke"))
    events = await collect(shop.chat(engine), asked(), StageTimings())
    kinds = [type(e) for e in events]
    assert kinds == [Sources, Token, Token, Token, Failure, Timing, Done]
    assert isinstance(events[-1], Done)
    assert events[-1].finish == "error"
    [turns] = shop.sessions.turns.values()
    assert (turns[0].answer, turns[0].finish) == ("xyz", "error")


async def test_a_stream_that_breaks_off_is_an_error(shop: Shop) -> None:
    engine = ListedEngine([Chunk("half", 1, 30, 10)])
    events = await collect(shop.chat(engine), asked(), StageTimings())
    failures = [e for e in events if isinstance(e, Failure)]
    assert [f.code for f in failures] == ["engine_failed"]


async def test_a_client_that_leaves_frees_the_slot_and_keeps_the_half_answer(shop: Shop) -> None:
    engine = ScriptedEngine(ScriptedConfig(text="one two three four five six seven eight"))
    answer = shop.chat(engine).answer(asked(), StageTimings())
    seen = [await anext(answer) for _ in range(3)]
    assert (await engine.stats()).running == 1
    await answer.aclose()
    assert (await engine.stats()).running == 0
    [turns] = shop.sessions.turns.values()
    assert turns[0].finish == "abort"
    assert turns[0].answer == "".join(e.text for e in seen if isinstance(e, Token))


async def test_a_client_that_leaves_before_the_first_token_frees_the_slot(shop: Shop) -> None:
    engine = ScriptedEngine(ScriptedConfig(text="late", first_token_s=3600.0))
    answer = shop.chat(engine).answer(asked(), StageTimings())
    assert isinstance(await anext(answer), Sources)
    waiting = asyncio.ensure_future(anext(answer))
    async with asyncio.timeout(10):
        while (await engine.stats()).running == 0:  # noqa: ASYNC110 - the engine has no event for it
            await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (await engine.stats()).running == 0


async def test_an_answer_is_given_though_it_cannot_be_kept(shop: Shop) -> None:
    shop.sessions.available = False
    chat = shop.chat(ListedEngine(said("9.99")))
    events = await collect(chat, asked(), StageTimings())
    assert "9.99" in [e.text for e in events if isinstance(e, Token)]
    assert [e.code for e in events if isinstance(e, Failure)] == ["store_unavailable"]
    assert isinstance(events[-1], Done)
    assert events[-1].finish == "stop"


async def test_a_client_that_carries_its_history_leaves_nothing_behind(shop: Shop) -> None:
    chat = shop.chat(ListedEngine(said("9.99")))
    events = await collect(chat, asked(history=(Turn("hi", "hello"),)), StageTimings())
    assert isinstance(events[0], Sources)
    assert events[0].session_id is None
    assert shop.sessions.turns == {}


class Finding(Finder):
    """Finds what a test says."""

    def __init__(self, found: Found) -> None:
        self.says = found

    async def find(self, question: Question, turns: object, timings: StageTimings) -> Found:
        return self.says


async def test_what_needs_no_model_is_said_without_it_and_kept(shop: Shop) -> None:
    engine = ListedEngine(said("never"))
    chat = shop.chat(engine, Finding(Found(intent="human")))
    timings = StageTimings()
    events = await collect(chat, asked("a human please"), timings)
    assert [type(e) for e in events] == [Sources, Token, Timing, Done]
    assert engine.requests == []
    assert isinstance(events[0], Sources)
    assert (events[0].intent, events[0].sources) == ("human", ())
    assert list(timings.stages()) == ["render", "flush"]
    [[turn]] = shop.sessions.turns.values()
    assert isinstance(events[1], Token)
    assert (turn.answer, turn.product_ids) == (events[1].text, ())


async def test_a_kind_that_is_not_sold_ends_as_not_carried(shop: Shop) -> None:
    found = Found(not_carried=NotCarried("drill", ("lamp",)))
    events = await collect(
        shop.chat(ListedEngine(said("never")), Finding(found)), asked(), StageTimings()
    )
    assert isinstance(events[-1], Done)
    assert events[-1].finish == "not_carried"


async def test_a_client_that_leaves_before_a_reply_leaves_an_aborted_turn(shop: Shop) -> None:
    chat = shop.chat(ListedEngine(said("never")), Finding(Found(intent="human")))
    events = chat.answer(asked("a human please"), StageTimings())
    await anext(events)
    await events.aclose()
    [[turn]] = shop.sessions.turns.values()
    assert (turn.answer, turn.finish) == ("", "abort")
