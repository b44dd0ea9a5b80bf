"""The client of Redis: a call that is cancelled never goes on."""

import asyncio

from serving.redis_client import connect


async def test_a_cancelled_call_ends_wherever_it_is(redis_url: str) -> None:
    redis = connect(redis_url)
    await redis.ping()
    went_on: list[int] = []

    async def ask(steps: int) -> None:
        await redis.hget("no such", "key")
        await asyncio.sleep(0.001)  # a cancellation that was swallowed lets it come past here
        went_on.append(steps)

    for steps in range(60):
        asking = asyncio.create_task(ask(steps))
        for _ in range(steps):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait({asking})
    assert went_on == []
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
