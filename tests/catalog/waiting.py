"""Waiting for what another process does; it cannot tell us, so it is asked."""

import asyncio
from collections.abc import Awaitable, Callable

LONGEST_S = 60


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Ask every 10 ms until it holds; fails after a minute."""
    async with asyncio.timeout(LONGEST_S):
        while True:
            if await holds():
                return
            await asyncio.sleep(0.01)
