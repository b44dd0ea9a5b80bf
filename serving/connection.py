"""Work that is worth doing only while somebody waits for it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.types import Receive

T = TypeVar("T")


async def while_connected(receive: Receive, work: Coroutine[Any, Any, T]) -> T | None:
    """What `work` returns, or None if the client left first; then `work` is cancelled.

    `work` runs in one task of its own from its first step to its last, and has ended when this
    returns. The body of the request must have been read. Cancelling this cancels `work`.
    """
    task = asyncio.create_task(work)
    gone = asyncio.create_task(_disconnect(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        task.cancel()
        await asyncio.wait({task, gone})
    return None if task.cancelled() else task.result()


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
