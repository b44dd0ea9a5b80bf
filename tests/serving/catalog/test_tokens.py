"""Tokens: shown once, kept as hashes, refused at once when they are revoked."""

import pytest
from redis.asyncio import Redis

from catalog.keys import text
from serving.tokens import MAX_NAME, ROLES, Grant, TokenNameError, Tokens


@pytest.fixture
def tokens(redis: Redis) -> Tokens:
    """No tokens yet."""
    return Tokens(redis)


async def test_a_token_is_known_by_its_name_and_role(tokens: Tokens) -> None:
    made = await tokens.create("ann", "edit")
    grant = await tokens.check(made)
    assert grant is not None
    assert (grant.name, grant.role) == ("ann", "edit")
    assert await tokens.grants() == (grant,)


async def test_a_token_has_256_random_bits_and_lies_nowhere_in_redis(
    tokens: Tokens, redis: Redis
) -> None:
    made = {await tokens.create(f"t{number}", "read") for number in range(20)}
    assert len(made) == 20
    assert {len(token.removeprefix("hotshelf_")) for token in made} == {43}
    stored = "".join(map(text, await redis.hvals("hotshelf:tokens")))
    assert len(stored) > 1000
    assert not any(token.removeprefix("hotshelf_") in stored for token in made)


@pytest.mark.parametrize("token", ["", " ", "hotshelf_", "ann", "\udcff", "x" * 10_000])
async def test_what_is_no_token_is_refused(tokens: Tokens, token: str) -> None:
    await tokens.create("ann", "edit")
    assert await tokens.check(token) is None


async def test_a_part_of_a_token_is_refused(tokens: Tokens) -> None:
    made = await tokens.create("ann", "edit")
    for wrong in (made[:-1], made + "A", made.swapcase(), made.removeprefix("hotshelf_")):
        assert await tokens.check(wrong) is None


async def test_a_revoked_token_is_refused_at_once_by_every_process(
    tokens: Tokens, redis: Redis
) -> None:
    elsewhere = Tokens(redis)
    made = await tokens.create("ann", "edit")
    assert await elsewhere.check(made) is not None
    assert await tokens.revoke("ann")
    assert await elsewhere.check(made) is None
    assert not await tokens.revoke("ann")


async def test_a_name_is_taken_until_it_is_revoked(tokens: Tokens) -> None:
    first = await tokens.create("ann", "edit")
    with pytest.raises(TokenNameError, match="there is a token named 'ann'"):
        await tokens.create("ann", "import")
    await tokens.revoke("ann")
    second = await tokens.create("ann", "read")
    assert await tokens.check(first) is None
    assert await tokens.check(second) is not None


@pytest.mark.parametrize("name", ["", " ann", "a\nb", "\x00", "x" * (MAX_NAME + 1)])
async def test_a_name_must_be_fit_for_the_audit_log(tokens: Tokens, name: str) -> None:
    with pytest.raises(TokenNameError, match="cannot be used"):
        await tokens.create(name, "edit")


async def test_the_first_token_is_made_once_though_it_was_revoked(tokens: Tokens) -> None:
    made = await tokens.create_first()
    assert made is not None
    grant = await tokens.check(made)
    assert grant is not None
    assert (grant.name, grant.role) == ("first-start", "import")
    assert await tokens.create_first() is None
    await tokens.revoke("first-start")
    assert await tokens.create_first() is None


async def test_there_is_no_first_token_where_there_are_others(tokens: Tokens) -> None:
    await tokens.create("ann", "read")
    assert await tokens.create_first() is None


def test_each_role_includes_the_ones_before_it() -> None:
    allowed = {
        role: [needed for needed in ROLES if Grant("x", role, 0).allows(needed)] for role in ROLES
    }
    assert allowed == {
        "read": ["read"],
        "edit": ["read", "edit"],
        "import": ["read", "edit", "import"],
    }
