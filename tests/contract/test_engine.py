"""The engine contract, one suite for every implementation: see `pipeline/engine.py`."""

import asyncio
import itertools
from contextlib import aclosing
from uuid import uuid4

import pytest

from pipeline.engine import Chunk
from tests.contract.subjects import Subject


async def test_only_the_last_chunk_has_a_finish_reason(subject: Subject) -> None:
    chunks = await subject.chunks()
    assert len(chunks) > 1
    assert [chunk.finish_reason is not None for chunk in chunks] == [False] * (len(chunks) - 1) + [
        True
    ]


async def test_chunks_have_text_except_perhaps_the_last(subject: Subject) -> None:
    chunks = await subject.chunks()
    assert all(chunk.text for chunk in chunks[:-1])


async def test_counts_are_totals_that_never_fall(subject: Subject) -> None:
    chunks = await subject.chunks()
    counts = [chunk.completion_tokens for chunk in chunks]
    assert counts == sorted(counts)
    assert counts[-1] == 8
    assert chunks[-1].prompt_tokens == len(subject.prompt)


async def test_the_same_request_says_the_same_in_the_same_order(subject: Subject) -> None:
    assert await subject.text() == await subject.text() != ""


async def test_a_shorter_answer_is_the_beginning_of_a_longer_one(subject: Subject) -> None:
    whole = await subject.text(max_tokens=8)
    for length in range(1, 8):
        part = await subject.text(max_tokens=length)
        assert whole.startswith(part)
        assert "\ufffd" not in part


async def test_max_tokens_ends_it_with_length(subject: Subject) -> None:
    last = (await subject.chunks(max_tokens=3))[-1]
    assert last.finish_reason == "length"
    assert last.completion_tokens == 3


async def test_a_stop_string_ends_it_with_stop_and_is_not_said(subject: Subject) -> None:
    whole = await subject.text()
    stop = whole.strip()[2:4]
    chunks = await subject.chunks(stop=(stop,))
    assert chunks[-1].finish_reason == "stop"
    assert "".join(chunk.text for chunk in chunks) == whole[: whole.index(stop)]


async def test_a_stop_token_ends_it_with_stop(subject: Subject) -> None:
    whole = await subject.text()
    chunks = await subject.chunks(stop_token_ids=(subject.stop_token_id,))
    text = "".join(chunk.text for chunk in chunks)
    assert chunks[-1].finish_reason == "stop"
    assert whole.startswith(text)
    assert len(text) < len(whole)


async def test_an_answer_says_something_before_it_stops(subject: Subject) -> None:
    assert await subject.text(stop_token_ids=(subject.first_token_id,))


async def test_closing_frees_the_slot(subject: Subject) -> None:
    async with aclosing(subject.engine.generate(subject.request(max_tokens=400))) as stream:
        await anext(stream)
        await subject.until_running(1)
    await subject.until_idle()


async def test_cancelling_before_the_first_token_frees_the_slot(subject: Subject) -> None:
    waiting = asyncio.create_task(subject.text(max_tokens=400))
    await subject.until_running(1)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await subject.until_idle()


async def test_streams_at_once_do_not_mix(subject: Subject) -> None:
    prompts = [subject.prompt, subject.other_prompt]
    alone = [_heard(await subject.chunks(token_ids=prompt)) for prompt in prompts]
    assert alone[0] != alone[1]
    together = await asyncio.gather(*(subject.chunks(token_ids=prompt) for prompt in prompts * 3))
    assert [_heard(chunks) for chunks in together] == alone * 3


async def test_a_client_that_leaves_disturbs_no_other(subject: Subject) -> None:
    alone = await subject.text()
    staying = asyncio.create_task(subject.text())
    async with aclosing(subject.engine.generate(subject.request(max_tokens=400))) as leaving:
        await anext(leaving)
    assert await staying == alone
    await subject.until_idle()


async def test_the_second_identical_prompt_is_cached(subject: Subject) -> None:
    salt = uuid4().hex
    first = (await subject.chunks(cache_salt=salt))[-1]
    second = (await subject.chunks(cache_salt=salt))[-1]
    assert first.cached_tokens == 0
    assert second.cached_tokens is not None
    assert 0 < second.cached_tokens < len(subject.prompt)


async def test_another_salt_shares_no_cache(subject: Subject) -> None:
    await subject.chunks(cache_salt=uuid4().hex)
    assert (await subject.chunks(cache_salt=uuid4().hex))[-1].cached_tokens == 0


async def test_it_answers_a_check(subject: Subject) -> None:
    await subject.engine.check()


async def test_first_chunk_or_last_tells_its_times(subject: Subject) -> None:
    loop = asyncio.get_running_loop()
    asked = loop.time()
    chunks = await subject.chunks()
    told = [chunk.times for chunk in (chunks[0], chunks[-1]) if chunk.times is not None]
    assert told
    for times in told:
        if times.queue_seconds is not None:
            assert 0 <= times.queue_seconds < loop.time() - asked
        moments = (asked, times.scheduled_at, times.first_token_at, loop.time())
        known = [moment for moment in moments if moment is not None]
        assert all(earlier <= later for earlier, later in itertools.pairwise(known))


def _heard(chunks: list[Chunk]) -> tuple[str, int | None]:
    return "".join(chunk.text for chunk in chunks), chunks[-1].prompt_tokens
