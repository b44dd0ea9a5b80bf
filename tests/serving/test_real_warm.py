"""The real engine and the hot shelf: what is warmed is what the first question finds cached."""

import asyncio
from dataclasses import replace
from uuid import uuid4

import pytest

from catalog.pins import Pins
from catalog.product import Product, Text
from pipeline.engine import Engine, GenerationRequest
from pipeline.prompt import PromptBuilder
from pipeline.warming.jobs import Ids
from serving.shelf import HotShelf
from tests.serving.desk import Desk, opened, ready
from tests.serving.fakes import shirt
from tests.serving.server import serving
from tests.serving.shop import ask

pytestmark = [pytest.mark.engine, pytest.mark.timeout(600)]

WORDS = ("linen", "cotton", "wool", "silk", "denim", "velvet", "suede", "leather", "canvas")


def garment(name: str) -> Product:
    """A shirt of which nothing was ever asked, and whose stable block takes several blocks."""
    said = " ".join(f"The {name} has {word} from {name} hills." for word in WORDS)
    return replace(shirt(), texts={"en": Text(f"The {name} shirt", said)})


def whole(prompts: PromptBuilder, product: Product, block_tokens: int) -> int:
    """Tokens in full blocks of what its prompts begin with."""
    return len(prompts.prefix(product, "en")) // block_tokens * block_tokens


async def test_an_opened_page_is_what_the_first_question_finds(
    desk: Desk, vllm_engine: Engine, prompts: PromptBuilder
) -> None:
    opened_one, other = garment("amber"), garment("birch")
    block = (await vllm_engine.stats()).block_tokens or 0
    services, shelf = await desk.services(vllm_engine, shelf_products=0)
    asked = {"message": "How much is it in white?", "sku": "shirt"}
    found: list[tuple[int, float]] = []
    async with serving(services) as port:
        for product, is_opened in ((other, False), (opened_one, True)):
            desk.shop.records.replace((product,), 7)
            if is_opened:
                assert await opened(port, sku="shirt", locale="en") == (202, {"status": "queued"})
                await _until_warm(shelf, prompts.prefix(product, "en"))
            timing = dict(await ask(port, **asked))["timing"]
            found.append((timing["tokens"]["cached"], timing["stages_ms"]["prefill"]))
    assert found[1][0] >= whole(prompts, opened_one, block) > found[0][0]
    assert found[1][1] < found[0][1]


async def test_a_start_has_the_shelf_warm_before_it_is_ready(
    desk: Desk, vllm_engine: Engine, prompts: PromptBuilder
) -> None:
    pinned = garment("cedar")
    block = (await vllm_engine.stats()).block_tokens or 0
    await Pins(desk.redis).pin("shirt", actor="ann")
    desk.shop.records.replace((pinned,), 7)
    services, _ = await desk.services(vllm_engine)
    async with serving(services) as port:
        assert await ready(port) == {"status": "ready", "shelf": {"members": 1, "warm": 1}}
        timing = dict(await ask(port, message="How much is it in white?", sku="shirt"))["timing"]
    assert timing["tokens"]["cached"] >= whole(prompts, pinned, block)


async def test_every_full_block_is_kept_that_of_the_prompts_end_too(vllm_engine: Engine) -> None:
    block = (await vllm_engine.stats()).block_tokens or 0
    ids = tuple(range(5_000, 5_000 + 4 * block))
    assert await _cached(vllm_engine, ids) == 0
    assert await _cached(vllm_engine, (*ids, *range(9_000, 9_050))) == len(ids)


async def _cached(engine: Engine, ids: Ids) -> int | None:
    request = GenerationRequest(uuid4().hex, ids, max_tokens=1)
    return [chunk.cached_tokens async for chunk in engine.generate(request)][-1]


async def _until_warm(shelf: HotShelf, ids: Ids) -> None:
    async with asyncio.timeout(30):
        while shelf.warmer.open_page(ids) != "warm":  # noqa: ASYNC110  no event tells
            await asyncio.sleep(0.05)
