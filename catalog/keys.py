"""Where the catalogue lies in Redis, and how replies are read.

All keys share one hash tag, so that a write stays one atomic step on a Redis cluster too.
"""

from collections.abc import Iterable
from dataclasses import dataclass

Reply = bytes | str


@dataclass(frozen=True, slots=True)
class CatalogKeys:
    """Names of the catalogue's keys under one prefix; `lua/cells.lua` says what is in them."""

    prefix: str = "{hotshelf}:catalog"

    @property
    def all(self) -> tuple[str, ...]:
        """The keys that every script takes, in its order."""
        names = ("head", "index", "records", "history", "skus", "changes", "commits", "lost")
        return tuple(f"{self.prefix}:{name}" for name in names)

    def done(self, token: str) -> str:
        """String, for a while: the version that the write of this token made."""
        return f"{self.prefix}:done:{token}"

    @property
    def head(self) -> str:
        """Hash: catalogue version and the token of the write that made it."""
        return f"{self.prefix}:head"

    @property
    def records(self) -> str:
        """Hash: revision -> product JSON; a revision never changes."""
        return f"{self.prefix}:records"

    @property
    def changes(self) -> str:
        """Stream: one event per write, its id is `version-0`."""
        return f"{self.prefix}:changes"


def text(reply: Reply) -> str:
    """A reply as text, whichever way the client decodes."""
    return reply if isinstance(reply, str) else reply.decode()


def pairs(reply: Iterable[tuple[Reply, Reply]]) -> dict[str, str]:
    """Fields and values of a hash or a stream event as text."""
    return {text(name): text(value) for name, value in reply}
