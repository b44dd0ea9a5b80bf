"""What an engine says of its cache, and what is made of it."""

from collections.abc import AsyncGenerator

from pipeline.engine import Chunk, GenerationRequest
from pipeline.generation import Generation
from pipeline.guarding.guard import Guards
from pipeline.prompting.parts import Part
from pipeline.reuse.account import Books
from pipeline.reuse.ledger import Ledger
from pipeline.timing import StageTimings
from pipeline.types import Question
from serving.engines.scripted import ScriptedEngine

IDS = (1, 2, 3)


class Boasting(ScriptedEngine):
    """Says that it had more than it was sent."""

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        yield Chunk("Yes.", 1, len(request.token_ids), 1_000_000, None, "stop")


async def test_no_more_is_cached_than_the_prompt_has() -> None:
    account = Books(Ledger(2)).open((Part("question", IDS),))
    request = GenerationRequest("r", IDS, max_tokens=9)
    guard = Guards().watch(Question("Is it red?", "en", "a"), ())
    generation = Generation(Boasting(), request, StageTimings(), guard, account)
    async for _ in generation.texts():
        pass
    await generation.close()
    counts = generation.counts(0)
    assert counts.cached == counts.prompt == len(IDS)
    assert counts.reuse is not None
    assert sum(counts.reuse.lost.values()) == 0
