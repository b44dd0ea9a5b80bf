"""Who may be answered now: a permit, a bounded place in the queue, or a refusal at once.

First come, first served. A permit handed to a request that has just left goes on to the next.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from serving.errors import ApiError

LONGEST_RETRY_AFTER_S = 60
_WEIGHT = 0.2
"""Of the newest answer in the average time that a permit is held."""


@dataclass(frozen=True, slots=True)
class AdmissionConfig:
    """`permits`: answers at once. `queue`: requests that may wait, `wait_s` seconds at most."""

    permits: int = 24
    queue: int = 64
    wait_s: float = 30.0


class RefusedError(ApiError):
    """No place: `queue_full` at once, `wait_expired` after `wait_s`."""


class Permit:
    """The right to be answered. Release it when the answer is over; twice does no harm."""

    def __init__(self, release: Callable[[], None]) -> None:
        self._release: Callable[[], None] | None = release

    def release(self) -> None:
        """Let the next request in."""
        if self._release is not None:
            release, self._release = self._release, None
            release()

    async def __aenter__(self) -> "Permit":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()


class Admission:
    """Hands out at most `config.permits` permits at a time."""

    def __init__(self, config: AdmissionConfig) -> None:
        self._config = config
        self._queue: deque[asyncio.Future[None]] = deque()
        self._held_s = 1.0
        self._is_quiet = asyncio.Event()
        self._is_quiet.set()
        self.in_use = 0
        self.arrivals = 0

    @property
    def waiting(self) -> int:
        """Requests in the queue."""
        return len(self._queue)

    @property
    def is_quiet(self) -> bool:
        """Whether no permit is in use, and so none is waited for."""
        return self.in_use == 0

    async def quiet(self) -> None:
        """Return when no permit is in use."""
        await self._is_quiet.wait()

    async def acquire(self) -> Permit:
        """A permit, at once or when its turn comes. Raises `RefusedError`."""
        self.arrivals += 1
        if self.in_use < self._config.permits:
            self.in_use += 1
            self._is_quiet.clear()
        elif len(self._queue) >= self._config.queue:
            raise self._refusal("queue_full", "too many requests are waiting already")
        else:
            await self._wait()
        since = time.monotonic()
        return Permit(lambda: self._give_back(time.monotonic() - since))

    async def _wait(self) -> None:
        """Return when a permit was handed over: `in_use` already counts it."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            async with asyncio.timeout(self._config.wait_s):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():
                self._hand_over()
            else:
                self._queue.remove(turn)
            if isinstance(error, TimeoutError):
                waited = f"no place became free within {self._config.wait_s:g} s"
                raise self._refusal("wait_expired", waited) from None
            raise

    def _give_back(self, held_s: float) -> None:
        self._held_s += _WEIGHT * (held_s - self._held_s)
        self._hand_over()

    def _hand_over(self) -> None:
        """Pass one permit to whoever waits longest, or lay it back."""
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.in_use -= 1
        if self.in_use == 0:
            self._is_quiet.set()

    def _refusal(self, code: str, why: str) -> RefusedError:
        places = len(self._queue) + 1
        pace = self._held_s / max(self._config.permits, 1)
        seconds = min(max(math.ceil(places * pace), 1), LONGEST_RETRY_AFTER_S)
        return RefusedError(code, f"{why}: try again in {seconds} s", retry_after=seconds)
