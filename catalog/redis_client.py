"""A client of Redis whose calls end when they are cancelled, always.

redis-py writes a command under `asyncio.wait_for`, and in Python 3.11 that swallows a cancellation
which comes in the moment in which the write ends: the caller then goes on as if nobody had left.
`asyncio.timeout` bounds the same time and swallows nothing.
"""

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from redis.asyncio import Connection, ConnectionPool, Redis
from redis.exceptions import TimeoutError as RedisTimeoutError

if TYPE_CHECKING:
    _Base = Connection
else:
    _Base = object

TIMEOUT_S = 5.0
"""For one command; what must be faster has a shorter one of its own."""


def connect(url: str, timeout_s: float = TIMEOUT_S) -> Redis:
    """A client of the Redis at `url`; it connects when it is first used.

    `timeout_s` is for one command; connecting takes `TIMEOUT_S` at most.
    """
    pool = ConnectionPool.from_url(url, socket_timeout=timeout_s, socket_connect_timeout=TIMEOUT_S)
    kind = pool.connection_class
    pool.connection_class = type(f"Cancellable{kind.__name__}", (_Cancellable, kind), {})
    return Redis.from_pool(pool)


class _Cancellable(_Base):
    """A mixin of redis-py's connections, whichever transport they have."""

    async def send_packed_command(
        self, command: bytes | str | Iterable[bytes], check_health: bool = True
    ) -> None:
        allowed, self.socket_timeout = self.socket_timeout, None
        try:
            async with asyncio.timeout(allowed):
                await super().send_packed_command(command, check_health)
        except TimeoutError:
            await self.disconnect(nowait=True)
            raise RedisTimeoutError("Timeout writing to socket") from None
        finally:
            self.socket_timeout = allowed
