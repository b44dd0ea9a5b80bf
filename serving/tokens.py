"""Who may read, edit and import the catalogue: named bearer tokens, kept as hashes in Redis.

A token is 256 random bits, so one SHA-256 of it is enough: there is nothing to guess, and what
lies in Redis opens nothing. Nothing is cached: a token that has been revoked is refused from the
next request on, by every process.
"""

import hashlib
import hmac
import json
import secrets
import time
from dataclasses import asdict, dataclass
from typing import Literal, get_args

from redis.asyncio import Redis

from catalog.keys import text

Role = Literal["read", "edit", "import"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Each may do what the ones before it may."""
FIRST_TOKEN = "first-start"
MAX_NAME = 64
_PREFIX = "hotshelf_"
"""Makes a token that has leaked easy to find."""


@dataclass(frozen=True, slots=True)
class TokenConfig:
    """`key`: the hash in Redis, name -> role, digest and creation time.

    `started`: exists once the first token has been made, so that it is made only once.
    """

    key: str = "hotshelf:tokens"
    started: str = "hotshelf:tokens:started"


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token is known by; the token itself is known to its holder alone."""

    name: str
    role: Role
    created_at: float

    def allows(self, needed: Role) -> bool:
        """Whether its role includes `needed`."""
        return ROLES.index(self.role) >= ROLES.index(needed)


class TokenNameError(ValueError):
    """The name cannot be used; the message says why."""


class Tokens:
    """The tokens of one installation, shared by its processes."""

    def __init__(self, redis: Redis, config: TokenConfig | None = None) -> None:
        self._redis = redis
        self._config = config or TokenConfig()

    async def create(self, name: str, role: Role) -> str:
        """A new token; it cannot be shown again. Raises `TokenNameError`."""
        if not 0 < len(name) <= MAX_NAME or name != name.strip() or not name.isprintable():
            raise TokenNameError(
                f"the name {name!r} cannot be used: 1 to {MAX_NAME} printable characters, "
                "no blanks around them"
            )
        token = _PREFIX + secrets.token_urlsafe(32)
        grant = asdict(Grant(name, role, time.time()))
        line = json.dumps({**grant, "sha256": _digest(token)})
        if not await self._redis.hsetnx(self._config.key, name, line):
            raise TokenNameError(f"there is a token named {name!r}: revoke it, or choose another")
        return token

    async def create_first(self) -> str | None:
        """The token that a new installation starts with, or None if it was made before."""
        if not await self._redis.set(self._config.started, 1, nx=True):
            return None
        if await self._redis.hlen(self._config.key):
            return None
        return await self.create(FIRST_TOKEN, "import")

    async def grants(self) -> tuple[Grant, ...]:
        """All that are valid, oldest first."""
        found = [grant for grant, _ in await self._lines()]
        return tuple(sorted(found, key=lambda grant: (grant.created_at, grant.name)))

    async def revoke(self, name: str) -> bool:
        """Refuse the token of this name from now on; whether there was one."""
        return bool(await self._redis.hdel(self._config.key, name))

    async def check(self, token: str) -> Grant | None:
        """Whose token it is, or None. It is compared with every one, each in constant time."""
        given = _digest(token)
        matching = [
            grant
            for grant, digest in await self._lines()
            if hmac.compare_digest(given.encode(), digest.encode())
        ]
        return matching[0] if matching else None

    async def _lines(self) -> list[tuple[Grant, str]]:
        lines = [json.loads(text(line)) for line in await self._redis.hvals(self._config.key)]
        return [
            (Grant(line["name"], line["role"], line["created_at"]), line["sha256"])
            for line in lines
        ]


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
