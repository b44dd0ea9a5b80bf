"""The shelf is warmed when nobody is there, in short pieces, what matters most first."""

import asyncio
from dataclasses import replace

import pytest

from catalog.product import Product, Text
from catalog.traffic import Place
from pipeline.prompt import PromptBuilder
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.warming.shelf import ShelfStatus
from serving.engines.scripted import ScriptedConfig
from tests.pipeline.fakes import product
from tests.pipeline.warm_room import BLOCK, QUICK, Room, WatchedEngine, until

WORDS = ("linen", "cotton", "wool", "silk", "denim", "velvet", "suede", "leather", "canvas")


@pytest.fixture(scope="module")
def prompts(tokenizer: Tokenizer) -> PromptBuilder:
    return PromptBuilder(tokenizer)


def garment(name: str, care: str = "Wash cold.") -> Product:
    """A product whose stable block takes several blocks of the cache."""
    lines = [f"{name} {word} is woven by hand." for word in WORDS]
    said = " ".join((*lines[:6], care, *lines[6:]))
    return replace(product(name, f"The {name}"), texts={"en": Text(f"The {name}", said)})


@pytest.fixture
def room(prompts: PromptBuilder) -> Room:
    return Room(prompts, [garment(name) for name in ("ant", "bee", "cat", "dog")])


