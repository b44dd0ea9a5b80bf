"""Who is signed in to /admin: sessions in Redis, opened with a token and ended with it.

A session knows its token's name, role and time of birth, never the token. What the browser holds
is 256 random bits, of which Redis has a hash: whoever reads Redis cannot step into a session.
"""

import hashlib
import hmac
import json
import secrets
from dataclasses import asdict, dataclass

from redis.asyncio import Redis

from catalog.keys import text
from serving.tokens import Grant, Tokens


@dataclass(frozen=True, slots=True)
class AdminSessionConfig:
    """`ttl_s`: seconds without a request after which a session has ended."""

    prefix: str = "hotshelf:admin:session:"
    ttl_s: int = 8 * 3600


@dataclass(frozen=True, slots=True)
class AdminSession:
    """`csrf` is in every form of the session's pages, and in no other's."""

    grant: Grant
    csrf: str

    def sent(self, csrf: object) -> bool:
        """Whether `csrf` is this session's; compared in constant time."""
        return isinstance(csrf, str) and same(csrf, self.csrf)


class AdminSessions:
    """Sessions of all gateway processes."""

    def __init__(
        self, redis: Redis, tokens: Tokens, config: AdminSessionConfig | None = None
    ) -> None:
        self._redis = redis
        self._tokens = tokens
        self._config = config or AdminSessionConfig()

    async def open(self, token: str) -> str | None:
        """A new session for the holder of `token`: what its cookie says. None for a wrong one."""
        grant = await self._tokens.check(token)
        if grant is None:
            return None
        cookie = secrets.token_urlsafe(32)
        record = json.dumps({"grant": asdict(grant), "csrf": secrets.token_urlsafe(32)})
        await self._redis.set(self._key(cookie), record, ex=self._config.ttl_s)
        return cookie

    async def get(self, cookie: str) -> AdminSession | None:
        """The session, which lives on from now; None if it has ended, or its token was revoked.

        A token that was made anew under the same name is another token.
        """
        key = self._key(cookie)
        record = await self._redis.getex(key, ex=self._config.ttl_s)
        if record is None:
            return None
        held = json.loads(text(record))
        grant = Grant(**held["grant"])
        if grant not in await self._tokens.grants():
            await self._redis.delete(key)
            return None
        return AdminSession(grant, held["csrf"])

    async def close(self, cookie: str) -> None:
        """It has ended."""
        await self._redis.delete(self._key(cookie))

    def _key(self, cookie: str) -> str:
        digest = hashlib.sha256(cookie.encode("utf-8", "surrogateescape")).hexdigest()
        return self._config.prefix + digest


def same(one: str, other: str) -> bool:
    """Whether two secrets are equal, told in the same time wherever they differ."""
    return hmac.compare_digest(
        one.encode("utf-8", "surrogateescape"), other.encode("utf-8", "surrogateescape")
    )
