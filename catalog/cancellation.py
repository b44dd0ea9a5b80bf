"""Cancellation that is not lost.

On Python 3.11, `asyncio.wait_for` (which redis-py awaits for every command it sends) drops a
cancellation that comes in the moment its inner call is done. Loops ask here whether there was one.
"""

import asyncio


def obey_cancellation() -> None:
    """Raise `CancelledError` if the present task was cancelled and has not noticed."""
    task = asyncio.current_task()
    if task is not None and task.cancelling() > 0:
        raise asyncio.CancelledError
