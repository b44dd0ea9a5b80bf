"""Whether a sentence of an answer claims what the record does not bear out.

When it cannot be told the claim counts as wrong: the record's sentence, which then takes its
place, is always right.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from catalog.product import Product
from pipeline.guarding.amounts import AmountReader
from pipeline.guarding.claim_patterns import Patterns
from pipeline.guarding.claim_words import ClaimWords, Mark, Status, any_of, compiled
from pipeline.guarding.claims import (
    ClauseReader,
    Said,
    amount_clauses,
    blank,
    marks,
    plain,
    without_leads,
)
from pipeline.guarding.live_record import Chosen, LiveRecord, bare
from pipeline.guarding.numerals import number

Kind = Literal["amount", "availability"]
_END = compiled(r"[。！？]|\n|[.!?]+[\"'”’)\]]*(?=\s)")
_COUNT = compiled(r"\d+|[零一二两三四五六七八九十百]+")
_OPPOSITE: Mapping[Status, Status] = {"in": "out", "out": "in"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a sentence claims, which of it is wrong, and where the first claim begins."""

    kinds: tuple[Kind, ...] = ()
    wrong: tuple[Kind, ...] = ()
    begins: int = 0


class Reader:
    """What is the same for every answer: the words of claims, made ready."""

    def __init__(self, words: ClaimWords) -> None:
        lists = words.lists
        self.words = words
        self.patterns = Patterns(words)
        self.amounts = AmountReader(words)
        self.clauses = ClauseReader(words)
        self.abbreviations = tuple(lists["abbreviations"])
        self.asks_price = compiled("|".join(lists["asks_price"]))
        self.asks_stock = compiled(any_of(lists["asks_stock"]))
        self.not_asking = compiled(any_of(lists["not_asking"]))
        self.has = {name: compiled(any_of(words.stock[name])) for name in ("in", "out")}
        yes, no = any_of(lists["yes"]), any_of(lists["no"])
        self.lead = compiled(rf"\s*(?:(?P<yes>{yes})|(?P<no>{no}))")


