"""Which products a question is about, and what it asks of them: all that precedes the prompt.

read -> identifiers, or an intent -> what it leans on -> which products will do -> if that is not
enough: encode -> search -> select.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from catalog.product import Product
from pipeline.encoder import normalise
from pipeline.explaining import EXPLAINED, understood
from pipeline.facts.fitting import FactFinder
from pipeline.facts.options import Lexicons
from pipeline.found import Explanation, Found
from pipeline.lexicon.brands import Brands
from pipeline.lexicon.cues import every, load_cues
from pipeline.lexicon.kinds import Kinds
from pipeline.lexicon.words import terms
from pipeline.records import Records
from pipeline.retriever import Hit, Retriever
from pipeline.searching.fusion import Candidate
from pipeline.timing import StageTimings
from pipeline.types import Question, Turn, Why
from pipeline.understanding.filters import Filters, Narrowed
from pipeline.understanding.followup import Focus, FollowUps
from pipeline.understanding.naming import names
from pipeline.understanding.preferences import Preferences
from pipeline.understanding.profiler import Profiler
from pipeline.understanding.reading import Reading
from pipeline.understanding.shop_index import ShopIndex
from pipeline.understanding.understand import Understander
from pipeline.understanding.unsold import Judge, UnsoldKinds
from pipeline.understanding.variants import VariantReader

_DEPTH = 200
"""How many of the most relevant are compared by price, where no kind or word narrows."""
_POINTED = re.compile(r"\b(?:the|this|that|these|those)((?: [\w'-]+){1,3})")
"""Words after an article that points at one thing: "the blue jacket"."""


class Named(Protocol):
    """An intent: what a turn wants that is not about a product."""

    @property
    def name(self) -> str:
        """As in `Found.intent`."""
        ...

    @property
    def record_first(self) -> bool:
        """Whether a product's record may answer it."""
        ...


class Intents(Protocol):
    """Reads intents."""

    def read(self, text: str) -> Named | None:
        """The intent of `text`; None if it is about products."""
        ...