async def test_heads_first_then_members_in_their_order_in_short_pieces(room: Room) -> None:
    room.put("bee", "ant")
    await room.warmer.warm_heads()
    async with room.warming():
        await room.until_warm()
    assert all(piece.uncached <= QUICK.piece_tokens + 1 for piece in room.engine.pieces)
    assert all(piece.priority > 0 for piece in room.engine.pieces)
    heads = [ids[: len(ids) // BLOCK * BLOCK + 1] for ids in room.prompts.heads().values()]
    known = [piece.ids for piece in room.engine.pieces]
    ends = [known.index(ids) for ids in heads]
    bee, ant = room.about("bee"), room.about("ant")
    assert max(ends) < room.engine.pieces.index(bee[0])
    assert room.engine.pieces.index(bee[-1]) < room.engine.pieces.index(ant[0])
    assert len(bee) > 1
    assert (
        await room.engine.ask((*room.prefix("bee"), 7)) >= len(room.prefix("bee")) // BLOCK * BLOCK
    )
    assert room.counts.warmups.count(("shelf", "done")) == 2
    assert room.counts.tokens == sum(piece.uncached for piece in room.engine.pieces)
    assert room.warmer.status().warm == room.warmer.status().members == 2


async def test_what_is_warm_is_not_computed_again(room: Room) -> None:
    room.ledger.add(room.prefix("ant"), await room.engine.ask(room.prefix("ant")))
    room.put("ant", "bee")
    async with room.warming():
        await room.until_warm()
    assert not room.about("ant")
    computed = [piece.uncached for piece in room.engine.pieces]
    async with room.warming():
        await room.look_twice()
    assert [piece.uncached for piece in room.engine.pieces] == computed


async def test_nothing_begins_while_a_shopper_is_there(room: Room) -> None:
    room.put("ant")
    permit = await room.shoppers.acquire()
    async with room.warming():
        await room.look_twice()
        assert not room.engine.pieces
        permit.release()
        await room.until_warm()


async def test_a_shopper_who_arrives_waits_for_one_piece_at_most(room: Room) -> None:
    room.put("ant")
    permits = []

    def arrive() -> None:
        if len(room.engine.pieces) == 3:
            permits.append(asyncio.ensure_future(room.shoppers.acquire()))

    room.engine.during = arrive
    async with room.warming():
        await until(lambda: bool(permits) and permits[0].done())
        await room.look_twice()
        assert len(room.engine.pieces) == 3
        permits[0].result().release()
        await room.until_warm()
    assert len(room.engine.pieces) > 3


async def test_nothing_begins_while_the_engine_works_for_others(room: Room) -> None:
    room.put("ant")
    room.engine.others = 1
    async with room.warming():
        await room.look_twice()
        assert not room.engine.pieces
        room.engine.others = 0
        await room.until_warm()


async def test_an_opened_page_comes_before_the_shelf(room: Room) -> None:
    room.put("ant", "bee")
    page = room.prefix("dog")

    def open_page() -> None:
        if len(room.engine.pieces) == 2:
            assert room.warmer.open_page(page) == "queued"
            assert room.warmer.open_page(page) == "queued"

    room.engine.during = open_page
    async with room.warming():
        await room.until_warm()
    dog = room.about("dog")
    assert room.engine.pieces.index(dog[-1]) < room.engine.pieces.index(room.about("ant")[0])
    assert room.counts.warmups.count(("page", "done")) == 1
    assert room.warmer.open_page(page) == "warm"


async def test_an_opened_page_is_dropped_when_there_was_no_moment_for_it(
    prompts: PromptBuilder,
) -> None:
    clock = [0.0]
    room = Room(prompts, [garment("ant")], now=lambda: clock[0])
    await room.warmer.warm_heads()
    heads = len(room.engine.pieces)
    permit = await room.shoppers.acquire()
    async with room.warming():
        assert room.warmer.open_page(room.prefix("ant")) == "queued"
        await room.look_twice()
        clock[0] = 2.0
        permit.release()
        await until(lambda: ("page", "interrupted") in room.counts.warmups)
        await room.look_twice()
    assert len(room.engine.pieces) == heads


async def test_pages_are_refused_when_too_many_wait(room: Room) -> None:
    seen = [room.warmer.open_page((*room.prefix("ant"), *[n] * BLOCK)) for n in range(40)]
    assert (seen.count("queued"), seen.count("busy")) == (32, 8)


async def test_a_change_warms_that_product_alone_anew(room: Room) -> None:
    room.put("ant", "bee", "cat")
    async with room.warming():
        await room.until_warm()
        before = len(room.engine.pieces)
        room.records.apply([garment("bee", care="Wash hot.")], [], 2)
        room.warmer.wake()
        await until(lambda: ("change", "done") in room.counts.warmups)
        await room.look_twice()
    again = room.engine.pieces[before:]
    assert [piece.ids for piece in again] == [piece.ids for piece in room.about("bee")][
        -len(again) :
    ]
    assert sum(piece.uncached for piece in again) <= QUICK.piece_tokens
    assert room.counts.warmups.count(("change", "done")) == 1


async def test_a_product_that_is_gone_is_no_more_warmed(room: Room) -> None:
    room.put("ant", "bee")
    room.records.apply([], ["ant"], 2)
    async with room.warming():
        await room.until_warm()
    assert room.about("bee")
    assert (room.warmer.status().members, room.warmer.status().warm) == (2, 1)


async def test_the_shelf_takes_no_more_than_half_of_the_cache(prompts: PromptBuilder) -> None:
    room = Room(prompts, [garment(name) for name in ("ant", "bee", "cat", "dog")])
    heads = sum(map(len, prompts.heads().values()))
    each = len(room.prefix("ant")) - len(prompts.heads()["en"])
    room = Room(prompts, room.products, cache_tokens=2 * (heads + 2 * each + each // 2))
    room.put("ant", "bee", "cat", "dog")
    async with room.warming():
        await room.until_warm()
    assert [bool(room.about(name)) for name in ("ant", "bee", "cat", "dog")] == [1, 1, 0, 0]
    assert room.warmer.status().warm == 2


async def test_members_are_used_again_before_they_are_evicted(prompts: PromptBuilder) -> None:
    engine = WatchedEngine(ScriptedConfig(block_size=BLOCK, cache_blocks=200))
    room = Room(prompts, [garment("ant"), garment("bee")], engine, cache_tokens=200 * BLOCK)
    room.put("ant", "bee")
    async with room.warming():
        await room.until_warm()
        for number in range(12):  # conversations fill the cache three times
            ids = tuple(range(10_000 * number, 10_000 * number + 800))
            room.ledger.add(ids, await engine.ask(ids))
            used = room.ledger.computed
            await room.look_twice()
            assert room.shelf.aging(used) is None
    for name in ("ant", "bee"):
        assert await engine.ask((*room.prefix(name), 7)) >= len(room.prefix(name)) // BLOCK * BLOCK
    touches = [piece for piece in engine.pieces if piece.uncached == 1]
    assert len(touches) >= 4
    assert ("touch", "done") in room.counts.warmups


async def test_what_was_used_longest_ago_is_touched_first(prompts: PromptBuilder) -> None:
    room = Room(prompts, [garment("ant"), garment("bee")], cache_tokens=10_000)
    room.put("ant", "bee")
    async with room.warming():
        await room.until_warm()
    room.warmer.used(Place("ant", "en"))
    room.ledger.computed += 4_000
    room.warmer.used(Place("bee", "en"))
    room.warmer.used(Place("bee", "zh"))
    assert room.shelf.aging(room.ledger.computed) is None
    oldest = room.shelf.aging(room.ledger.computed + 2_000)
    assert oldest is not None
    assert oldest.ids == room.prefix("ant")


async def test_a_failing_engine_is_left_alone_for_a_while(prompts: PromptBuilder) -> None:
    engine = WatchedEngine(ScriptedConfig(block_size=BLOCK, fail_at=0))
    config = replace(QUICK, rest_s=0.2)
    room = Room(prompts, [garment("ant")], engine, config=config)
    room.put("ant")
    async with room.warming():
        await until(lambda: room.counts.warmups == [("shelf", "failed")])
        assert room.warmer.open_page(room.prefix("ant")) == "busy"
        engine.config = ScriptedConfig(block_size=BLOCK)
        await room.until_warm()
        assert room.warmer.open_page(room.prefix("ant")) == "warm"


async def test_an_engine_that_came_back_empty_is_warmed_anew(room: Room) -> None:
    room.put("ant", "bee")
    async with room.warming():
        await room.until_warm()
        room.engine.config = ScriptedConfig(block_size=BLOCK, fail_at=0)
        assert room.warmer.open_page((*room.prefix("dog"),)) == "queued"
        await until(lambda: ("page", "failed") in room.counts.warmups)
        room.engine.reset_prefix_cache()
        room.engine.pieces.clear()
        room.engine.config = ScriptedConfig(block_size=BLOCK)
        await until(lambda: bool(room.about("bee")) and room.shelf.cold() is None)
    assert (
        await room.engine.ask((*room.prefix("bee"), 7)) >= len(room.prefix("bee")) // BLOCK * BLOCK
    )


async def test_a_start_warms_for_as_long_as_it_may(prompts: PromptBuilder) -> None:
    engine = WatchedEngine(ScriptedConfig(block_size=BLOCK, first_token_s=0.02))
    room = Room(prompts, [garment(name) for name in ("ant", "bee")], engine)
    room.put("ant", "bee")
    seen: list[ShelfStatus] = []
    await room.warmer.start(0.0, seen.append)
    assert [(status.members, status.warm) for status in seen][-1] == (2, 0)
    await room.warmer.start(10.0, seen.append)
    assert [(status.members, status.warm) for status in seen][-1] == (2, 2)
    assert room.counts.warmups.count(("start", "done")) == 4


async def test_prefill_is_timed_for_the_pace(room: Room) -> None:
    room.engine.config = ScriptedConfig(block_size=BLOCK, first_token_s=0.001)
    room.put("ant", "bee", "cat")
    async with room.warming():
        await room.until_warm()
    assert room.pace._seen == len(room.engine.pieces)


async def test_a_paused_warmer_does_nothing(room: Room) -> None:
    room.warmer.is_paused = True
    room.put("ant")
    assert room.warmer.open_page(room.prefix("ant")) == "busy"
    async with room.warming():
        await room.look_twice()
        assert not room.engine.pieces
        room.warmer.is_paused = False
        await room.until_warm()
