"""What the engine gets from turn to turn, and what is trimmed when time is short."""

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
import pytest_asyncio

from pipeline.chat import Chat, ChatConfig
from pipeline.encoder import Encoder
from pipeline.engine import Chunk, EngineError, EngineTimes
from pipeline.finding import make_finder
from pipeline.prompt import PromptBuilder, PromptConfig
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.remembering import Carried
from pipeline.replying.replies import Replies
from pipeline.reuse.account import Books
from pipeline.reuse.ledger import Ledger
from pipeline.reuse.pace import Pace
from pipeline.timing import StageTimings
from pipeline.types import Done, Question, Sources, Timing, Token, Turn
from tests.pipeline.fakes import LetterModel, product
from tests.pipeline.talk import starts_with
from tests.pipeline.test_chat import ListedEngine, Shop, said

FIRST = "how much is the zzz lamp?"


class Conversation:
    """Asks one shop, each time with the session it was given."""

    def __init__(self, shop: Shop, tokenizer: Tokenizer) -> None:
        self.shop, self.tokenizer = shop, tokenizer
        self.session_id: str | None = None
        self.sent: list[tuple[int, ...]] = []

    async def ask(
        self,
        text: str,
        *texts: str,
        failure: EngineError | None = None,
        history: tuple[Turn, ...] | None = None,
        chat: Chat | None = None,
    ) -> str:
        """One turn; what the shopper saw of it."""
        engine = ListedEngine(said(*texts), failure)
        chat = chat or self.shop.chat(engine)
        chat._engine = engine
        asked = Question(text, "en", "a1", session_id=self.session_id, history=history)
        events = [event async for event in chat.answer(asked, StageTimings())]
        self.sent += [request.token_ids for request in engine.requests]
        self.session_id = next(e.session_id for e in events if isinstance(e, Sources))
        return "".join(event.text for event in events if isinstance(event, Token))

    def text(self) -> str:
        """The last prompt."""
        return self.tokenizer.decode(self.sent[-1])


@pytest_asyncio.fixture
async def talk(tokenizer: Tokenizer) -> AsyncGenerator[Conversation, None]:
    encoder = Encoder(LetterModel())
    shop = Shop(PromptBuilder(tokenizer, PromptConfig()), encoder)
    await shop.retriever.rebuild()
    shop.finder = await make_finder(shop.prompts.templates, shop.records, shop.retriever)
    yield Conversation(shop, tokenizer)
    await encoder.close()


async def test_a_conversation_appends_to_what_the_engine_has_seen(talk: Conversation) -> None:
    await talk.ask(FIRST, "The price", " is $9.99.")
    await talk.ask("is it in stock?", "It is in stock.")
    await talk.ask("how much is the qqq kettle?", "The price is $9.99.")
    first, second, third = talk.sent
    assert starts_with(second, first)
    assert starts_with(third, second)
    assert talk.text().count("Product: zzz lamp") == 1
    assert talk.text().index("It is in stock.\n\n") < talk.text().index("Product: qqq kettle")


async def test_a_price_that_changes_meanwhile_is_told_and_the_old_one_stays(
    talk: Conversation,
) -> None:
    await talk.ask(FIRST, "The price is $9.99.")
    dear = product("1", "zzz lamp", price="12.50")
    talk.shop.records.apply((dear,), (), 6)
    assert await talk.ask("and how much is it now?", "The price is $9.99.") != "The price is $9.99."
    assert starts_with(talk.sent[1], talk.sent[0])
    assert talk.text().rindex("Price now: $9.99") < talk.text().rindex("Price now: $12.50")
    assert talk.text().endswith("Record: The price is $12.50.\nThe assistant reads the record:")


async def test_a_guarded_answer_is_in_the_next_prompt_as_it_was_sent(talk: Conversation) -> None:
    sent = await talk.ask(FIRST, "The price is $79.00.")
    assert "79.00" not in sent
    await talk.ask("is it in stock?", "It is in stock.")
    assert "79.00" not in talk.text()
    assert f"reads the record: {sent}\n\n" in talk.text()


async def test_an_answer_that_broke_off_is_in_the_next_prompt_as_far_as_it_came(
    talk: Conversation,
) -> None:
    failure = EngineError("engine_failed", "the engine broke")
    talk_engine = ListedEngine([Chunk("The price is", 3, 30, 10)], failure)
    chat = talk.shop.chat(talk_engine)
    asked = Question(FIRST, "en", "a1")
    events = [event async for event in chat.answer(asked, StageTimings())]
    talk.session_id = next(e.session_id for e in events if isinstance(e, Sources))
    await talk.ask("is it in stock?", "It is in stock.")
    assert starts_with(talk.sent[-1], talk_engine.requests[0].token_ids)
    assert "reads the record: The price is\n\nCustomer: is it" in talk.text()


