"""What the pipeline asks of a session store. The Redis one is in `serving/sessions.py`."""

from typing import Protocol

from pipeline.types import Turn


class SessionUnknownError(Exception):
    """No conversation has this id: it never existed, has expired or was erased."""


class StoreUnavailableError(Exception):
    """The store did not answer in time."""


class SessionStore(Protocol):
    """Conversations by id, each with a time to live that every turn renews."""

    async def history(self, session_id: str) -> tuple[Turn, ...]:
        """Turns, oldest first. Raises `SessionUnknownError` or `StoreUnavailableError`."""
        ...

    async def append(self, session_id: str, turn: Turn) -> None:
        """Add a turn, making the conversation if it is the first one; renews its time to live.

        Raises `StoreUnavailableError`.
        """
        ...