class Judge:
    """Judges the sentences of one answer."""

    def __init__(self, record: LiveRecord, reader: Reader) -> None:
        self._record = record
        self._reader = reader
        locale = record.question.locale
        self.join = reader.words.join[locale]
        self.gap = "" if locale == "zh" else " "

    def sentence_end(self, text: str) -> int | None:
        """Where the first sentence of `text` ends for certain; None if it may go on."""
        for match in _END.finditer(text):
            so_far = plain(text[: match.end()])
            if not so_far.endswith(self._reader.abbreviations):
                return int(match.end())
        return None

    def free(self, text: str, sent: int, *, first: bool) -> int:
        """How much of an unfinished sentence no claim is in; `sent` of it is known to be free."""
        folded = plain(text)
        place, at_once = self._lead(folded, first=first, partial=True)
        if at_once:
            return sent
        for at in range(max(place, sent), len(folded)):
            if self._mark_at(folded, at) is not None:
                return max(sent, len(folded[:at].rstrip()))
        return len(folded)

    def verdict(self, sentence: str, *, first: bool) -> Verdict:
        """What is wrong with a whole sentence."""
        folded = plain(sentence)
        place, lies = self._lead(folded, first=first, partial=False)
        found = self._marks(folded, place)
        if not lies and not found:
            return Verdict()
        begins = 0 if lies else found[0].start
        money, stock = self._money(folded, found), self._stock(folded, found)
        if lies:
            stock = [*stock, False]
        kinds: list[Kind] = []
        kinds += ["amount"] if money else []
        kinds += ["availability"] if stock else []
        if bare(sentence) in self._record.live_sentences:
            return Verdict(tuple(kinds), (), begins)
        right = {"amount": all(money), "availability": all(stock)}
        return Verdict(tuple(kinds), tuple(kind for kind in kinds if not right[kind]), begins)

    def record_sentence(self, kind: Kind, sentence: str) -> str:
        """What the record says instead."""
        named = self._record.named(plain(sentence))
        if not named:
            return self._reader.words.unknown[self._record.question.locale]
        return self._record.sentence(kind, named[0])

    def _mark_at(self, folded: str, place: int) -> Mark | None:
        return self._reader.patterns.at(
            folded, place, self._spellings, asks_price=self._asks_price, partial=True
        )

    def _marks(self, folded: str, place: int) -> list[Mark]:
        found = marks(folded, self._reader.patterns, self._spellings, asks_price=self._asks_price)
        return [mark for mark in found if mark.start >= place]

    def _lead(self, folded: str, *, first: bool, partial: bool) -> tuple[int, bool]:
        """Where the sentence goes on after a yes or no, and whether that is, or may be, wrong."""
        if not first or not self._truth:
            return 0, False
        match = self._reader.lead.match(folded, partial=partial)
        if match is None:
            return 0, False
        if match.partial:
            return 0, True
        return match.end(), match.lastgroup != self._truth

    @cached_property
    def _truth(self) -> str:
        """The right answer to a question for an option or stock: yes, no, neither; or empty."""
        question = self._reader.not_asking.sub(" ", plain(self._record.question.text))
        if not self._record.products or not self._asks_stock:
            return ""
        product = self._record.products[0]
        about_in, about_out = (bool(self._reader.has[s].search(question)) for s in ("in", "out"))
        if about_in and about_out and not self._record.asked(product):
            return ""
        has = self._record.stocked(product, "in", {})
        none = self._record.stocked(product, "out", {})
        if not has and not none:
            return "neither"
        return "yes" if has != (about_out and not about_in) else "no"

    @cached_property
    def _asks_stock(self) -> bool:
        question = plain(self._record.question.text)
        return self._reader.asks_stock.search(question) is not None

    @cached_property
    def _asks_price(self) -> bool:
        return self._reader.asks_price.search(plain(self._record.question.text)) is not None

    @cached_property
    def _spellings(self) -> tuple[str, ...]:
        return self._record.spellings()

    def _money(self, folded: str, found: Sequence[Mark]) -> list[bool]:
        """For each amount whether it is right."""
        money = [mark for mark in found if mark.is_money]
        clauses = amount_clauses(folded, money)
        right, before = [], ""
        for mark, clause in zip(money, clauses, strict=True):
            amount = self._reader.amounts.read(mark, folded)
            words = blank(clause, money)
            right.append(
                any(
                    self._record.cost(
                        product,
                        amount,
                        self._record.chosen(product, words) or self._record.chosen(product, before),
                    )
                    for product in self._record.named(folded)
                )
            )
            before = f"{before} {words}"
        return right

    def _stock(self, folded: str, found: Sequence[Mark]) -> list[bool]:
        """For each claim of availability whether it is right of every product it is about."""
        text = blank(folded, [mark for mark in found if mark.is_money])
        stock = without_leads(text, [mark for mark in found if not mark.is_money])
        if not stock:
            return []
        if not self._record.products:
            return [False for mark in stock if not mark.kind.startswith("offer")]
        told = bare(folded) in self._record.told_sentences
        return [
            right
            for product in self._record.named(folded)
            for right in self._claims(product, text, stock, told=told)
        ]

    def _claims(
        self, product: Product, text: str, stock: Sequence[Mark], *, told: bool
    ) -> list[bool]:
        subject: Chosen = {}
        right: list[bool] = []
        said = self._reader.clauses.stock(text, stock, lambda t: self._record.chosen(product, t))
        for claim in said:
            own = self._record.chosen(product, claim.around)
            subject = {} if claim.fresh else subject
            verdict = self._claim(product, claim, own, subject, told=told)
            subject = {**subject, **self._record.chosen(product, claim.before)}
            right += [] if verdict is None else [verdict]
        return right

    def _claim(
        self, product: Product, claim: Said, own: Chosen, subject: Chosen, *, told: bool
    ) -> bool | None:
        """Whether one claim is right; None if it is none after all."""
        clauses, kind, status = self._reader.clauses, claim.mark.kind, claim.mark.status
        if kind.startswith("offer") and (told or not own):
            strange = status == "in" and self._record.foreign_color(product, claim.after)
            return False if strange and not told else None
        if clauses.is_of_something_else(claim.before) and not own:
            return None
        if clauses.is_doubted(claim.before):
            return False
        chosen = {**subject, **own}
        if kind == "left":
            count = number(_COUNT.search(claim.mark.text).group())
            return count is not None and self._record.left(product, int(count), chosen)
        if clauses.is_denied(claim.before):
            if status not in _OPPOSITE:
                return False
            status = _OPPOSITE[status]
        every = status == "in" and clauses.is_of_all(claim)
        return self._record.stocked(product, status, chosen, all_of_them=every)
