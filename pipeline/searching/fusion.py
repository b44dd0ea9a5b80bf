"""Two legs made one: what a product means (dense) and which words it shares (lexical).

Ranks throw away how sure a leg is, so scores are fused: each leg is scaled for the question at
hand, the best at 1, and weighted. Where even the best product shares few of the question's words,
sharing them says little: then the lexical leg is scaled by what all of them would score.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """A product with its fused score, 0 to 1, and each leg's own: a mean cosine, and BM25.

    A leg is None where the product is not among its best.
    """

    product_id: str
    score: float
    dense: float | None
    lexical: float | None


@dataclass(frozen=True, slots=True)
class FusionConfig:
    """`lexical`: that leg's share. `depth`: how far each leg looks. `sure`: the part of the words,
    by what they weigh, that the best product has to have for the full share to count."""

    lexical: float = 0.5
    depth: int = 100
    sure: float = 0.5


def fuse(
    dense: Mapping[str, float], lexical: Mapping[str, float], share: float, least: float = 0.0
) -> tuple[Candidate, ...]:
    """Every product of either leg, best first; `share`, 0 to 1, is the lexical leg's.

    `least` is the lexical score that is worth all of the share.
    """
    best, worst = max(dense.values(), default=0.0), min(dense.values(), default=0.0)
    spread = (best - worst) or 1.0
    most = max(least, *lexical.values(), 0.0) or 1.0
    found = []
    for id_ in {**dense, **lexical}:
        meaning, words = dense.get(id_), lexical.get(id_)
        score = 0.0 if meaning is None else (1 - share) * (meaning - worst) / spread
        score += 0.0 if words is None else share * words / most
        found.append(Candidate(id_, score, meaning, words))
    return tuple(sorted(found, key=lambda candidate: -candidate.score))
