"""A shop's own texts for what no record answers."""

import asyncio

import pytest
from redis.asyncio import Redis

from catalog.policies import OwnTexts, PolicyStore, PolicyText, PolicyTextError


async def test_a_text_is_kept_as_written_until_it_is_deleted(redis: Redis) -> None:
    store = PolicyStore(redis)
    assert await store.all() == ()
    written = await store.put("en", "returns", " 30 days. ", actor="ann", now=1.0)
    assert written == PolicyText("en", "returns", "30 days.", "ann", 1.0)
    chinese = await store.put("zh", "returns", "30天。", actor="bo", now=2.0)
    assert await store.all() == (written, chinese)
    assert await store.delete("en", "returns")
    assert not await store.delete("en", "returns")
    assert await store.all() == (chinese,)


@pytest.mark.parametrize("text", ["", " \n ", "x" * 2001])
async def test_a_text_of_no_use_is_refused(redis: Redis, text: str) -> None:
    store = PolicyStore(redis)
    with pytest.raises(PolicyTextError):
        await store.put("en", "returns", text, actor="ann")
    assert await store.all() == ()


async def test_every_process_is_handed_what_somebody_writes(redis: Redis) -> None:
    store, writer = PolicyStore(redis), PolicyStore(redis)
    handed: asyncio.Queue[OwnTexts] = asyncio.Queue()
    following = asyncio.create_task(store.follow(handed.put_nowait, every_s=0.01))
    async with asyncio.timeout(5):
        await writer.put("en", "returns", "30 days.", actor="ann")
        assert await handed.get() == {"en": {"returns": "30 days."}, "zh": {}}
        await writer.delete("en", "returns")
        assert await handed.get() == {"en": {}, "zh": {}}
    following.cancel()
    await asyncio.wait({following})
