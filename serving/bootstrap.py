"""The one place where settings become objects, in the order in which they need each other.

The engine takes longest to start, so it starts while the catalogue is read and encoded.
"""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager

from jinja2 import TemplateError
from redis.asyncio import Redis

from catalog.changes import CatalogChange, ChangeFeed
from catalog.store import CatalogStore, Snapshot
from catalog.synonyms import SynonymStore
from pipeline.chat import Chat
from pipeline.encoder import EmbeddingModel, Encoder
from pipeline.engine import Engine, EngineError
from pipeline.finding import make_finder
from pipeline.foreseeing.foresight import Foresight
from pipeline.guarding.guard import Guards
from pipeline.prompt import PromptBuilder
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.records import Records
from pipeline.refresh import Refresher
from pipeline.replying.replies import Replies
from pipeline.retriever import Retriever
from pipeline.searching.embedding_models import load_embedding_model
from pipeline.searching.vector_cache import CachedVectors
from serving import configs, parts
from serving.access import Access
from serving.admission import Admission
from serving.catalog_services import CatalogServices
from serving.engine_cache import EngineCache
from serving.engines.openai import OpenAIEngine
from serving.engines.vllm import VllmEngine
from serving.metrics import Metrics
from serving.services import Services
from serving.sessions import RedisSessions
from serving.settings import Settings
from serving.shelf import Beside, hot_shelf
from serving.startup import Progress, Silent, StartError


@asynccontextmanager
async def build(
    settings: Settings, *, engine: Engine | None = None, progress: Progress | None = None
) -> AsyncGenerator[Services, None]:
    """Everything that answers, ready; all of it is closed at the end, the last one first.

    `engine` is used instead of the one that the settings name. Raises `StartError`.
    """
    progress = progress or Silent()
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(parts.redis_address(settings, progress))
        redis = await stack.enter_async_context(parts.connect(url))
        model = await parts.find_model(settings, progress)
        prompts, tokenizer = await _load_prompts(settings, model)
        engine = engine or make_engine(settings, model, tokenizer)
        stack.push_async_callback(engine.close)
        try:
            async with asyncio.TaskGroup() as together:
                together.create_task(_start(engine, progress))
                stocking = together.create_task(_stock(settings, redis, stack, progress))
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None
        records, retriever, refresher = stocking.result()
        finder = await make_finder(prompts.templates, records, retriever, settings.search_products)
        catalog = CatalogServices.on(redis, url, configs.catalog(settings))
        stack.push_async_callback(catalog.close)
        replies = Replies.beside(prompts)
        await stack.enter_async_context(_kept(catalog.policies.follow(replies.policies.use)))
        sessions = RedisSessions(redis, configs.sessions(settings))
        metrics, admission = Metrics(), Admission(configs.admission(settings))
        cache = await EngineCache.of(engine, settings)
        beside = Beside(engine, cache, records, prompts, redis, sessions, admission, metrics)
        shelf = await stack.enter_async_context(hot_shelf(settings, beside, progress))
        guards = Guards(metrics.guarded, configs.prompt(settings).templates)
        config = configs.chat(settings)
        yield Services(
            chat=Chat(
                records,
                finder,
                replies,
                prompts,
                engine,
                sessions,
                config,
                guards,
                cache.books,
                cache.pace,
            ),
            finder=finder,
            engine=engine,
            records=records,
            redis=redis,
            admission=admission,
            metrics=metrics,
            access=Access(configs.access(settings)),
            model=parts.model_name(settings),
            catalog=catalog,
            encoding=refresher,
            foresight=Foresight(
                records, retriever, finder, replies, prompts, configs.foresight(settings)
            ),
            shelf=shelf,
            http=configs.http(settings),
        )


def make_engine(settings: Settings, model: str, tokenizer: Tokenizer) -> Engine:
    """The engine that the settings name; it is not started."""
    if settings.engine_url is not None:
        return OpenAIEngine(configs.openai(settings, settings.engine_url, tokenizer.decode))
    return VllmEngine(configs.vllm(settings, model))


async def _start(engine: Engine, progress: Progress) -> None:
    with progress.step("Engine") as note:
        note(engine.name)
        try:
            await engine.start()
        except EngineError as error:
            raise StartError(f"the engine did not start: {error}") from error


async def _stock(
    settings: Settings, redis: Redis, stack: AsyncExitStack, progress: Progress
) -> tuple[Records, Retriever, Refresher]:
    """The products in memory, how they are found, and what keeps both as the catalogue is."""
    await parts.fill_catalogue(redis, progress)
    await parts.make_first_token(settings, redis, progress)
    store = CatalogStore(redis)
    snapshot = await store.load()
    records = Records()
    records.replace(snapshot.products, snapshot.version)
    with progress.step("Encoder and vectors") as note:
        model = CachedVectors(await _load_encoder(settings), settings.data_dir / "vectors")
        encoder = Encoder(model)
        stack.push_async_callback(encoder.close)
        retriever = Retriever(encoder, records, configs.retriever(settings))
        await retriever.rebuild()
        await asyncio.to_thread(model.save)
        note(f"{len(records)} products by {model.name}, on the {retriever.device.upper()}")
    refresher = Refresher(records, retriever)
    await stack.enter_async_context(_following(store, snapshot, refresher))
    await stack.enter_async_context(_kept(SynonymStore(redis).follow(retriever.use_synonyms)))
    return records, retriever, refresher


@asynccontextmanager
async def _following(
    store: CatalogStore, start: Snapshot, refresher: Refresher
) -> AsyncGenerator[None, None]:
    """Hand every change after `start` to `refresher`, through lost connections too."""

    async def apply(change: CatalogChange) -> None:
        refresher.apply(change.upserts, change.removed, change.version)

    following = asyncio.create_task(ChangeFeed(store, apply).run(start))
    try:
        yield
    finally:
        following.cancel()
        await asyncio.wait({following})
        await refresher.close()


@asynccontextmanager
async def _kept(work: Coroutine[None, None, None]) -> AsyncGenerator[None, None]:
    """Keep `work` going meanwhile: it follows what merchandisers write."""
    following = asyncio.create_task(work)
    try:
        yield
    finally:
        following.cancel()
        await asyncio.wait({following})


async def _load_encoder(settings: Settings) -> EmbeddingModel:
    try:
        return await asyncio.to_thread(load_embedding_model, settings.encoder, settings.device)
    except (ImportError, OSError, ValueError) as error:
        raise StartError(
            f"HOTSHELF_ENCODER is {settings.encoder!r}, which cannot be loaded: {error}"
        ) from error


async def _load_prompts(settings: Settings, model: str) -> tuple[PromptBuilder, Tokenizer]:
    try:
        tokenizer = await asyncio.to_thread(Tokenizer.load, model)
        return PromptBuilder(tokenizer, configs.prompt(settings)), tokenizer
    except TemplateError as error:
        raise StartError(
            f"the prompt templates cannot be used: {error}; `hotshelf check prompt` names the line"
        ) from error
    except (OSError, ValueError) as error:
        raise StartError(f"the tokenizer of {model} cannot be used: {error}") from error
