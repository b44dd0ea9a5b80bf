"""A conversation's earlier turns, from the session store or from a client that carries them.

A client that carries its history sends texts only. Where this process has answered the earlier
turns, it still knows what the engine was told (`Told`), and the next prompt can begin with it. That
is looked up by all the texts up to a turn: whoever sends the same texts gets the same continuation,
which holds nothing but these texts and what the catalogue says of products.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b

from pipeline.sessions import SessionStore, StoreUnavailableError
from pipeline.types import Failure, Question, Told, Turn

_CARRIED = 4096
"""Turns of carried conversations that are remembered, the ones used last."""


class Memory:
    """Reads and keeps turns. One event loop."""

    def __init__(self, sessions: SessionStore, carried: int = _CARRIED) -> None:
        self._sessions = sessions
        self._carried = Carried(carried)

    async def turns(self, question: Question) -> tuple[Turn, ...]:
        """Turns, oldest first. Raises `SessionUnknownError` or `StoreUnavailableError`."""
        if question.history is not None:
            return self._carried.known(question.history)
        if question.session_id is None:
            return ()
        return await self._sessions.history(question.session_id)

    async def keep(self, question: Question, session_id: str | None, turn: Turn) -> list[Failure]:
        """Keep the turn, a partial one too, whoever leaves meanwhile."""
        if question.history is not None:
            self._carried.keep(question.history, turn)
        if session_id is None:
            return []
        return await asyncio.shield(self._append(session_id, turn))

    async def _append(self, session_id: str, turn: Turn) -> list[Failure]:
        """An answer is never lost for want of a store."""
        try:
            await self._sessions.append(session_id, turn)
        except StoreUnavailableError:
            message = "the answer is complete, but this conversation could not be kept"
            return [Failure("store_unavailable", message)]
        return []


class Carried:
    """What the engine was told in at most `size` turns whose texts clients carry."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._told: OrderedDict[bytes, Told] = OrderedDict()

    def known(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """`turns` with what is known of them."""
        return tuple(
            replace(turn, told=self._find(key))
            for turn, key in zip(turns, _keys(turns), strict=True)
        )

    def keep(self, turns: Sequence[Turn], turn: Turn) -> None:
        """Remember what `turn`, which followed `turns`, was told."""
        if turn.told is None:
            return
        *_, key = _keys((*turns, turn))
        self._told[key] = turn.told
        self._told.move_to_end(key)
        if len(self._told) > self._size:
            self._told.popitem(last=False)

    def _find(self, key: bytes) -> Told | None:
        told = self._told.get(key)
        if told is not None:
            self._told.move_to_end(key)
        return told


def _keys(turns: Sequence[Turn]) -> Iterator[bytes]:
    """For each turn the digest of all texts up to it."""
    made = blake2b(digest_size=16)
    for turn in turns:
        for text in (turn.question, turn.answer):
            data = text.strip().encode("utf-8", "surrogatepass")
            made.update(len(data).to_bytes(8) + data)
        yield made.digest()
