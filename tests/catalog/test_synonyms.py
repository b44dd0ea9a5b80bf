"""The synonyms file of a shop."""

import pytest
from redis.asyncio import Redis

from catalog.synonyms import Synonyms, SynonymsError, SynonymStore, parse


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
