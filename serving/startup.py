"""How starting up speaks: steps that take time, and failures that say what would help."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Note = Callable[[str], None]
"""Adds a few words to a step while it runs, or at its end."""


class StartError(Exception):
    """It cannot start; the message is one line that says why and what would help."""


class Progress(Protocol):
    """Who is told of steps; several may run at once."""

    def step(self, title: str) -> AbstractContextManager[Note]:
        """A step: begins on entry, ends on exit, has failed if an exception leaves it."""
        ...


class Silent:
    """Tells nobody."""

    @contextmanager
    def step(self, title: str) -> Iterator[Note]:
        """A step that nobody sees."""
        yield lambda _: None
