"""How often one conversation and one address may ask for a page to be warmed.

Counted in Redis, for all gateways together, over a sliding minute. Without Redis it is allowed: a
page that is warmed once too often harms nobody, and all of it is bounded elsewhere.
"""

import asyncio
import logging
import math
import time
from dataclasses import dataclass

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from redis.asyncio import Redis
from redis.exceptions import RedisError

from serving.errors import ApiError

log = logging.getLogger(__name__)

KEY_PREFIX = "hotshelf:limit"


@dataclass(frozen=True, slots=True)
class WarmLimitsConfig:
    """Requests a minute. `timeout_s`: for counting, after which it is allowed."""

    per_session: int = 30
    per_address: int = 120
    timeout_s: float = 0.2


class WarmLimits:
    """Limits that every gateway on one Redis shares."""

    def __init__(self, redis: Redis, config: WarmLimitsConfig | None = None) -> None:
        self._config = config or WarmLimitsConfig()
        storage = RedisStorage(
            "async+redis://",
            implementation="redispy",
            key_prefix=KEY_PREFIX,
            connection_pool=redis.connection_pool,  # type: ignore[arg-type]
        )
        self._limiter = SlidingWindowCounterRateLimiter(storage)
        self._per_session = RateLimitItemPerMinute(self._config.per_session)
        self._per_address = RateLimitItemPerMinute(self._config.per_address)

    async def check(self, address: str, session_id: str | None) -> None:
        """Count a request. Raises `ApiError` (too_many_requests) beyond a limit."""
        wanted = [(self._per_address, ("address", address))]
        if session_id is not None:
            wanted.append((self._per_session, ("session", session_id)))
        try:
            async with asyncio.timeout(self._config.timeout_s):
                for item, whose in wanted:
                    if not await self._limiter.hit(item, *whose):
                        raise await self._refusal(item, whose)
        except (RedisError, OSError) as error:  # TimeoutError is an OSError
            log.info("warm requests are not counted at present: %r", error)

    async def _refusal(self, item: RateLimitItem, whose: tuple[str, str]) -> ApiError:
        free_at = (await self._limiter.get_window_stats(item, *whose)).reset_time
        seconds = min(max(math.ceil(free_at - time.time()), 1), 60)
        said = f"{item.amount} a minute are taken of one {whose[0]}: try again in {seconds} s"
        return ApiError("too_many_requests", said, retry_after=seconds)
