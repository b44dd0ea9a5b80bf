"""Where the catalogue lies in Redis, and how replies are read.

All keys share one hash tag, so that a write stays one atomic step on a Redis cluster too.
"""

from collections.abc import Iterable
from dataclasses import dataclass

Reply = bytes | str


@dataclass(frozen=True, slots=True)
class CatalogKeys:
    """Names of the catalogue's keys under one prefix; `store.lua` says what is in them."""

    prefix: str = "{hotshelf}:catalog"

    def write_keys(self, token: str) -> tuple[str, ...]:
        """The keys of the write that `token` names, in the order `store.lua` takes them."""
        done = f"{self.prefix}:done:{token}"
        return (done, self.head, self.index, self.records, self.history, self.skus, self.changes)

    @property
    def head(self) -> str:
        """Hash: catalogue version and the token of the write that made it."""
        return f"{self.prefix}:head"

    @property
    def index(self) -> str:
        """Hash: product id -> version, revision and SKU keys."""
        return f"{self.prefix}:index"

    @property
    def records(self) -> str:
        """Hash: revision -> product JSON; a revision never changes."""
        return f"{self.prefix}:records"

    @property
    def history(self) -> str:
        """Hash: product id -> its audit log, newest first."""
        return f"{self.prefix}:history"

    @property
    def skus(self) -> str:
        """Hash: SKU key -> product id."""
        return f"{self.prefix}:skus"

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