class Finder:
    """Finds what a question is about; holds no state of any of them. One event loop."""

    def __init__(
        self,
        records: Records,
        retriever: Retriever,
        index: ShopIndex,
        understander: Understander,
        facts: FactFinder,
        *,
        intents: Intents | None = None,
        judge: Judge | None = None,
        products: int = 3,
    ) -> None:
        self._records, self._retriever, self._index = records, retriever, index
        self._understander, self._facts, self._judge = understander, facts, judge
        self._variants = VariantReader(facts.options)
        self._filters = Filters(records, facts.options)
        self._followups = FollowUps(records, facts.options)
        self._preferences = Preferences(index, self._filters)
        self._unsold_kinds = UnsoldKinds(index, judge)
        self._intents = intents
        self._products = products

    @classmethod
    def load(
        cls,
        templates: Path,
        records: Records,
        retriever: Retriever,
        lexicons: Lexicons,
        *,
        intents: Intents | None = None,
        judge: Judge | None = None,
        products: int = 3,
    ) -> "Finder":
        """With the words in `templates`; `rebuild` it once the records are filled.

        Raises `OSError`, `KeyError` or `ValueError`.
        """
        facts, cues, words = FactFinder(lexicons), load_cues(templates), tuple(lexicons.values())
        kinds = Kinds.load(templates)
        profiler = Profiler(kinds, facts.options, cues, words)
        models = every(cues, "identifier", "soft")
        index = ShopIndex(records, profiler, models)
        brands = Brands.load(templates)
        reader = Understander(cues, kinds, facts.options, words, profiler, brands)
        return cls(
            records, retriever, index, reader, facts,
            intents=intents, judge=judge, products=products,
        )  # fmt: skip

    async def rebuild(self) -> None:
        """Read the records afresh, beside the event loop; later changes are followed."""
        await self._index.rebuild()

    def fork(
        self,
        records: Records,
        retriever: Retriever,
        changed: Sequence[Product] = (),
        removed: Sequence[str] = (),
    ) -> "Finder":
        """One that finds as this one does now, in forks of the records and of the retriever that
        have `changed` and not `removed`."""
        index = self._index.fork(records)
        index.change(changed, removed)
        return Finder(
            records, retriever, index, self._understander, self._facts, intents=self._intents,
            judge=None if self._judge is None else self._judge.on(retriever),
            products=self._products,
        )  # fmt: skip

    async def find(self, question: Question, turns: Sequence[Turn], timings: StageTimings) -> Found:
        """What `question` is about after `turns`; ends the stages encode and search if they ran."""
        reading = self._understander.read(question.text, self._index)
        found = await self._read(question, turns, reading, timings)
        product = self._records.get(found.hits[0].product_id) if found.hits else None
        if product is None or found.sku is not None:
            return found
        return replace(found, sku=self._variants.meant(reading, question, turns, product))

    async def _read(
        self, question: Question, turns: Sequence[Turn], reading: Reading, timings: StageTimings
    ) -> Found:
        if (found := self._identified(reading)) is not None:
            return found
        intent = self._intents.read(question.text) if self._intents is not None else None
        if intent is None:
            return await self._sought(question, turns, reading, timings)
        if intent.record_first:
            found = await self._sought(question, turns, reading, timings)
            if found.hits and self._is_about(question, found.hits[0]):
                return replace(found, intent=intent.name)
        explain = Explanation(replace(understood(reading), intent=intent.name), winner="intent")
        return Found(intent=intent.name, explain=explain)

    async def _sought(
        self, question: Question, turns: Sequence[Turn], reading: Reading, timings: StageTimings
    ) -> Found:
        """The products that the reading leans on, or that will do."""
        profiles = self._index.profiles
        focus = self._followups.focus(
            reading, profiles, question.product_id, turns, question.locale
        )
        if focus.products:
            return self._leaning(reading, focus)
        unsold = focus.within is None and self._unsold_kinds.asks(reading)
        if unsold and not self._retriever.has_synonym(question.text):
            return await self._unsold(question, reading, timings)
        within = focus.within
        if within is None and reading.kind and (turns or question.product_id):
            within = profiles.of_kind(reading.kind) or None
        narrowed = self._filters.narrow(reading, profiles, question.locale, within, focus.beyond)
        if narrowed.unmet and focus.wider is not None:
            wider = self._filters.narrow(reading, profiles, question.locale, focus.wider)
            narrowed = wider if len(wider.unmet) < len(narrowed.unmet) else narrowed
        if decided := self._decided(reading, narrowed):
            return self._found(reading, focus, narrowed, decided, "price")
        return await self._searched(question, reading, focus, narrowed, timings)

    def _identified(self, reading: Reading) -> Found | None:
        """By identifiers alone."""
        missing = tuple(i.written for i in reading.identifiers if i.product_id is None)
        known = [i for i in reading.identifiers if i.product_id is not None]
        if not known and not missing:
            return None
        if not known and self._intents is not None and self._intents.read(reading.text):
            return None
        ids = dict.fromkeys(i.product_id for i in known if i.product_id is not None)
        hits = tuple(Hit(id_, "identifier") for id_ in ids if self._records.get(id_) is not None)
        sku = known[0].sku if known else None
        why = "identifier" if hits else "no such identifier"
        return Found(hits, missing, sku=sku, explain=Explanation(understood(reading), winner=why))

    def _is_about(self, question: Question, hit: Hit) -> bool:
        """Whether the question is about this product, not only likest to it."""
        product = self._records.get(hit.product_id)
        if hit.why != "search" or product is None:
            return product is not None
        if names(question.text, product):
            return True
        spans = _POINTED.findall(normalise(question.text))
        pointed = {term for span in spans for term in terms(span)}
        titles = (text.title for text in product.texts.values())
        return any(self._understander.telling(title) & pointed for title in titles)

    def _leaning(self, reading: Reading, focus: Focus) -> Found:
        """The page's product, or the conversation's."""
        why: Why = "page" if focus.reference == "page" else "conversation"
        hits = tuple(Hit(id_, why) for id_ in focus.products[: self._products])
        explain = Explanation(understood(reading, focus), winner=f"the {why}'s product")
        return Found(hits, explain=explain)

    def _decided(self, reading: Reading, narrowed: Narrowed) -> tuple[Hit, ...]:
        """What needs no relevance: an order by price, or one product left of what was demanded."""
        if narrowed.ranked:
            return tuple(Hit(id_, "search") for id_ in narrowed.ranked[: self._products])
        if reading.filters and narrowed.ids is not None and len(narrowed.ids) == 1:
            return tuple(Hit(id_, "search") for id_ in narrowed.ids)
        return ()

    async def _searched(
        self,
        question: Question,
        reading: Reading,
        focus: Focus,
        narrowed: Narrowed,
        timings: StageTimings,
    ) -> Found:
        """By meaning and words, among those that will do."""
        candidates = await self._candidates(question, narrowed.ids, timings, reading)
        likest = candidates
        if narrowed.ids is not None and not reading.filters:
            likest = await self._candidates(question, None, timings, reading, _DEPTH)
        judging = focus.within is None and not reading.filters
        kind = self._unsold_kinds.judged(question, reading, likest) if judging else None
        if kind is not None:
            timings.mark("search")
            return self._unsold_kinds.told(question, reading, kind, likest)
        if focus.within is None and not reading.filters:
            candidates = self._preferences.order(reading, candidates, likest)
        scores = {candidate.product_id: candidate for candidate in candidates}
        ids = tuple(scores)
        if narrowed.ids is None and (reading.filters or narrowed.many is not None):
            narrowed, ids = self._late(question, reading, focus, narrowed, ids)
        preferred = [id_ for id_ in focus.prefer if narrowed.ids is None or id_ in narrowed.ids]
        ids = tuple(dict.fromkeys((*preferred, *ids)))[: self._products]
        hits = tuple(
            Hit(id_, "search", scores[id_].dense if id_ in scores else None) for id_ in ids
        )
        timings.mark("search")
        found = self._found(reading, focus, narrowed, hits, "relevance")
        explain = replace(found.explain, candidates=candidates[:EXPLAINED])
        return replace(found, explain=explain)

    def _late(
        self,
        question: Question,
        reading: Reading,
        focus: Focus,
        narrowed: Narrowed,
        ids: tuple[str, ...],
    ) -> tuple[Narrowed, tuple[str, ...]]:
        """Narrow the most relevant ones, where all that could do were too many to look at."""
        profiles, many = self._index.profiles, narrowed.many
        known = [id_ for id_ in ids if profiles.get(id_) is not None]
        within = [id_ for id_ in known if many is None or id_ in many] or known
        after = self._filters.narrow(
            reading, profiles, question.locale, frozenset(within), focus.beyond
        )
        kept = after.ranked or tuple(id_ for id_ in ids if after.ids is None or id_ in after.ids)
        return after, kept

    async def _candidates(
        self,
        question: Question,
        among: Collection[str] | None,
        timings: StageTimings,
        reading: Reading,
        least: int = EXPLAINED,
    ) -> tuple[Candidate, ...]:
        vector = await self._retriever.encode(question.text)
        timings.mark("encode")
        wishes = reading.filters or reading.kind or reading.colors or reading.audience
        deep = among is None and wishes
        depth = _DEPTH if deep else max(self._products, least)
        return self._retriever.candidates(question.text, vector, depth, among)

    def _found(
        self,
        reading: Reading,
        focus: Focus,
        narrowed: Narrowed,
        hits: tuple[Hit, ...],
        winner: str,
    ) -> Found:
        among = None if narrowed.ids is None else len(narrowed.ids)
        what = replace(understood(reading, focus), unmet=narrowed.unmet)
        explain = Explanation(what, among, (), winner)
        return Found(hits, unmet=narrowed.unmet, explain=explain)

    async def _unsold(self, question: Question, reading: Reading, timings: StageTimings) -> Found:
        """A kind that is known and not sold; the nearest are its own sort, else the likest."""
        kinds, sold = self._index.profiles.profiler.kinds, self._index.profiles.sold()
        if any(kind in sold for kind in kinds.siblings(reading.kind or "")):
            return self._unsold_kinds.told(question, reading, reading.said, ())
        candidates = await self._candidates(question, None, timings, reading)
        timings.mark("search")
        return self._unsold_kinds.told(question, reading, reading.said, candidates)
