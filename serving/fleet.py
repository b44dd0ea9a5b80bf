"""Several gateway processes on one port: the parts they share, then one child process each.

The kernel spreads connections over them. When one ends by itself, all are stopped and so is the
parent, with a line that says so: whoever supervises the parent starts it anew.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from serving import die_with_parent
from serving.gateway import BACKLOG
from serving.parts import connect, fill_catalogue, find_model, make_first_token, redis_address
from serving.settings import Settings
from serving.signals import Stoppable
from serving.startup import Progress, StartError

READY = b"ready\n"
"""What a worker writes to its standard output when it answers."""


async def serve(
    settings: Settings, held: socket.socket, progress: Progress, on_ready: Callable[[], None]
) -> None:
    """Start the workers on `held`, tell `on_ready`, and end with them.

    Raises `StartError`, or `StoppedError` if a signal comes before they are ready.
    """
    with Stoppable() as stoppable:
        async with AsyncExitStack() as stack:
            url = await stack.enter_async_context(redis_address(settings, progress))
            async with connect(url) as redis:
                await fill_catalogue(redis, progress)
                await make_first_token(settings, redis, progress)
            await find_model(settings, progress)
            held.listen(BACKLOG)
            with progress.step("Gateway processes") as note:
                note(str(settings.workers))
                workers = [
                    await stack.enter_async_context(_worker(settings, held, url))
                    for _ in range(settings.workers)
                ]
                await _all_ready(workers)
            told = asyncio.Event()
            stoppable.instead(lambda _: told.set())
            on_ready()
            await _until_told(told, workers)


@asynccontextmanager
async def _worker(
    settings: Settings, held: socket.socket, url: str
) -> AsyncGenerator[Process, None]:
    """A gateway process that accepts on `held`; told to end at the end."""
    command = [sys.executable, "-m", "serving.cli", "worker", str(held.fileno())]
    process = await asyncio.create_subprocess_exec(
        *die_with_parent.command(command, signal.SIGTERM),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=PIPE,
        pass_fds=(held.fileno(),),
        start_new_session=True,  # Ctrl-C is for the parent, which tells its children
        env={**os.environ, "REDIS_URL": url},
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), 2 * settings.shutdown_s)
        except TimeoutError:
            process.kill()
            await process.wait()


async def _all_ready(workers: list[Process]) -> None:
    for process in workers:
        assert process.stdout is not None  # it was asked for
        if await process.stdout.readline() != READY:
            raise StartError(f"gateway process {process.pid} did not start; it says why above")


async def _until_told(told: asyncio.Event, workers: list[Process]) -> None:
    """Return when `told`. Raises `StartError` when a worker ends by itself."""
    stopping = asyncio.create_task(told.wait())
    ends = {asyncio.create_task(process.wait()): process for process in workers}
    await asyncio.wait([stopping, *ends], return_when=asyncio.FIRST_COMPLETED)
    ended = [process for task, process in ends.items() if task.done()]
    for task in (stopping, *ends):
        task.cancel()
    if ended and not told.is_set():
        raise StartError(
            f"gateway process {ended[0].pid} ended by itself (status {ended[0].returncode}), "
            "so all of them were stopped"
        )
