"""`hotshelf token`: beside a running server, and before there is one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis

from serving.embedded_redis import EmbeddedRedis, EmbeddedRedisConfig
from serving.parts import make_first_token
from serving.settings import Settings
from serving.startup import Note
from serving.tokens import Tokens
from tests.serving.command import hotshelf


class Told:
    """A progress that notes what it is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    @contextmanager
    def step(self, title: str) -> Iterator[Note]:
        yield self.notes.append


async def test_a_token_is_made_beside_a_running_server(tmp_path: Path) -> None:
    server = EmbeddedRedis(EmbeddedRedisConfig(tmp_path / "data" / "redis"))
    await server.start()
    try:
        made = hotshelf(
            tmp_path, "token", "create", "ann", "--role", "import", HOTSHELF_DATA_DIR="data"
        )
        assert made.returncode == 0, made.stderr
        async with Redis.from_url(server.url) as redis:
            grant = await Tokens(redis).check(made.stdout.strip())
        assert grant is not None
        assert (grant.name, grant.role) == ("ann", "import")
    finally:
        await server.close()


def test_tokens_are_made_listed_and_revoked_before_there_is_a_server(tmp_path: Path) -> None:
    made = hotshelf(tmp_path, "token", "create", "ann")
    assert made.stdout.startswith("hotshelf_")
    assert made.stdout.strip() not in made.stderr
    again = hotshelf(tmp_path, "token", "create", "ann")
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr.startswith("hotshelf: there is a token named 'ann'")
    listed = hotshelf(tmp_path, "token", "list").stdout
    assert "ann" in listed
    assert "edit" in listed
    assert made.stdout.strip() not in listed
    assert hotshelf(tmp_path, "token", "revoke", "ann").returncode == 0
    unknown = hotshelf(tmp_path, "token", "revoke", "ann")
    assert (unknown.returncode, "no token named 'ann'" in unknown.stderr) == (1, True)


def test_tokens_of_a_redis_elsewhere(tmp_path: Path, redis_url: str) -> None:
    made = hotshelf(tmp_path, "token", "create", "zoe-elsewhere", REDIS_URL=redis_url)
    assert made.returncode == 0, made.stderr
    assert not (tmp_path / ".hotshelf").exists()
    assert (
        hotshelf(tmp_path, "token", "revoke", "zoe-elsewhere", REDIS_URL=redis_url).returncode == 0
    )


@pytest.mark.parametrize("arguments", [["create"], ["create", "ann", "--role", "king"], ["steal"]])
def test_wrong_arguments(tmp_path: Path, arguments: list[str]) -> None:
    assert hotshelf(tmp_path, "token", *arguments).returncode == 2


async def test_a_new_installation_shows_its_first_token_once(redis: Redis) -> None:
    shown = Told()
    for _ in range(2):
        await make_first_token(Settings(), redis, shown)
    (token,) = shown.notes
    grant = await Tokens(redis).check(token)
    assert grant is not None
    assert (grant.name, grant.role) == ("first-start", "import")


async def test_a_redis_of_somebody_else_gets_no_token_by_itself(redis: Redis) -> None:
    shown = Told()
    await make_first_token(Settings(redis_url="redis://127.0.0.1/0"), redis, shown)
    assert shown.notes == []
    assert await Tokens(redis).grants() == ()
