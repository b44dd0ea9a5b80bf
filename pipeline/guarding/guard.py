"""The guard: no price and no availability reaches a shopper that the record does not bear out.

A sentence with a claim is held back from where the claim begins until the sentence ends, and
checked; if it is wrong the record's own sentence takes its place. All other text passes at once:
what is held is only an end of the text that may still become a claim.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from catalog.product import LOCALES, Locale
from pipeline.facts.fitting import FactFinder
from pipeline.guarding.claim_words import ClaimWords
from pipeline.guarding.judge import Judge, Kind, Reader
from pipeline.guarding.live_record import LiveRecord, bare
from pipeline.lexicon.sentences import sentences
from pipeline.lexicon.words import Words
from pipeline.prompting.rendering import TEMPLATES, Renderer, renderers
from pipeline.types import Question, Source

Outcome = Literal["replaced", "passed"]
Count = Callable[[Kind, Outcome], None]


def _uncounted(kind: Kind, outcome: Outcome) -> None:
    """For those who do not count."""


class Guards:
    """Makes a guard for each answer. `count` is told of every sentence with a claim in it.

    Raises `OSError`, `KeyError` or `ValueError` if the templates are broken.
    """

    def __init__(self, count: Count = _uncounted, templates: Path = TEMPLATES) -> None:
        self._count = count
        self._finder, self._renderers, self._reader = _language(templates)

    def watch(self, question: Question, sources: Sequence[Source]) -> "Guard":
        """A guard for one answer to `question` from the records in `sources`, as prompted."""
        products = {source.product.id: source.product for source in sources}
        first = sorted(products.values(), key=lambda product: product.id != question.product_id)
        record = LiveRecord(question, tuple(first), self._finder, self._renderers[question.locale])
        return Guard(Judge(record, self._reader), self._count)


@lru_cache(maxsize=4)
def _language(templates: Path) -> tuple[FactFinder, dict[Locale, Renderer], Reader]:
    lexicons = {locale: Words.load(templates, locale) for locale in LOCALES}
    finder = FactFinder(lexicons)
    made = renderers(lexicons, finder.options, templates, transcript=False)
    return finder, made, Reader(ClaimWords.load(templates, lexicons))


class Guard:
    """One answer's. Give it every piece, send what it gives back, and at the end what is left."""

    def __init__(self, judge: Judge, count: Count = _uncounted) -> None:
        self._judge = judge
        self._count = count
        self._sentence = ""
        self._sent = 0
        """How much of the sentence has been given back."""
        self._told: set[str] = set()
        """The record's sentences that took the place of others."""
        self._first = True

    def feed(self, piece: str) -> str:
        """What may be sent now; empty if it must be seen what follows."""
        self._sentence += piece
        given = "".join(self._whole_sentences())
        return given + self._safe_beginning()

    def end(self) -> str:
        """The rest, when the answer has ended."""
        given = "".join(self._whole_sentences())
        return given + (self._close(len(self._sentence)) if self._sentence else "")

    def _whole_sentences(self) -> Iterator[str]:
        while (end := self._judge.sentence_end(self._sentence)) is not None:
            yield self._close(end)

    def _safe_beginning(self) -> str:
        if self._told:
            return ""
        start, self._sent = (
            self._sent,
            max(self._sent, self._judge.free(self._sentence, self._sent, first=self._first)),
        )
        return self._sentence[start : self._sent]

    def _close(self, end: int) -> str:
        """What is said instead of the sentence that ends at `end`, or the rest of it."""
        sentence, sent = self._sentence[:end], self._sent
        self._sentence, self._sent = self._sentence[end:], 0
        verdict = self._judge.verdict(sentence, first=self._first)
        self._first = self._first and not sentence.strip()
        for kind in verdict.kinds:
            self._count(kind, "replaced" if kind in verdict.wrong else "passed")
        if not verdict.wrong:
            return "" if bare(sentence) in self._told else sentence[sent:]
        begun = sentence[: verdict.begins] if not self._told else ""
        return begun[sent:] + self._instead(begun, sentence, verdict.wrong)

    def _instead(self, begun: str, sentence: str, wrong: Sequence[Kind]) -> str:
        """The record's sentences, after `begun`, which has been sent; each is told once."""
        told = [self._judge.record_sentence(kind, sentence) for kind in dict.fromkeys(wrong)]
        new = [text for text in dict.fromkeys(told) if bare(text) not in self._told]
        self._told |= {bare(part) for text in new for part in (text, *sentences(text))}
        if not new:
            return ""
        text = self._judge.gap.join(new)
        start = begun.lstrip()
        if start and text.casefold().startswith(start.casefold()):
            return text[len(start) :]
        if not start:
            blank = sentence[: len(sentence) - len(sentence.lstrip())]
            return (blank if not begun else "") + text
        join = self._judge.join
        return (join.lstrip() if begun[-1].isspace() else join) + text


def passed(pieces: Sequence[str], guard: Guard) -> str:
    """All that a guard lets through of an answer that comes in these pieces."""
    return "".join(map(guard.feed, pieces)) + guard.end()
