"""Server-sent events on the wire, and the response that streams them.

Pure ASGI: a frame is handed to the server in the moment it was made, and the next one is asked
for only when it has been, because the pipeline measures `flush` and `decode` by being resumed.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pipeline.timing import StageTimings
from serving.connection import while_connected
from serving.errors import ApiError
from serving.wire import to_json

log = logging.getLogger(__name__)

KEEP_ALIVE = b": keep-alive\n\n"
HEADERS = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)


@dataclass(frozen=True, slots=True)
class StreamConfig:
    """`heartbeat_s`: silence after which a comment is sent.

    `hold_s`: how long a stream that holds its headers back waits for its first content.
    """

    heartbeat_s: float = 15.0
    hold_s: float = 1.0


def frame(data: object, event: str | None = None) -> bytes:
    """One event: its name, if it has one, and one line of JSON."""
    name = b"" if event is None else b"event: " + event.encode() + b"\n"
    return name + b"data: " + to_json(data) + b"\n\n"


def server_timing(timings: StageTimings) -> str:
    """The stages known so far, as the value of a `Server-Timing` header."""
    return ", ".join(
        f"{stage};dur={seconds * 1e3:.3f}" for stage, seconds in timings.stages().items()
    )


class EventStream(Response):
    """Streams `frames` until they end or the client leaves; either way they are closed once.

    The first item of `frames` is empty and means that the request was admitted: until then there
    are no headers, and an `ApiError` becomes a whole response. With `hold_s` the headers wait for
    the first content, that long at most. `late` makes frames of an error that comes afterwards.
    """

    def __init__(
        self,
        frames: AsyncGenerator[bytes, None],
        timings: StageTimings,
        late: Callable[[ApiError], bytes],
        *,
        heartbeat_s: float,
        hold_s: float = 0.0,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status_code = 200
        self.background = None
        self._frames = frames
        self._timings = timings
        self._late = late
        self._heartbeat_s = heartbeat_s
        self._hold_s = hold_s
        self._more = [(k.lower().encode(), v.encode()) for k, v in (headers or {}).items()]
        self._started = False
        self._ended = False
        self._sent_at = 0.0
        self._turn = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises `ApiError` only while there are no headers yet."""
        try:
            await while_connected(receive, self._run(send))
        except asyncio.CancelledError:
            if self._started and not self._ended:
                said = "this server is being stopped: try again"
                await self._write(send, self._late(ApiError("shutting_down", said)))
                await self._end(send)
            raise

    async def _run(self, send: Send) -> None:
        async with aclosing(self._frames) as frames:
            await anext(frames)
            if self._hold_s == 0.0:
                await self._start(send)
            beat = asyncio.create_task(self._beat(send))
            try:
                async for piece in frames:
                    await self._write(send, piece)
            except Exception as error:
                if not self._started:
                    raise
                await self._write(send, self._late(_told(error)))
            finally:
                beat.cancel()
                await asyncio.gather(beat, return_exceptions=True)
        await self._start(send)
        await self._end(send)

    async def _beat(self, send: Send) -> None:
        """Send the headers when they were held long enough, then comments into every silence."""
        if self._hold_s:
            await asyncio.sleep(self._hold_s)
            await self._start(send)
        while True:
            silent = time.monotonic() - self._sent_at
            if silent >= self._heartbeat_s:
                await self._write(send, KEEP_ALIVE)
            else:
                await asyncio.sleep(self._heartbeat_s - silent)

    async def _start(self, send: Send) -> None:
        async with self._turn:
            await self._start_once(send)

    async def _write(self, send: Send, piece: bytes) -> None:
        """Hand `piece` over; whole, though heartbeats are sent from another task."""
        async with self._turn:
            await self._start_once(send)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            self._sent_at = time.monotonic()

    async def _end(self, send: Send) -> None:
        self._ended = True
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _start_once(self, send: Send) -> None:
        if self._started:
            return
        self._started = True
        timing = (b"server-timing", server_timing(self._timings).encode())
        headers = [*HEADERS, timing, *self._more]
        await send({"type": "http.response.start", "status": self.status_code, "headers": headers})
        self._sent_at = time.monotonic()


def _told(error: Exception) -> ApiError:
    """What a client is told of `error`."""
    if isinstance(error, ApiError):
        return error
    log.error("a stream broke off", exc_info=error)
    return ApiError("internal_error", "a fault of this server; the request may be tried again")
