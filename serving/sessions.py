"""Conversations in Redis: one list of turns under one key, with a time to live."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass

from redis.asyncio import Redis
from redis.exceptions import RedisError

from pipeline.sessions import SessionUnknownError, StoreUnavailableError
from pipeline.types import Turn
from serving.told import read_turn

KEY_PREFIX = "hotshelf:session:"


@dataclass(frozen=True, slots=True)
class SessionConfig:
    """`ttl_s`: seconds that a conversation lives after its last turn.

    `timeout_s`: the longest that a request waits for the store. `max_turns`: how many are kept.
    """

    ttl_s: int = 3600
    timeout_s: float = 1.0
    max_turns: int = 20


class RedisSessions:
    """A `pipeline.sessions.SessionStore` that every gateway process shares."""

    def __init__(self, redis: Redis, config: SessionConfig) -> None:
        self._redis = redis
        self._config = config

    async def history(self, session_id: str) -> tuple[Turn, ...]:
        """Turns, oldest first. Raises `SessionUnknownError` or `StoreUnavailableError`."""
        async with self._in_time():
            rows = await self._redis.lrange(_key(session_id), -self._config.max_turns, -1)
        if not rows:
            raise SessionUnknownError(session_id)
        return tuple(_turn(row) for row in rows)

    async def append(self, session_id: str, turn: Turn) -> None:
        """Add `turn`; the oldest beyond `max_turns` go. Raises `StoreUnavailableError`."""
        key = _key(session_id)
        async with self._in_time(), self._redis.pipeline(transaction=True) as batch:
            batch.rpush(key, json.dumps(asdict(turn)))
            batch.ltrim(key, -self._config.max_turns, -1)
            batch.expire(key, self._config.ttl_s)
            await batch.execute()

    @asynccontextmanager
    async def _in_time(self) -> AsyncGenerator[None, None]:
        try:
            async with asyncio.timeout(self._config.timeout_s):
                yield
        except (RedisError, OSError) as error:  # TimeoutError is an OSError
            raise StoreUnavailableError(str(error) or type(error).__name__) from error


def _key(session_id: str) -> str:
    return KEY_PREFIX + session_id


def _turn(row: str | bytes) -> Turn:
    """A turn as `append` wrote it; fields that a newer version added are left out."""
    try:
        return read_turn(json.loads(row))
    except (ValueError, RecursionError) as error:
        raise StoreUnavailableError("a turn that cannot be read") from error
