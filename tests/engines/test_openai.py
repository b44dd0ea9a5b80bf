"""What servers stream, and how each of it is read; the wire is cut wherever it can be cut."""

import asyncio
import json
from collections.abc import AsyncIterator

import httpx2 as httpx
import pytest

from pipeline.engine import EngineError
from tests.engines.answers import (
    REQUEST,
    STREAM,
    Pieces,
    Server,
    chunks_of,
    engine_at,
    said,
    sse,
    streaming,
    text_of,
)

HELLO = "你好🌍"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 64])
async def test_text_is_lossless_wherever_the_wire_is_cut(size: int) -> None:
    """Failure case 13: every byte is a read of its own, also inside "你好🌍"."""
    events = [json.dumps(said(character), ensure_ascii=False) for character in HELLO]
    body = sse(*(f"data: {event}\n\n" for event in events), said("", "stop"))
    assert await text_of(streaming(body, size=size)) == HELLO


async def test_half_a_surrogate_pair_waits_for_its_other_half() -> None:
    high, low = "\ud83c", "\udf0d"
    server = streaming(sse(said("a" + high), said(low + "b"), said("", "stop")))
    assert [chunk.text for chunk in await chunks_of(server)] == ["a", "🌍b", ""]


async def test_a_surrogate_without_its_half_is_never_passed_on() -> None:
    server = streaming(sse(said("a\udf0db"), said("c\ud83c", "length")))
    text = await text_of(server)
    assert text.encode()
    assert (text[0], text[-1]) == ("a", "c")


async def test_comments_and_events_without_choices_are_passed_over() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    body = sse(
        ": keep-alive\n\n",
        {"choices": []},
        said("a"),
        ": keep-alive\r\n\r\n",
        said("b", "stop"),
        {"choices": [], "usage": usage},
    )
    chunks = await chunks_of(streaming(body))
    assert [chunk.text for chunk in chunks] == ["a", "b", ""]
    assert chunks[-1].finish_reason == "stop"


async def test_counts_and_times_are_taken_from_the_last_event() -> None:
    usage = {
        "prompt_tokens": 30,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 16},
    }
    metrics = {"queue_time_ms": 12.5, "time_to_first_token_ms": 80.0}
    body = sse(said("a", "length"), {"choices": [], "usage": usage, "metrics": metrics})
    last = (await chunks_of(streaming(body)))[-1]
    assert (last.prompt_tokens, last.completion_tokens, last.cached_tokens) == (30, 7, 16)
    assert last.times is not None
    assert last.times.queue_seconds == 0.0125
    assert last.finish_reason == "length"


async def test_a_server_that_tells_no_figures_leaves_them_unknown() -> None:
    last = (await chunks_of(streaming(sse(said("a"), said("b", "stop")))))[-1]
    assert (last.prompt_tokens, last.completion_tokens) == (3, 2)
    assert last.cached_tokens is None
    assert last.times is None


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ({"error": {"message": "out of memory", "code": 500}}, "engine_failed"),
        ({"error": {"message": "too much to do", "code": 503}}, "engine_busy"),
        ({"error": "out of memory"}, "engine_failed"),
        ({"object": "error", "message": "out of memory", "code": 400}, "engine_failed"),
        ("data: not JSON\n\n", "engine_failed"),
        ("data: []\n\n", "engine_failed"),
        ({"choices": ["text"]}, "engine_failed"),
        ({"choices": [{"text": 5}]}, "engine_failed"),
        (said("", "error"), "engine_failed"),
    ],
)
async def test_an_error_in_mid_stream_is_an_engine_error(event: object, code: str) -> None:
    engine = await engine_at(streaming(sse(said("a"), event)))
    stream = engine.generate(REQUEST)
    assert (await anext(stream)).text == "a"
    with pytest.raises(EngineError) as caught:
        await anext(stream)
    assert caught.value.code == code


@pytest.mark.parametrize("broken", [None, httpx.RemoteProtocolError("gone"), httpx.ReadError("")])
async def test_a_stream_that_breaks_off_is_an_engine_error(broken: Exception | None) -> None:
    with pytest.raises(EngineError) as caught:
        await chunks_of(streaming(sse(said("a"), done=False), broken=broken))
    assert caught.value.code == "engine_failed"


async def test_a_stream_that_ends_without_saying_done_is_complete_if_it_gave_its_reason() -> None:
    server = streaming(sse(said("a"), said("b", "length"), done=False))
    assert (await chunks_of(server))[-1].finish_reason == "length"


async def test_comments_do_not_pass_for_tokens() -> None:
    """A server that only keeps the connection open is silent."""

    class Alive(Pieces):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                yield b": keep-alive\n\n"
                await asyncio.sleep(0.001)

    body = Alive([])
    server = Server(lambda _: httpx.Response(200, headers=STREAM, stream=body))
    with pytest.raises(EngineError) as caught:
        await chunks_of(server, silence_s=0.05)
    assert caught.value.code == "engine_silent"
    assert body.closed


async def test_a_body_that_is_no_event_stream_is_an_engine_error() -> None:
    with pytest.raises(EngineError, match="text/event-stream"):
        await chunks_of(Server(lambda _: httpx.Response(200, json={"choices": []})))


@pytest.mark.parametrize(
    ("status", "code"),
    [(429, "engine_busy"), (503, "engine_busy"), (500, "engine_failed"), (401, "engine_failed")],
)
async def test_a_refusal_says_why(status: int, code: str) -> None:
    server = Server(lambda _: httpx.Response(status, json={"error": {"message": "because"}}))
    with pytest.raises(EngineError, match=f"{status}: because") as caught:
        await chunks_of(server)
    assert caught.value.code == code


async def test_closing_ends_the_response() -> None:
    body = Pieces([sse(said("a"), done=False)] * 9)
    engine = await engine_at(
        Server(lambda _: httpx.Response(200, headers=STREAM, stream=body)),
    )
    stream = engine.generate(REQUEST)
    await anext(stream)
    assert not body.closed
    await stream.aclose()
    assert body.closed
