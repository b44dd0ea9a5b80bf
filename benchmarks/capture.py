"""The token ids that Hotshelf would send, taken from the pipeline itself."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.workload import ShopperQuestion
from catalog.demo import demo_products
from catalog.product import Locale
from pipeline.chat import Chat, ChatConfig
from pipeline.encoder import Encoder
from pipeline.engine import Chunk, EngineStats, GenerationRequest
from pipeline.finding import make_finder
from pipeline.prompt import PromptBuilder, PromptConfig
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.records import Records
from pipeline.replying.replies import Replies
from pipeline.retriever import Retriever
from pipeline.searching.embedding_models import DEFAULT_ENCODER, load_embedding_model
from pipeline.sessions import SessionStore
from pipeline.timing import StageTimings
from pipeline.types import Question, Turn


@dataclass(frozen=True, slots=True)
class Captured:
    """The questions that reach the engine, a request for each, and the static heads."""

    asked: tuple[ShopperQuestion, ...]
    requests: tuple[GenerationRequest, ...]
    heads: dict[Locale, tuple[int, ...]]


class RecordingEngine:
    """An engine that keeps what it is asked and says one word."""

    name = "recording"

    def __init__(self) -> None:
        self.requests: list[GenerationRequest] = []

    async def start(self) -> None:
        """Nothing to start."""

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        """Keep `request`."""
        self.requests.append(request)
        yield Chunk(text="ok", completion_tokens=1, finish_reason="stop")

    async def check(self) -> None:
        """Always well."""

    async def stats(self) -> EngineStats:
        """No load to tell of."""
        return EngineStats()

    async def close(self) -> None:
        """Nothing to free."""


class NoSessions(SessionStore):
    """Conversations that are not kept."""

    async def history(self, session_id: str) -> tuple[Turn, ...]:
        return ()

    async def append(self, session_id: str, turn: Turn) -> None:
        return None


async def capture(model: Path, asked: Sequence[ShopperQuestion], max_tokens: int) -> Captured:
    """Run the pipeline over `asked` with the demo shop and keep what the engine would get."""
    records = Records()
    records.replace(demo_products(), 1)
    encoder = Encoder(load_embedding_model(DEFAULT_ENCODER, "cpu"))
    prompts = PromptBuilder(Tokenizer.load(model), PromptConfig())
    engine = RecordingEngine()
    config = ChatConfig(max_tokens=max_tokens)
    retriever = Retriever(encoder, records)
    await retriever.rebuild()
    chat = Chat(
        records,
        await make_finder(prompts.templates, records, retriever),
        Replies.beside(prompts),
        prompts,
        engine,
        NoSessions(),
        config,
    )
    reached: list[ShopperQuestion] = []
    for number, one in enumerate(asked):
        question = Question(
            text=one.message,
            locale=one.locale,
            answer_id=str(number),
            product_id=one.product_id,
            history=(),
        )
        async for _ in chat.answer(question, StageTimings()):
            pass
        if len(engine.requests) > len(reached):
            reached.append(one)
    await encoder.close()
    return Captured(tuple(reached), tuple(engine.requests), prompts.heads())
