"""The streaming response by itself: the order of asking and sending, closing and cancelling."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from pipeline.timing import StageTimings
from serving.errors import ApiError
from serving.sse import EventStream, frame
from tests.serving.server import until


class Client:
    """An ASGI server's side that notes what it is told."""

    def __init__(self, log: list[str]) -> None:
        self.log = log
        self.gone = asyncio.Event()
        self.reads = asyncio.Event()
        self.reads.set()

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self.log.append(f"sending {message.get('body', message['type'])!r}")
        await self.reads.wait()
        self.log.append(f"sent {message.get('body', message['type'])!r}")


def stream(frames: AsyncGenerator[bytes, None], hold_s: float = 0.0) -> EventStream:
    timings = StageTimings()
    return EventStream(frames, timings, lambda e: e.code.encode(), heartbeat_s=30, hold_s=hold_s)


async def test_the_next_event_is_asked_for_only_after_the_last_was_sent() -> None:
    log: list[str] = []

    async def frames() -> AsyncGenerator[bytes, None]:
        yield b""
        for piece in (b"a", b"b"):
            yield piece
            log.append(f"asked after {piece!r}")

    client = Client(log)
    await stream(frames())({}, client.receive, client.send)
    assert [line for line in log if not line.startswith("sending")] == [
        "sent 'http.response.start'",
        "sent b'a'",
        "asked after b'a'",
        "sent b'b'",
        "asked after b'b'",
        "sent b''",
    ]


@pytest.mark.parametrize("leave", [True, False])
async def test_the_events_are_closed_once_and_a_cancellation_goes_on(leave: bool) -> None:
    log: list[str] = []
    silent = asyncio.Event()

    async def frames() -> AsyncGenerator[bytes, None]:
        yield b""
        try:
            silent.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)  # cleaning up may take its time
            log.append("closed")

    client = Client([])
    task = asyncio.create_task(stream(frames())({}, client.receive, client.send))
    await silent.wait()
    if leave:
        client.gone.set()
        await task
    else:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert client.log[-4::2] == ["sending b'shutting_down'", "sending b''"]
    assert log == ["closed"]


async def test_an_error_before_the_headers_is_left_to_the_application() -> None:
    async def frames() -> AsyncGenerator[bytes, None]:
        yield b""
        raise ApiError("engine_failed", "the engine broke")

    client = Client([])
    with pytest.raises(ApiError):
        await stream(frames(), hold_s=30)({}, client.receive, client.send)
    assert client.log == []
    await stream(frames())({}, client.receive, client.send)
    assert client.log[1::2] == ["sent 'http.response.start'", "sent b'engine_failed'", "sent b''"]


async def test_the_events_are_closed_when_the_client_leaves_without_reading() -> None:
    closed = asyncio.Event()

    async def frames() -> AsyncGenerator[bytes, None]:
        try:
            yield b""
            yield b"a"
        finally:
            closed.set()

    client = Client([])
    client.reads.clear()
    task = asyncio.create_task(stream(frames())({}, client.receive, client.send))
    client.gone.set()
    await task
    assert closed.is_set()


async def test_content_that_is_ready_waits_for_headers_that_are_on_their_way() -> None:
    ready = asyncio.Event()

    async def frames() -> AsyncGenerator[bytes, None]:
        yield b""
        await ready.wait()
        yield b"a"

    client = Client([])
    client.reads.clear()
    task = asyncio.create_task(stream(frames(), hold_s=0.001)({}, client.receive, client.send))
    await until(lambda: bool(client.log))
    ready.set()
    for _ in range(10):
        await asyncio.sleep(0)
    client.reads.set()
    await task
    start = "'http.response.start'"
    assert client.log[:4] == [f"sending {start}", f"sent {start}", "sending b'a'", "sent b'a'"]


@pytest.mark.parametrize("text", ["a\nb\r\nc", "\u2028\u2029\x85", "\x00\x1f", "你好🌍", "\ud83d"])
def test_a_frame_is_one_line_of_json_whatever_the_text(text: str) -> None:
    sent = frame({"text": text}, "token").decode()
    assert sent.endswith("\n\n")
    name, data = sent.splitlines()[:2]
    assert (name, len(sent.splitlines())) == ("event: token", 3)
    assert json.loads(data.removeprefix("data: ")) == {"text": text}
