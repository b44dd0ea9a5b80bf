"""A cancellation that a library swallowed is noticed at the next look."""

import asyncio
from contextlib import suppress

import pytest

from catalog.cancellation import obey_cancellation


async def test_a_swallowed_cancellation_is_obeyed() -> None:
    began = asyncio.Event()
    looked = False

    async def work() -> None:
        nonlocal looked
        began.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        looked = True
        obey_cancellation()
        raise AssertionError("it went on")

    task = asyncio.create_task(work())
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert looked


async def test_a_task_that_was_not_cancelled_goes_on() -> None:
    obey_cancellation()


async def test_a_timeout_that_is_over_is_no_cancellation() -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(0):
            await asyncio.Event().wait()
    obey_cancellation()
