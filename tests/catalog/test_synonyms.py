"""The synonyms file of a shop."""

import asyncio

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from catalog.synonyms import Groups, Synonyms, SynonymsError, SynonymStore, parse


def test_a_group_a_line_in_either_language_with_notes() -> None:
    written = "# seats\nsofa, couch , sofa\n\n羽绒服，羽绒衣、羽绒外套\r\n"
    assert parse(written) == (("sofa", "couch"), ("羽绒服", "羽绒衣", "羽绒外套"))
    assert parse("") == ()


@pytest.mark.parametrize("written", ["sofa", "a,b\nsofa,", ",".join(map(str, range(40)))])
def test_a_line_that_makes_no_group_is_named(written: str) -> None:
    with pytest.raises(SynonymsError, match=r"line \d has \d+ word|line \d has one word"):
        parse(written)


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(SynonymsError, match="characters"):
        parse("a,b\n" * 100_000)


async def test_the_last_text_is_the_one_that_counts(redis: Redis) -> None:
    store = SynonymStore(redis)
    assert await store.get() == Synonyms()
    await store.put("a, b", actor="ann", now=1.0)
    saved = await store.put("sofa, couch", actor="bo", now=2.0)
    assert await store.get() == saved == Synonyms("sofa, couch", "bo", 2.0, (("sofa", "couch"),))
    with pytest.raises(SynonymsError):
        await store.put("sofa", actor="bo")
    assert await store.get() == saved


async def test_every_process_is_handed_what_somebody_writes(redis: Redis) -> None:
    store, writer = SynonymStore(redis), SynonymStore(redis)
    handed: asyncio.Queue[Groups] = asyncio.Queue()
    await writer.put("sofa, couch", actor="ann")
    following = asyncio.create_task(store.follow(handed.put_nowait, every_s=0.01))
    async with asyncio.timeout(5):
        assert await handed.get() == (("sofa", "couch"),)
        await writer.put("lamp, light", actor="bo")
        assert await handed.get() == (("lamp", "light"),)
        await writer.put("", actor="bo")
        assert await handed.get() == ()
    assert handed.empty()
    following.cancel()
    await asyncio.wait({following})


async def test_without_redis_the_last_ones_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    replies: list[Synonyms | Exception] = [
        Synonyms(groups=(("a", "b"),)),
        RedisError("gone"),
        Synonyms(groups=(("a", "b"),)),
        Synonyms(groups=(("a", "c"),)),
    ]
    handed: asyncio.Queue[Groups] = asyncio.Queue()

    async def get(store: SynonymStore) -> Synonyms:
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply

    monkeypatch.setattr(SynonymStore, "get", get)
    following = asyncio.create_task(SynonymStore(Redis()).follow(handed.put_nowait, every_s=0.001))
    async with asyncio.timeout(5):
        assert [await handed.get(), await handed.get()] == [(("a", "b"),), (("a", "c"),)]
    assert handed.empty()
    following.cancel()
    await asyncio.wait({following})
