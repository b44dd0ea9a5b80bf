"""A shop's own texts for what no record answers: returns, shipping, a person.

They are kept as written, by locale and by name, and take the place of the shipped ones.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from redis.asyncio import Redis
from redis.exceptions import RedisError

from catalog.keys import CatalogKeys, text
from catalog.product import LOCALES, Locale

log = logging.getLogger(__name__)

MAX_CHARACTERS = 2_000
"""Of one text: a shopper reads it in a small window."""

OwnTexts = Mapping[Locale, Mapping[str, str]]


class PolicyTextError(ValueError):
    """The text cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class PolicyText:
    """One text, by whom it was written and when (seconds since 1970)."""

    locale: Locale
    name: str
    text: str
    actor: str
    since: float


class PolicyStore:
    """One shop's texts, the same for every replica."""

    def __init__(self, redis: Redis, keys: CatalogKeys | None = None) -> None:
        self._redis = redis
        self._key = f"{(keys or CatalogKeys()).prefix}:policies"

    async def put(
        self, locale: Locale, name: str, written: str, *, actor: str, now: float | None = None
    ) -> PolicyText:
        """Answer with `written` from now on. Raises `PolicyTextError`."""
        said = written.strip()
        if not said:
            raise PolicyTextError("has nothing in it: delete it to answer with the shipped text")
        if len(said) > MAX_CHARACTERS:
            raise PolicyTextError(f"may have {MAX_CHARACTERS:,} characters, not {len(said):,}")
        since = time.time() if now is None else now
        value = json.dumps([said, actor, since], ensure_ascii=False)
        await self._redis.hset(self._key, f"{locale}:{name}", value)
        return PolicyText(locale, name, said, actor, since)

    async def delete(self, locale: Locale, name: str) -> bool:
        """Answer with the shipped text again; whether there was another."""
        return bool(await self._redis.hdel(self._key, f"{locale}:{name}"))

    async def all(self) -> tuple[PolicyText, ...]:
        """Every text that the shop wrote."""
        stored = await self._redis.hgetall(self._key)
        found = []
        for field, value in stored.items():
            locale, _, name = text(field).partition(":")
            said, actor, since = json.loads(text(value))
            found += [
                PolicyText(known, name, said, actor, since) for known in LOCALES if known == locale
            ]
        return tuple(sorted(found, key=lambda written: (written.locale, written.name)))

    async def follow(self, use: Callable[[OwnTexts], None], every_s: float = 0.5) -> None:
        """Hand the texts to `use` whenever they are others than before, until cancelled.

        They are written seldom and small, so they are simply looked at. Without Redis, the last
        ones stay in use.
        """
        known: tuple[PolicyText, ...] = ()
        while True:
            try:
                written = await self.all()
            except (RedisError, OSError, TimeoutError, ValueError) as error:
                log.info("the policies could not be read (%s): as they were", error)
            else:
                if written != known:
                    use(_by_locale(written))
                    known = written
            await asyncio.sleep(every_s)


def _by_locale(written: tuple[PolicyText, ...]) -> OwnTexts:
    return {
        locale: {text.name: text.text for text in written if text.locale == locale}
        for locale in LOCALES
    }
