"""Work that nobody waits for, in threads that leave the processor to those who wait."""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_NICE = 10
"""Priority of what runs behind: a tenth of the processor where others want it all."""


def step_back() -> None:
    """Lower the priority of this thread, and of those that it will start; Linux counts each."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)


async def behind(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do blocking `work` in a thread of its own, at a low priority."""
    thread = ThreadPoolExecutor(1, "behind", initializer=step_back)
    try:
        call = partial(work, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(thread, call)
    finally:
        thread.shutdown(wait=False)
