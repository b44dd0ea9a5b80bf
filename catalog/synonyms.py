"""Words that mean the same in one shop, as its merchandisers write them down.

One group a line, its words separated by commas: `sofa, couch, settee`. A line that begins with #
is a note. Whoever writes last wins, since the whole text is sent each time.
"""

import asyncio
import json
import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from redis.asyncio import Redis
from redis.exceptions import RedisError

from catalog.keys import CatalogKeys, text

log = logging.getLogger(__name__)

MAX_CHARACTERS = 200_000
"""Of one shop's synonyms."""
MAX_WORDS = 32
"""Of one group: a question that has one is searched with all."""
_COMMAS = re.compile(r"[,，、]")

Groups = tuple[tuple[str, ...], ...]


class SynonymsError(ValueError):
    """The text cannot be used; the message says what would be right.

    `line` is the one at fault, None where the whole is.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Synonyms:
    """The text as it was written, by whom and when (seconds since 1970); and its groups."""

    text: str = ""
    actor: str = ""
    since: float = 0.0
    groups: Groups = ()


def parse(written: str) -> Groups:
    """The groups of `written`. Raises `SynonymsError`."""
    if len(written) > MAX_CHARACTERS:
        raise SynonymsError(f"at most {MAX_CHARACTERS:,} characters are kept, not {len(written):,}")
    lines = enumerate(written.splitlines(), start=1)
    found = ((number, line.strip()) for number, line in lines)
    return tuple(_group(number, line) for number, line in found if line and line[0] != "#")


def _group(number: int, line: str) -> tuple[str, ...]:
    words = tuple(dict.fromkeys(word.strip() for word in _COMMAS.split(line) if word.strip()))
    if len(words) < 2:
        raise SynonymsError(f"line {number} has one word: write those that mean the same", number)
    if len(words) > MAX_WORDS:
        raise SynonymsError(f"line {number} has {len(words)} words: {MAX_WORDS} at most", number)
    return words


class SynonymStore:
    """One shop's synonyms, the same for every replica."""

    def __init__(self, redis: Redis, keys: CatalogKeys | None = None) -> None:
        self._redis = redis
        self._key = f"{(keys or CatalogKeys()).prefix}:synonyms"

    async def put(self, written: str, *, actor: str, now: float | None = None) -> Synonyms:
        """Replace what was there. Raises `SynonymsError`."""
        groups = parse(written)
        since = time.time() if now is None else now
        await self._redis.set(self._key, json.dumps([written, actor, since], ensure_ascii=False))
        return Synonyms(written, actor, since, groups)

    async def get(self) -> Synonyms:
        """What was written last."""
        stored = await self._redis.get(self._key)
        if stored is None:
            return Synonyms()
        written, actor, since = json.loads(text(stored))
        return Synonyms(written, actor, since, parse(written))

    async def follow(self, use: Callable[[Groups], None], every_s: float = 0.5) -> None:
        """Hand the groups to `use` whenever they are others than before, until cancelled.

        A text is written seldom and is small, so it is simply looked at. Without Redis, the last
        one stays in use.
        """
        known: Groups = ()
        while True:
            try:
                groups = (await self.get()).groups
            except (RedisError, OSError, TimeoutError, ValueError) as error:
                log.info("the synonyms could not be read (%s): as they were", error)
            else:
                if groups != known:
                    use(groups)
                    known = groups
            await asyncio.sleep(every_s)
