"""SIGINT and SIGTERM as the program means them: break off the start, or end it in order."""

import asyncio
import signal
from collections.abc import Callable
from types import TracebackType
from typing import Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StoppedError(Exception):
    """A signal came before the service was ready; `code` is the exit status that says so."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name} before it was ready")
        self.code = 128 + number


class Stoppable:
    """While entered, a signal cancels this task; after `instead`, it calls that and nothing else.

    Raises `StoppedError` when a signal broke off what was inside.
    """

    def __init__(self) -> None:
        self._number: int | None = None
        self._instead: Callable[[int], object] | None = None

    def __enter__(self) -> Self:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None  # there is one wherever `with` is run by a loop

        def stop(number: int) -> None:
            if self._instead is not None:
                self._instead(number)
            else:
                self._number = number
                task.cancel()

        for number in _SIGNALS:
            loop.add_signal_handler(number, stop, number)
        return self

    def instead(self, call: Callable[[int], object]) -> None:
        """From now on a signal calls `call` with its number."""
        self._instead = call

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number in _SIGNALS:
            asyncio.get_running_loop().remove_signal_handler(number)
        if self._number is not None and isinstance(error, asyncio.CancelledError):
            raise StoppedError(self._number) from None