async def test_a_question_that_got_no_answer_leaves_no_trace(talk: Conversation) -> None:
    await talk.ask(FIRST, "The price is $9.99.")
    engine = ListedEngine([], EngineError("engine_failed", "the engine broke"))
    asked = Question("do you have it in stock?", "en", "a1", session_id=talk.session_id)
    [_ async for _ in talk.shop.chat(engine).answer(asked, StageTimings())]
    assert len(engine.requests) == 1
    await talk.ask("is it in stock?", "It is in stock.")
    assert "do you have it" not in talk.text()
    assert starts_with(talk.sent[1], talk.sent[0])


async def test_a_client_that_carries_its_history_appends_too(talk: Conversation) -> None:
    chat = talk.shop.chat(ListedEngine(()))
    turns: tuple[Turn, ...] = ()
    second = "is the zzz lamp in stock?"
    for text, answer in ((FIRST, "The price is $9.99."), (second, "Yes.")):
        shown = await talk.ask(text, answer, history=turns, chat=chat)
        turns = (*turns, Turn(text, f" {shown}\n"))
    await talk.ask("how much is the zzz lamp now?", "$9.99.", history=turns, chat=chat)
    assert starts_with(talk.sent[1], talk.sent[0])
    assert starts_with(talk.sent[2], talk.sent[1])
    assert talk.text().count("Product: zzz lamp") == 1


async def test_a_carried_history_that_is_not_known_stands_as_texts(talk: Conversation) -> None:
    turns = (Turn("do you sell lamps?", "Yes, the zzz lamp."),)
    await talk.ask(FIRST, "The price is $9.99.", history=turns)
    assert "Customer: do you sell lamps?\n" in talk.text()


def test_what_was_told_is_known_by_every_text_before_it(talk: Conversation) -> None:
    prompts = talk.shop.prompts
    asked = Question(FIRST, "en", "a1")
    told = prompts.told(prompts.build(asked, (), ()), asked, "Yes.")
    carried, first = Carried(2), Turn("a", "b")
    carried.keep((first,), Turn("c", "d", told=told))
    assert [turn.told for turn in carried.known((first, Turn("c", "d ")))] == [None, told]
    for other in ((Turn("a", "x"), Turn("c", "d")), (Turn("ab", ""), Turn("c", "d"))):
        assert [turn.told for turn in carried.known(other)] == [None, None]
    for n in range(2):
        carried.keep((), Turn(str(n), "", told=told))
    assert carried.known((first, Turn("c", "d")))[1].told is None


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def paced(per_token: float) -> Pace:
    """A prefill of so many seconds a token, seen often enough."""
    pace = Pace()
    for tokens in (10, 500) * 8:
        pace.observe(tokens, per_token * tokens)
    return pace


@pytest.mark.parametrize(("late", "trims"), [(0.0, False), (0.205, True)])
async def test_a_prompt_is_trimmed_to_what_is_left_of_the_budget(
    talk: Conversation, late: float, trims: bool
) -> None:
    words = "A lamp of silk and steel, made to last. " * 20
    lamp = product("1", "zzz lamp")
    lamp = replace(lamp, texts={"en": replace(lamp.texts["en"], description=words)})
    talk.shop.records.apply((lamp,), (), 6)
    ledger, clock = Ledger(32), Clock()
    ledger.add(talk.shop.prompts.heads()["en"])
    chat = Chat(
        talk.shop.records,
        talk.shop.finder,
        Replies.beside(talk.shop.prompts),
        talk.shop.prompts,
        ListedEngine(said("The price is $9.99.")),
        talk.shop.sessions,
        ChatConfig(ttft_budget_ms=210.0),
        books=Books(ledger),
        pace=paced(0.0005),
    )
    timings = StageTimings(clock)
    clock.now = late
    events = [event async for event in chat.answer(Question(FIRST, "en", "a1"), timings)]
    [counts] = [event.tokens for event in events if isinstance(event, Timing)]
    assert (counts.trimmed > 0) is trims


async def test_the_pace_is_learnt_where_uncached_tokens_and_prefill_are_known(
    talk: Conversation,
) -> None:
    seen: list[tuple[int, float]] = []

    class Noting(Pace):
        def observe(self, tokens: int, seconds: float) -> None:
            seen.append((tokens, seconds))

    for cached in (None, 224):
        clock = Clock()
        times = EngineTimes(scheduled_at=1.0, first_token_at=1.5)
        engine = ListedEngine([Chunk("Yes.", 1, 300, cached, times, "stop")])
        chat = talk.shop.chat(engine)
        chat._spending = replace(chat._spending, pace=Noting())
        timings = StageTimings(clock)
        events = chat.answer(Question(FIRST, "en", "a1"), timings)
        await anext(events)
        clock.now = 2.0
        assert isinstance([event async for event in events][-1], Done)
        assert seen == ([] if cached is None else [(len(engine.requests[0].token_ids) - 224, 0.5)])
