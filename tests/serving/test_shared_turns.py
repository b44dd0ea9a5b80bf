"""Gateways on one Redis and one engine: one of them warms, the others know what it did."""

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from redis.asyncio import Redis

from catalog.product import Product
from catalog.redis_client import connect
from catalog.traffic import Member, Place
from pipeline.prompt import PromptBuilder
from pipeline.records import Records
from pipeline.reuse.ledger import Ledger
from pipeline.reuse.pace import Pace
from pipeline.warming.idle import Idle, IdleConfig
from pipeline.warming.pages import Pages
from pipeline.warming.shelf import Shelf
from pipeline.warming.turns import Told
from pipeline.warming.warmer import Warmer, WarmerConfig
from serving.admission import Admission, AdmissionConfig
from serving.engines.openai import OpenAIConfig, OpenAIEngine
from serving.engines.scripted import ScriptedConfig
from serving.engines.scripted_server import create_app
from serving.metrics import Metrics
from serving.shared_turns import KEY_PREFIX, SharedTurns, TurnsConfig
from tests.pipeline.fakes import product
from tests.pipeline.warm_room import BLOCK, WatchedEngine, until
from tests.serving.command import ROOT, environment
from tests.serving.server import serving_app

URL = "http://engine:8000"
SHORT = TurnsConfig(turn_s=0.5)


async def test_one_has_the_turn_until_it_gives_it_back(redis: Redis, redis_url: str) -> None:
    async with Redis.from_url(redis_url) as second:
        one, other = SharedTurns(redis, URL, SHORT), SharedTurns(second, URL, SHORT)
        assert [await one.mine(), await other.mine(), await one.mine()] == [True, False, True]
        assert await SharedTurns(second, "http://another:8000", SHORT).mine()
        await one.close()
        assert [await other.mine(), await one.mine()] == [True, False]


async def test_a_turn_is_prolonged_for_as_long_as_it_is_used(redis: Redis, redis_url: str) -> None:
    one, other = SharedTurns(redis, URL, SHORT), SharedTurns(redis, URL, SHORT)
    assert await one.mine()
    loop = asyncio.get_running_loop()
    until_s = loop.time() + 3 * SHORT.turn_s
    while loop.time() < until_s:
        assert await one.mine()
        assert not await other.mine()
        await asyncio.sleep(0.02)
    await until_so(other.mine)
    assert not await one.mine()


HOLDER = """
import asyncio, sys
from redis.asyncio import Redis
from serving.shared_turns import SharedTurns, TurnsConfig

async def hold():
    turns = SharedTurns(Redis.from_url(sys.argv[1]), sys.argv[2], TurnsConfig(turn_s=0.5))
    assert await turns.mine()
    await turns.tell("en:shirt", "abc")
    print("held", flush=True)
    while True:
        assert await turns.mine()
        await asyncio.sleep(0.01)

asyncio.run(hold())
"""


async def test_another_goes_on_when_the_holder_is_killed(redis: Redis, redis_url: str) -> None:
    holder = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLDER, redis_url, URL),
        cwd=ROOT,
        env=environment(),
        stdout=asyncio.subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"
    turns = SharedTurns(redis, URL, SHORT)
    assert not await turns.mine()
    holder.send_signal(signal.SIGKILL)
    await holder.wait()
    await until_so(turns.mine)
    assert (await turns.told(0)).digests == {"en:shirt": "abc"}
    await turns.forget()
    assert (await turns.told(0)).digests == {}


async def test_each_is_told_what_the_others_had_computed(redis: Redis) -> None:
    one, other = SharedTurns(redis, URL), SharedTurns(redis, URL)
    assert await one.told(100) == Told()
    assert (await other.told(30)).computed == 0
    assert (await one.told(110)).computed == 30
    assert (await other.told(30)).computed == 10
    await one.forget()
    assert (await one.told(115)).computed == 0
    assert (await other.told(35)).computed == 5


@pytest.mark.parametrize("row", [{"computed": "abc"}, {b"\xff": "x"}, {"en:shirt": b"\xff"}])
async def test_a_record_that_cannot_be_read_tells_nothing(
    redis: Redis, row: Mapping[str | bytes, str | bytes]
) -> None:
    turns = SharedTurns(redis, URL, SHORT)
    await turns.tell("en:shirt", "abc")
    [record] = await redis.keys(f"{KEY_PREFIX}*:warm")
    for name, value in row.items():
        await redis.hset(record, name, value)
    assert await turns.told(0) == Told()


async def test_without_redis_it_is_nobodys_turn() -> None:
    async with Redis(port=1) as nowhere:
        turns = SharedTurns(nowhere, URL, TurnsConfig(timeout_s=0.1))
        assert not await turns.mine()
        assert await turns.told(5) == Told()
        await turns.tell("en:shirt", "abc")
        await turns.forget()
        await turns.close()


