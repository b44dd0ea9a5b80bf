"""Which process warms an engine's shelf where several share it, and what the others know."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Told:
    """What all who share the engine say together.

    `digests`: by what it is of, the digest of the prefix that was warmed. `computed`: tokens that
    the engine computed for the others since one asked last.
    """

    digests: Mapping[str, str] = field(default_factory=dict)
    computed: int = 0


class Turns(Protocol):
    """One of several takes turns in warming. Nothing is raised: without a store, nobody's turn."""

    async def mine(self) -> bool:
        """Whether this process may warm the shelf now."""
        ...

    async def told(self, computed: int) -> Told:
        """What the others did; this process had `computed` tokens computed so far."""
        ...

    async def tell(self, key: str, digest: str) -> None:
        """The prefix of `key`, with this digest, is warm now."""
        ...

    async def forget(self) -> None:
        """The engine has lost all of it."""
        ...

    async def close(self) -> None:
        """Let another go on."""
        ...


class Alone:
    """An engine that no other process uses."""

    async def mine(self) -> bool:
        """Always."""
        return True

    async def told(self, computed: int) -> Told:
        """Nobody else did anything."""
        return Told()

    async def tell(self, key: str, digest: str) -> None:
        """Nobody listens."""

    async def forget(self) -> None:
        """Nobody knew."""

    async def close(self) -> None:
        """Nobody waits."""
