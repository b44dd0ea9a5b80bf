"""Saved questions: what a shop wants answered well, looked at again before a file is imported.

Somebody who may edit the catalogue saves each one; what shoppers ask is never kept here by itself.
"""

import hashlib
import json
import time
import unicodedata
from dataclasses import dataclass
from typing import cast

from redis.asyncio import Redis

from catalog.keys import CatalogKeys, text
from catalog.product import LOCALES, Locale

MAX_CHARACTERS = 500
"""Of one question."""
MAX_QUESTIONS = 500
"""Of one shop: each is looked at twice whenever a file is previewed."""


@dataclass(frozen=True, slots=True)
class SavedQuestion:
    """A question, on the page of `sku` (a SKU or a product id) if that is given.

    `locale` is the language to answer in, None for the question's own. `since` is in seconds
    since 1970.
    """

    id: str
    text: str
    sku: str | None
    locale: Locale | None
    actor: str
    since: float


class QuestionError(ValueError):
    """It cannot be saved; the message says what would be right."""


class TooManyQuestionsError(Exception):
    """As many as may be are saved already."""


class SavedQuestions:
    """Questions by id, the same for every replica. Saving one twice is saving it once."""

    def __init__(
        self, redis: Redis, keys: CatalogKeys | None = None, limit: int = MAX_QUESTIONS
    ) -> None:
        self._redis, self._limit = redis, limit
        self._key = f"{(keys or CatalogKeys()).prefix}:questions"

    async def save(
        self,
        question: str,
        *,
        actor: str,
        sku: str | None = None,
        locale: Locale | None = None,
        now: float | None = None,
    ) -> tuple[SavedQuestion, bool]:
        """The question as it is saved, and whether it is new; one that was there stays as it was.

        Raises `QuestionError` or `TooManyQuestionsError`.
        """
        said = cleaned(question)
        if locale is not None and locale not in LOCALES:
            raise QuestionError(f"the language is one of {', '.join(LOCALES)}, not {locale!r}")
        since = time.time() if now is None else now
        made = SavedQuestion(question_id(said, sku, locale), said, sku, locale, actor, since)
        record = json.dumps([said, sku, locale, actor, since], ensure_ascii=False)
        async with self._redis.pipeline(transaction=True) as step:
            step.hsetnx(self._key, made.id, record)
            step.hlen(self._key)
            step.hget(self._key, made.id)
            new, count, kept = await step.execute()
        if new and count > self._limit:
            await self._redis.hdel(self._key, made.id)
            raise TooManyQuestionsError(
                f"{self._limit} questions are saved, and no more can be: delete one first"
            )
        return _question(made.id, text(kept)), bool(new)

    async def delete(self, id_: str) -> bool:
        """Whether there was one to delete."""
        return await self._redis.hdel(self._key, id_) > 0

    async def all(self) -> list[SavedQuestion]:
        """Every one, in the order in which they were saved."""
        stored = await self._redis.hgetall(self._key)
        found = (_question(text(i), text(record)) for i, record in dict(stored).items())
        return sorted(found, key=lambda question: (question.since, question.id))


def cleaned(question: str) -> str:
    """The question on one line, without control characters. Raises `QuestionError`."""
    seen = (" " if unicodedata.category(char) in ("Cc", "Cs") else char for char in question)
    said = " ".join("".join(seen).split())
    if not any(char.isprintable() and not char.isspace() for char in said):
        raise QuestionError("the question is blank: write one")
    if len(said) > MAX_CHARACTERS:
        raise QuestionError(
            f"the question has {len(said):,} characters: at most {MAX_CHARACTERS} can be saved"
        )
    return said


def question_id(question: str, sku: str | None, locale: Locale | None) -> str:
    """The same for questions that differ in width, case and blanks only."""
    folded = " ".join(unicodedata.normalize("NFKC", question).casefold().split())
    told = json.dumps([folded, sku, locale]).encode()
    return hashlib.sha256(told).hexdigest()[:16]


def _question(id_: str, record: str) -> SavedQuestion:
    said, sku, locale, actor, since = json.loads(record)
    return SavedQuestion(id_, said, sku, cast(Locale | None, locale), actor, since)
