"""Conversations in a real Redis, and what is said when it is not there."""

import asyncio
import json
import socket
from dataclasses import replace

import pytest
from redis.asyncio import Redis

from pipeline.sessions import SessionUnknownError, StoreUnavailableError
from pipeline.types import Known, Told, Turn
from serving.sessions import KEY_PREFIX, RedisSessions, SessionConfig
from serving.told import MOST_IDS

TURN = Turn("有黑色的吗？", "Yes, “black” \ud83d\n.", ("shirt", "p2"), "length")


async def test_turns_come_back_as_they_went_in_oldest_first(redis: Redis) -> None:
    sessions = RedisSessions(redis, SessionConfig())
    await sessions.append("a", TURN)
    await sessions.append("a", Turn("second", "no", finish="abort"))
    await sessions.append("b", Turn("other", "no"))
    assert await sessions.history("a") == (TURN, Turn("second", "no", finish="abort"))


TOLD = Told((5, 6, 7), (8,), (Known("shirt", "ab", "cd"),), "ef")


async def test_what_was_told_comes_back_as_it_went_in(redis: Redis) -> None:
    sessions = RedisSessions(redis, SessionConfig())
    turn = replace(TURN, told=TOLD)
    await sessions.append("a", turn)
    await sessions.append("a", TURN)
    assert await sessions.history("a") == (turn, TURN)


DAMAGED: tuple[object, ...] = (
    {"said": 0},
    None,
    7,
    [],
    {},
    {"ids": [1.5]},
    {"ids": [True]},
    {"ids": ["7"]},
    {"ids": [-1]},
    {"ids": [0] * (MOST_IDS + 1)},
    {"said": None},
    {"known": {"shirt": "ab"}},
    {"known": [{"product_id": "x" * 2000, "block": "", "live": ""}]},
    {"digest": 7},
)


@pytest.mark.parametrize("damage", DAMAGED, ids=lambda damage: repr(damage)[:40])
async def test_what_was_told_is_left_out_where_it_cannot_be_read(
    redis: Redis, damage: object
) -> None:
    sessions = RedisSessions(redis, SessionConfig())
    await sessions.append("a", replace(TURN, told=TOLD))
    [kept] = await redis.lrange(KEY_PREFIX + "a", 0, -1)
    row = json.loads(kept)
    told = {**row["told"], **damage} if isinstance(damage, dict) and damage else damage
    await redis.lset(KEY_PREFIX + "a", 0, json.dumps({**row, "told": told}))
    assert await sessions.history("a") == (TURN,)


async def test_a_turn_of_an_older_version_is_read(redis: Redis) -> None:
    sessions = RedisSessions(redis, SessionConfig())
    await sessions.append("a", TURN)
    [kept] = await redis.lrange(KEY_PREFIX + "a", 0, -1)
    row = json.loads(kept)
    del row["told"]
    await redis.lset(KEY_PREFIX + "a", 0, json.dumps(row))
    assert await sessions.history("a") == (TURN,)


async def test_an_unknown_conversation_is_told_apart_from_a_broken_store(redis: Redis) -> None:
    with pytest.raises(SessionUnknownError):
        await RedisSessions(redis, SessionConfig()).history("never")


async def test_only_the_newest_turns_are_kept(redis: Redis) -> None:
    sessions = RedisSessions(redis, SessionConfig(max_turns=3))
    for n in range(5):
        await sessions.append("a", Turn(str(n), ""))
    assert [turn.question for turn in await sessions.history("a")] == ["2", "3", "4"]
    assert await redis.llen(KEY_PREFIX + "a") == 3


async def test_every_turn_renews_the_time_to_live(redis: Redis) -> None:
    sessions = RedisSessions(redis, SessionConfig(ttl_s=500))
    await sessions.append("a", TURN)
    await redis.expire(KEY_PREFIX + "a", 5)
    await sessions.append("a", TURN)
    assert await redis.ttl(KEY_PREFIX + "a") > 400


async def test_an_expired_conversation_is_unknown(redis: Redis) -> None:
    sessions = RedisSessions(redis, SessionConfig())
    await sessions.append("a", TURN)
    await redis.pexpireat(KEY_PREFIX + "a", 1)
    with pytest.raises(SessionUnknownError):
        await sessions.history("a")


async def test_a_store_that_is_not_there_is_said_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    async with Redis(port=port) as redis:
        sessions = RedisSessions(redis, SessionConfig(timeout_s=0.2))
        with pytest.raises(StoreUnavailableError):
            await sessions.history("a")
        with pytest.raises(StoreUnavailableError):
            await sessions.append("a", TURN)


async def test_a_store_that_says_nothing_is_given_up_in_time() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    async with server, Redis(port=server.sockets[0].getsockname()[1]) as redis:
        sessions = RedisSessions(redis, SessionConfig(timeout_s=0.05))
        async with asyncio.timeout(5):
            with pytest.raises(StoreUnavailableError):
                await sessions.history("a")


async def test_a_key_of_another_kind_is_a_broken_store(redis: Redis) -> None:
    await redis.set(KEY_PREFIX + "a", "text")
    with pytest.raises(StoreUnavailableError):
        await RedisSessions(redis, SessionConfig()).history("a")


@pytest.mark.parametrize("row", ["{", "[]", '{"question": "x"}'])
async def test_a_turn_that_cannot_be_read_is_a_broken_store(redis: Redis, row: str) -> None:
    await redis.rpush(KEY_PREFIX + "a", row)
    with pytest.raises(StoreUnavailableError):
        await RedisSessions(redis, SessionConfig()).history("a")


async def test_a_turn_of_a_newer_version_is_read(redis: Redis) -> None:
    sessions = RedisSessions(redis, SessionConfig())
    await sessions.append("a", TURN)
    [kept] = await redis.lrange(KEY_PREFIX + "a", 0, -1)
    row = json.loads(kept)
    await redis.lset(KEY_PREFIX + "a", 0, json.dumps({**row, "feedback": 1}))
    assert await sessions.history("a") == (TURN,)


FORGED: tuple[dict[str, object], ...] = (
    {"question": 5},
    {"answer": None},
    {"answer": ["x"]},
    {"product_ids": [["x"]]},
    {"product_ids": "shirt"},
    {"finish": {"a": 1}},
)


@pytest.mark.parametrize("forged", FORGED, ids=repr)
async def test_a_turn_of_wrong_types_is_a_broken_store(
    redis: Redis, forged: dict[str, object]
) -> None:
    sessions = RedisSessions(redis, SessionConfig())
    kept = {"question": "a", "answer": "b", "product_ids": [], "finish": "stop"}
    await redis.rpush(KEY_PREFIX + "a", json.dumps(kept | forged))
    with pytest.raises(StoreUnavailableError):
        await sessions.history("a")


async def test_a_turn_nested_too_deeply_is_a_broken_store(redis: Redis) -> None:
    await redis.rpush(KEY_PREFIX + "a", "[" * 200_000)
    with pytest.raises(StoreUnavailableError):
        await RedisSessions(redis, SessionConfig()).history("a")
