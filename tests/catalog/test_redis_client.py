"""The client of Redis: a call that is cancelled never goes on."""

import asyncio

from catalog.redis_client import connect


async def test_a_cancelled_call_ends_wherever_it_is(redis_url: str) -> None:
    redis = connect(redis_url)
    await redis.ping()
    for_ever = asyncio.Event()

    async def ask() -> None:
        await redis.hget("no such", "key")
        await for_ever.wait()  # where a call that lost its cancellation would stay

    for steps in range(60):
        asking = asyncio.create_task(ask())
        for _ in range(steps):
            await asyncio.sleep(0)
        asking.cancel()
        _, still_there = await asyncio.wait({asking}, timeout=1)
        assert not still_there, f"cancelled after {steps} steps"
    assert await redis.ping()
    await redis.aclose()


async def test_commands_work_as_ever(redis_url: str) -> None:
    redis = connect(redis_url)
    async with redis.pipeline() as steps:
        steps.set("client", "1")
        steps.get("client")
        assert await steps.execute() == [True, b"1"]
    await redis.delete("client")
    await redis.aclose()
