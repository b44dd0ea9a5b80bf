"""The Redis of our own: real processes, real sockets, real deaths."""

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path

import pytest
from redis.asyncio import Redis

from serving.embedded_redis import EmbeddedRedis, EmbeddedRedisConfig, EmbeddedRedisError

PARENT = """
import asyncio, os, sys
from pathlib import Path
from serving.embedded_redis import EmbeddedRedis, EmbeddedRedisConfig

async def main():
    server = EmbeddedRedis(EmbeddedRedisConfig(Path(sys.argv[1])))
    await server.start()
    print(server.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.fixture
def config(tmp_path: Path) -> EmbeddedRedisConfig:
    return EmbeddedRedisConfig(tmp_path / "redis", lock_wait_s=5.0)


async def test_what_was_written_outlives_a_restart(config: EmbeddedRedisConfig) -> None:
    for expected in (None, b"1", b"2"):
        server = EmbeddedRedis(config)
        await server.start()
        async with Redis.from_url(server.url) as client:
            assert await client.get("count") == expected
            await client.incr("count")
        await server.close()
    assert server.pid is None


async def test_it_dies_with_a_parent_that_was_killed_and_keeps_the_data(
    config: EmbeddedRedisConfig,
) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, str(config.folder), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    pid = int(await parent.stdout.readline())
    async with Redis.from_url(f"unix://{config.folder / 'redis.sock'}") as client:
        await client.set("kept", "yes")
    parent.send_signal(signal.SIGKILL)
    await parent.wait()

    server = EmbeddedRedis(config)  # waits for the lock, which the dying server holds
    await server.start()
    async with Redis.from_url(server.url) as client:
        assert await client.get("kept") == b"yes"
    assert server.pid != pid
    await server.close()


async def test_a_second_one_on_the_same_data_is_refused(config: EmbeddedRedisConfig) -> None:
    first = EmbeddedRedis(config)
    await first.start()
    second = EmbeddedRedis(EmbeddedRedisConfig(config.folder, lock_wait_s=0.0))
    with pytest.raises(EmbeddedRedisError, match=f"in use by another Hotshelf .*{os.getpid()}"):
        await second.start()
    await second.close()
    async with Redis.from_url(first.url) as client:
        assert await client.ping()
    await first.close()


async def test_a_folder_too_deep_for_a_socket_still_works(tmp_path: Path) -> None:
    folder = tmp_path / ("deep" * 30)
    server = EmbeddedRedis(EmbeddedRedisConfig(folder))
    await server.start()
    socket = Path(server.url.removeprefix("unix://"))
    async with Redis.from_url(server.url) as client:
        assert await client.ping()
    assert socket.parent.stat().st_mode & 0o077 == 0
    await server.close()
    assert not socket.parent.exists()
    assert (folder / "appendonlydir").is_dir()


async def test_it_says_why_it_did_not_start(config: EmbeddedRedisConfig) -> None:
    config.folder.mkdir()
    (config.folder / "appendonlydir").write_text("a file where its folder should be")
    with pytest.raises(EmbeddedRedisError, match=r"redis-server ended at once: .*appendonlydir"):
        await EmbeddedRedis(config).start()


async def test_closing_twice_does_no_harm(config: EmbeddedRedisConfig) -> None:
    server = EmbeddedRedis(config)
    await server.start()
    pid = server.pid
    assert pid is not None
    await server.close()
    await server.close()
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        pytest.fail(f"process {pid} is still there")
