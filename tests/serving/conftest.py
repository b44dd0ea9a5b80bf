"""Services around a written answerer, with a real Redis."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
from redis.asyncio import Redis

from catalog.store import CatalogStore
from pipeline.encoder import Encoder
from pipeline.finding import make_finder
from pipeline.prompt import PromptBuilder, PromptConfig
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.records import Records
from pipeline.retriever import Retriever
from serving.access import Access, AccessConfig
from serving.admission import Admission, AdmissionConfig
from serving.catalog_services import CatalogServices
from serving.engines.scripted import ScriptedConfig, ScriptedEngine
from serving.metrics import Metrics
from serving.services import HttpConfig, Services
from serving.sse import StreamConfig
from tests.pipeline.fakes import LetterModel
from tests.serving.desk import Desk
from tests.serving.fakes import WrittenChat, shirt, whole_answer
from tests.serving.server import serving
from tests.serving.shop import Shop


def services_on(redis: Redis, redis_url: str) -> Services:
    """Services that answer "Yes.", and know one garment."""
    records = Records()
    records.replace((shirt(),), 7)
    return Services(
        chat=WrittenChat(*whole_answer("Yes", ".")),
        engine=ScriptedEngine(ScriptedConfig()),
        records=records,
        redis=redis,
        admission=Admission(AdmissionConfig(permits=2, queue=2, wait_s=30)),
        metrics=Metrics(),
        access=Access(AccessConfig()),
        model="test-model",
        catalog=CatalogServices.on(redis, redis_url),
        http=HttpConfig(stream=StreamConfig(heartbeat_s=30, hold_s=30)),
    )


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    """The session's Redis, empty."""
    client = Redis.from_url(redis_url)
    await client.flushdb()
    yield client
    await client.aclose()


@pytest.fixture
def services(redis: Redis, redis_url: str) -> Services:
    """Services that answer "Yes."; a test replaces what it looks at."""
    return services_on(redis, redis_url)


@pytest.fixture(scope="module")
async def client(redis_url: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of one server for all of a module, for requests that leave nothing behind."""
    redis = Redis.from_url(redis_url)
    async with (
        serving(services_on(redis, redis_url)) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        yield client
    await redis.aclose()


@pytest.fixture(scope="session")
def tokenizer(model_dir: Path) -> Tokenizer:
    """Of the real model."""
    return Tokenizer.load(model_dir)


@pytest.fixture(scope="session")
def prompts(tokenizer: Tokenizer) -> PromptBuilder:
    """Of the real model."""
    return PromptBuilder(tokenizer, PromptConfig())


@pytest.fixture
async def shop(services: Services, prompts: PromptBuilder) -> AsyncIterator[Shop]:
    """A shop that sells one shirt."""
    records = Records()
    records.replace((shirt(),), 7)
    encoder = Encoder(LetterModel())
    retriever = Retriever(encoder, records)
    await retriever.rebuild()
    finder = await make_finder(prompts.templates, records, retriever)
    yield Shop(services, records, finder, prompts)
    await encoder.close()


@pytest.fixture
async def desk(shop: Shop, redis: Redis) -> AsyncIterator[Desk]:
    """Makes gateways with a hot shelf, for the shop that sells one shirt."""
    await CatalogStore(redis).put([shirt()], actor="test")
    async with AsyncExitStack() as stack:
        yield Desk(shop, stack, redis)
