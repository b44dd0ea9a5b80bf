"""Kinds that are asked for and not sold, and what is told of them."""

from collections.abc import Sequence
from typing import Protocol

from pipeline.explaining import EXPLAINED, understood
from pipeline.found import Explanation, Found, NotCarried
from pipeline.retriever import Retriever
from pipeline.searching.fusion import Candidate
from pipeline.types import Question
from pipeline.understanding.reading import Reading
from pipeline.understanding.shop_index import ShopIndex

_NEAREST = 3
"""Kinds that are named in place of one that is not sold."""


class Judge(Protocol):
    """The last judgement whether the shop sells what is asked for, by words and scores."""

    def unsold(self, text: str, candidates: Sequence[Candidate]) -> str | None:
        """What is asked for and not sold, as the shopper said it; None if it may be sold."""
        ...

    def on(self, retriever: Retriever) -> "Judge":
        """The same judgement, of what another retriever finds."""
        ...

    def unsold_sort(self, text: str, kind: str, candidates: Sequence[Candidate]) -> str | None:
        """What is asked for, if it is a sort of a kind that is sold, and itself is not."""
        ...


class UnsoldKinds:
    """Tells what the shop does not sell: by vocabulary, else by the last judgement."""

    def __init__(self, index: ShopIndex, judge: Judge | None) -> None:
        self._index, self._judge = index, judge

    def asks(self, reading: Reading) -> bool:
        """Whether a kind is asked for that is known and not sold. A fact may be asked of a product
        whose texts leave its kind out: only who asks for things is told that there are none."""
        asks = reading.sells or reading.listing or reading.filters or "price" in reading.topics
        if not asks and (reading.refers or not reading.short):
            return False
        return reading.kind is not None and not self._index.profiles.carries(reading.kind)

    def judged(
        self,
        question: Question,
        reading: Reading,
        likest: tuple[Candidate, ...],
    ) -> str | None:
        """What is not sold, by the last judgement; a kind that is known was judged by itself."""
        if self._judge is None:
            return None
        if reading.kind is not None:
            return self._judge.unsold_sort(question.text, reading.said, likest)
        return self._judge.unsold(question.text, likest)

    def told(
        self,
        question: Question,
        reading: Reading,
        kind: str,
        candidates: tuple[Candidate, ...],
    ) -> Found:
        """That `kind` is not sold, and which kinds near it are."""
        profiles = self._index.profiles
        kinds, sold = profiles.profiler.kinds, profiles.sold()
        near = [k for k in kinds.siblings(reading.kind or "") if k in sold]
        for candidate in candidates:
            profile = profiles.get(candidate.product_id)
            near += sorted(profile.own) if profile is not None else ()
        nearest = [kinds.say(k, question.locale) for k in dict.fromkeys(near)][:_NEAREST]
        explain = Explanation(understood(reading), None, candidates[:EXPLAINED], "not sold")
        return Found(not_carried=NotCarried(kind, tuple(nearest)), explain=explain)