class Gateway:
    """What one gateway has for the engine at `url`."""

    def __init__(
        self, redis: Redis, url: str, prompts: PromptBuilder, products: list[Product]
    ) -> None:
        records = Records()
        records.replace(products, 1)
        self.ledger, self.metrics = Ledger(BLOCK), Metrics()
        self.engine = OpenAIEngine(OpenAIConfig(url))
        self.shelf = Shelf(records, prompts, self.ledger)
        self.shelf.use(tuple(Member(Place(p.id, "en"), 1.0, False) for p in products))
        self.warmer = Warmer(
            self.engine,
            self.shelf,
            Pages(self.ledger, self.metrics.shelf),
            self.ledger,
            Pace(),
            Idle(Admission(AdmissionConfig()), self.engine, IdleConfig(0.001, 0.001)),
            SharedTurns(redis, url, SHORT),
            self.metrics.shelf,
            WarmerConfig(look_s=0.02),
        )

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None, None]:
        """It warms meanwhile."""
        await self.engine.start()
        self.task = asyncio.create_task(self.warmer.run())
        try:
            yield
        finally:
            await self.stop()
            await self.engine.close()

    async def stop(self) -> None:
        """Warm no more."""
        self.task.cancel()
        await asyncio.wait({self.task}, timeout=5)
        assert self.task.cancelled()

    @property
    def done(self) -> float:
        """Members and heads that it warmed itself."""
        value = self.metrics.registry.get_sample_value(
            "hotshelf_warmups_total", {"why": "shelf", "outcome": "done"}
        )
        return value or 0.0


@pytest.fixture
async def watched() -> AsyncIterator[tuple[WatchedEngine, str]]:
    """An engine behind HTTP that speaks as vLLM does, and its URL."""
    engine = WatchedEngine(ScriptedConfig(block_size=BLOCK))
    async with serving_app(create_app(engine)) as port:
        yield engine, f"http://127.0.0.1:{port}"


async def test_two_gateways_on_one_engine_warm_nothing_twice(
    redis: Redis, redis_url: str, prompts: PromptBuilder, watched: tuple[WatchedEngine, str]
) -> None:
    engine, url = watched
    products = [product(name, f"The {name} of a garden " * 9) for name in ("ant", "bee", "cat")]
    async with AsyncExitStack() as stack:
        clients = [connect(redis_url) for _ in range(2)]
        one, other = (Gateway(client, url, prompts, products) for client in clients)
        for gateway, client in zip((one, other), clients, strict=True):
            stack.push_async_callback(client.aclose)
            await stack.enter_async_context(gateway.running())
        await until(lambda: one.shelf.cold() is None and other.shelf.cold() is None)
        assert [one.warmer.status().warm, other.warmer.status().warm] == [3, 3]
        assert sorted((one.done, other.done)) == [0, 5]  # 2 heads, 3 members
        ids = [piece.ids for piece in engine.pieces]
        assert len(set(ids)) == len(ids)

        first, second = (one, other) if one.done else (other, one)
        await first.stop()
        second.shelf.use((Member(Place("ant", "zh"), 1.0, False),))
        second.warmer.wake()
        await until(lambda: second.done == 1)


async def test_a_gateway_that_starts_later_finds_the_engine_empty(
    redis: Redis, prompts: PromptBuilder, watched: tuple[WatchedEngine, str]
) -> None:
    """The record says that all is warm, but the engine was started anew since."""
    engine, url = watched
    products = [product("ant", "The ant of a garden " * 9)]
    for _ in range(2):
        gateway = Gateway(redis, url, prompts, products)
        await gateway.engine.start()
        await gateway.warmer.warm_heads()
        await gateway.warmer.start(10, lambda _: None)
        await gateway.warmer._turns.close()
        assert gateway.warmer.status().warm == 1
        ids = prompts.prefix(products[0], "en")
        assert await engine.ask((*ids, 7)) >= len(ids) // BLOCK * BLOCK
        await gateway.engine.close()
        engine.reset_prefix_cache()


async def test_the_servers_load_and_cache_are_read(
    watched: tuple[WatchedEngine, str],
) -> None:
    engine, url = watched
    client = OpenAIEngine(OpenAIConfig(url))
    await client.start()
    assert (await client.stats()).running == 0
    engine.others = 3
    assert (await client.stats()).running == 0  # what was told a moment ago
    await until_so(lambda: _told(client, 3))
    stats = await client.stats()
    assert (stats.waiting, stats.block_tokens) == (0, BLOCK)
    assert stats.cache_tokens == BLOCK * engine.config.cache_blocks
    await client.close()


async def _told(client: OpenAIEngine, running: int) -> bool:
    return (await client.stats()).running == running


async def until_so(true: Callable[[], Awaitable[bool]]) -> None:
    """Return as soon as `true` says so; fails after some seconds."""
    async with asyncio.timeout(5):
        while not await true():  # noqa: ASYNC110  what is asked has no event to wait for
            await asyncio.sleep(0.01)
