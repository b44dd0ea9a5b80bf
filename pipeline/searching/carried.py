"""Whether the shop sells what is asked for, judged last: by how near the best products are.

It is for the kinds that no vocabulary knows (`pipeline/lexicon/kinds.py`). Only a question that
asks for a kind of thing is judged ("do you sell angle irons", "angle irons"): one that asks
something of a thing ("does it rust?") is far from every text, and says nothing of what the shop
sells.
"""

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

from pipeline.lexicon.analysis import has_han
from pipeline.lexicon.cues import Cues, alternatives, every, has_any, phrases
from pipeline.lexicon.words import fold, framed
from pipeline.retriever import Retriever
from pipeline.searching.fusion import Candidate

_BEST = 3
"""Products whose texts are looked at."""
_SORT = 3
"""Words before a kind that may tell its sort."""
_LONGEST = 10
"""Words in a question that only names a thing."""


@dataclass(frozen=True, slots=True)
class CarriedConfig:
    """`near`, `far`: mean cosines of the encoders as shipped (`embedding_models.DEFAULT_ENCODER`).

    Measured on shop queries, asked of their own shop and of another: a product that fits is nearer
    than `far`, nearly always. With other encoders, 0 for both leaves the judgement to the words.
    `share`, `least`: what the best products' texts have of the words at least, Latin and Chinese.
    """

    near: float = 0.8
    far: float = 0.72
    sort: float = 0.75
    share: float = 0.6
    least: float = 0.05


class Carried:
    """Judges questions after their search."""

    def __init__(
        self, retriever: Retriever, cues: Sequence[Cues], config: CarriedConfig | None = None
    ) -> None:
        self._retriever = retriever
        self._config = config or CarriedConfig()
        self._sell = phrases(every(cues, "sell"))
        self._reference = phrases(every(cues, "reference"))
        self._relative = re.compile(alternatives(every(cues, "relative")))

    def on(self, retriever: Retriever) -> "Carried":
        """The same judgement, of what another retriever finds."""
        fork = copy(self)
        fork._retriever = retriever
        return fork

    def unsold(self, text: str, candidates: Sequence[Candidate]) -> str | None:
        """What is asked for and not sold, as the shopper said it; None if it may be sold."""
        if not candidates or not self._asks_for_a_kind(text):
            return None
        if self._retriever.has_synonym(text):
            return None  # it goes by another name here
        dense = max((c.dense for c in candidates if c.dense is not None), default=0.0)
        found = self._retriever.coverage(text, [c.product_id for c in candidates[:_BEST]])
        config = self._config
        if has_han(text):
            return text.strip() if found.share < config.least else None
        if not found.latin or any(character.isdigit() for character in text.rsplit(maxsplit=1)[-1]):
            return None  # compared with texts in another language, or a number, not a kind
        if dense < config.near and not found.head:
            return text.strip()
        if dense < config.far and found.share < config.share:
            return text.strip()
        return None

    def unsold_sort(self, text: str, kind: str, candidates: Sequence[Candidate]) -> str | None:
        """What is asked for, if it is a sort of `kind` (as the shopper said it) that is named by a
        word before it, as in "drywall knives", which no product of the shop has."""
        before, named, _ = fold(text).partition(fold(kind))
        dense = max((c.dense for c in candidates if c.dense is not None), default=0.0)
        if not named or has_han(text) or dense >= self._config.sort:
            return None
        if not self._asks_for_a_kind(text):
            return None
        words = before.split()
        near = " ".join(words[-_SORT:])
        return text.strip() if near and self._retriever.strangers(near) else None

    def _asks_for_a_kind(self, text: str) -> bool:
        asked = framed(self._relative.sub(" ", fold(text)))
        if has_any(asked, self._reference):
            return False
        words = fold(text).split()
        if has_any(asked, self._sell):
            return len(words) <= _LONGEST + 2
        telling = self._retriever.telling(text)
        return len(words) <= _LONGEST and (
            has_han(text) or 3 * telling >= 2 * len(words) or len(words) <= telling + 1
        )
