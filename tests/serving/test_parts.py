"""The parts that are made ready once: the catalogue's first filling, names, unreachable Redis."""

from pathlib import Path

import pytest
from redis.asyncio import Redis

from catalog.demo import demo_products
from catalog.demo_questions import DEMO_QUESTIONS
from catalog.questions import SavedQuestions
from catalog.store import CatalogStore
from serving import parts
from serving.settings import Settings
from serving.startup import Silent, StartError


async def test_an_empty_catalogue_gets_the_demo_shop_once(redis: Redis) -> None:
    await parts.fill_catalogue(redis, Silent())
    store = CatalogStore(redis)
    filled = await store.load()
    assert {p.id for p in filled.products} == {p.id for p in demo_products()}
    saved = await SavedQuestions(redis).all()
    assert [(q.text, q.sku, q.actor) for q in saved] == [(*q, "hotshelf") for q in DEMO_QUESTIONS]
    await SavedQuestions(redis).delete(saved[0].id)
    await parts.fill_catalogue(redis, Silent())
    assert await store.version() == filled.version
    assert await SavedQuestions(redis).all() == saved[1:]


async def test_a_catalogue_that_was_emptied_stays_empty(redis: Redis) -> None:
    await parts.fill_catalogue(redis, Silent())
    store = CatalogStore(redis)
    await store.delete([p.id for p in demo_products()], actor="test")
    await parts.fill_catalogue(redis, Silent())
    assert (await store.load()).products == ()


async def test_a_shop_of_somebody_else_gets_no_questions(redis: Redis) -> None:
    await CatalogStore(redis).put(demo_products()[:1], actor="test")
    await parts.fill_catalogue(redis, Silent())
    assert await SavedQuestions(redis).all() == []


async def test_a_redis_that_refuses_writes_is_told(redis: Redis) -> None:
    await redis.config_set("maxmemory", "1")
    try:
        with pytest.raises(StartError, match="Redis does not keep the catalogue: "):
            await parts.fill_catalogue(redis, Silent())
    finally:
        await redis.config_set("maxmemory", "0")


async def test_a_redis_that_is_not_there_is_named_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"no Redis answers at unix://\*\*\*@/") as caught:
        async with parts.connect(f"unix://:secret@{tmp_path}/none.sock"):
            pytest.fail("connected")
    assert "secret" not in str(caught.value)


def test_clients_are_told_a_name_and_no_path(tmp_path: Path) -> None:
    folder = tmp_path / "some-model"
    folder.mkdir()
    named = [None, "org/some-model", str(folder), f"{folder}/"]
    names = [parts.model_name(Settings(model=model)) for model in named]
    assert names == ["gemma-3-270m", "org/some-model", "some-model", "some-model"]


async def test_a_model_that_is_given_is_not_unpacked(tmp_path: Path) -> None:
    settings = Settings(model=str(tmp_path), data_dir=tmp_path / "data")
    assert await parts.find_model(settings, Silent()) == str(tmp_path)
    assert await parts.find_model(Settings(model="org/name"), Silent()) == "org/name"
    assert not (tmp_path / "data").exists()
