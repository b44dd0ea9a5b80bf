"""Which of the products that are like a question come first: kind and looks asked for."""

from pipeline.searching.fusion import Candidate
from pipeline.understanding.filters import Filters
from pipeline.understanding.reading import Reading
from pipeline.understanding.shop_index import ShopIndex

_HEAD, _KIND, _LOOKS, _MISFIT = 0.7, 0.03, 0.05, 0.2
"""What being of the kind or looking as asked adds to a score of at most 1, and what is taken from
what the shop says is for others or of another colour."""


class Preferences:
    """Orders candidates by what products are, which scores alone do not tell."""

    def __init__(self, index: ShopIndex, filters: Filters) -> None:
        self._index, self._filters = index, filters

    def order(
        self,
        reading: Reading,
        candidates: tuple[Candidate, ...],
        likest: tuple[Candidate, ...],
    ) -> tuple[Candidate, ...]:
        """`candidates` alone, which are as asked, if that is a demand; else the `likest`, the
        fitting ones first."""
        ranked = self._fitting_first(reading, candidates, likest)
        fits = ranked[:1] and ranked[0].product_id in {c.product_id for c in candidates}
        plain = not (reading.colors or reading.audience or reading.terms)
        return candidates if (fits or plain) and self._is_all(reading) else ranked

    def _fitting_first(
        self,
        reading: Reading,
        candidates: tuple[Candidate, ...],
        likest: tuple[Candidate, ...],
    ) -> tuple[Candidate, ...]:
        """The likest, those of the kind and with the looks asked for before others that are about
        as like. Neither is a demand: a record may leave them out."""
        known = {candidate.product_id for candidate in likest}
        ranked = sorted(likest, key=lambda c: -c.score - self._worth(reading, c.product_id))
        return (*ranked, *(c for c in candidates if c.product_id not in known))

    def _is_all(self, reading: Reading) -> bool:
        """Whether kind, looks and brand are all that is asked for: then they are a demand,
        if what is likest satisfies it."""
        profiles = self._index.profiles
        if reading.kind is None or not profiles.of_kind(reading.kind):
            return False
        return not any(t not in reading.brands and profiles.knows(t) for t in reading.terms)

    def _worth(self, reading: Reading, id_: str) -> float:
        """What being of the kind and looking as asked add to a product's score."""
        profile = self._index.profiles.get(id_)
        if profile is None or reading.kind is None:
            return 0.0
        kind = _HEAD if reading.headed else _KIND
        worth = kind * (reading.kind in profile.kinds or reading.kind in profile.mentioned)
        if reading.audience and profile.audience:
            worth += _LOOKS if profile.audience & reading.audience else -_MISFIT
        for color in reading.colors:
            if self._filters.comes_in(profile, color):
                worth += _LOOKS
            elif profile.sure:
                worth -= _MISFIT
        return worth
