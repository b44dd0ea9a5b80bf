"""Permits: never more than there are, never fewer afterwards, first come first served."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serving.admission import Admission, AdmissionConfig, Permit, RefusedError


def admission(permits: int = 1, queue: int = 10, wait_s: float = 30) -> Admission:
    return Admission(AdmissionConfig(permits, queue, wait_s))


async def settle() -> None:
    """Let every task run as far as it can."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_full_queue_refuses_at_once_and_says_how_long() -> None:
    door = admission(queue=0)
    async with await door.acquire():
        with pytest.raises(RefusedError) as refused:
            await door.acquire()
    assert (refused.value.code, refused.value.status) == ("queue_full", 503)
    assert refused.value.retry_after is not None
    assert 1 <= refused.value.retry_after <= 60
    async with await door.acquire():
        assert door.in_use == 1


async def test_a_wait_that_expires_is_refused_and_leaves_the_queue() -> None:
    door = admission(wait_s=0.001)
    async with await door.acquire():
        with pytest.raises(RefusedError) as refused:
            await door.acquire()
        assert (refused.value.code, refused.value.status) == ("wait_expired", 429)
        assert door.waiting == 0
    assert door.in_use == 0


async def test_who_comes_first_is_served_first() -> None:
    door = admission()
    served: list[int] = []

    async def one(n: int) -> None:
        async with await door.acquire():
            served.append(n)

    async with await door.acquire():
        tasks = [asyncio.create_task(one(n)) for n in range(5)]
        await settle()
        assert door.waiting == 5
    await asyncio.gather(*tasks)
    assert served == [0, 1, 2, 3, 4]


async def test_a_newcomer_does_not_overtake_one_whose_turn_has_come() -> None:
    door = admission(queue=1)
    first = await door.acquire()
    second = asyncio.create_task(door.acquire())
    await settle()
    first.release()
    third = asyncio.create_task(door.acquire())
    (await second).release()
    (await third).release()
    assert door.in_use == 0


async def test_releasing_twice_lets_nobody_in_twice() -> None:
    door = admission(permits=1)
    permit = await door.acquire()
    permit.release()
    permit.release()
    assert door.in_use == 0


async def test_a_permit_handed_to_a_request_that_left_goes_on_to_the_next() -> None:
    door = admission()
    holder = await door.acquire()
    leaving, staying = (asyncio.create_task(door.acquire()) for _ in range(2))
    await settle()
    holder.release()
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    (await staying).release()
    assert (door.in_use, door.waiting) == (0, 0)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["come", "leave", "done"]), max_size=40), st.integers(1, 3))
async def test_no_order_of_coming_leaving_and_ending_loses_a_permit(
    steps: list[str], permits: int
) -> None:
    door = admission(permits=permits, queue=5)
    tasks: list[asyncio.Task[Permit]] = []
    for step in steps:
        if step == "come":
            tasks.append(asyncio.create_task(door.acquire()))
        elif step == "leave" and tasks:
            tasks[len(tasks) // 2].cancel()
        elif step == "done":
            held = [t for t in tasks if t.done() and not t.cancelled() and not t.exception()]
            if held:
                held[0].result().release()
                tasks.remove(held[0])
        if step != "leave":
            await settle()
        assert 0 <= door.in_use <= permits
        assert door.waiting <= 5
    while tasks:
        await settle()
        task = next(t for t in tasks if t.done())
        tasks.remove(task)
        if not task.cancelled() and not task.exception():
            task.result().release()
    assert (door.in_use, door.waiting) == (0, 0)


async def test_it_is_quiet_when_no_permit_is_out() -> None:
    door = admission(permits=2)
    assert door.is_quiet
    one, other = await door.acquire(), await door.acquire()
    third = asyncio.ensure_future(door.acquire())
    quiet = asyncio.ensure_future(door.quiet())
    for permit in (one, other):
        await settle()
        assert (door.is_quiet, quiet.done()) == (False, False)
        permit.release()
    await settle()
    assert not quiet.done()
    (await third).release()
    await quiet
    assert (door.is_quiet, door.arrivals) == (True, 3)
