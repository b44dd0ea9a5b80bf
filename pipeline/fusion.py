"""Two legs made one: what a product means (dense) and which words it shares (lexical).

Ranks throw away how sure a leg is, so scores are fused: each leg is scaled for the question at
hand, the best at 1, and weighted by the question's script.
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
    """`latin` and `han`: the lexical leg's share, by script. `depth`: how far each leg looks."""

    latin: float = 0.3
    han: float = 0.3
    depth: int = 100


def fuse(
    dense: Mapping[str, float], lexical: Mapping[str, float], share: float
) -> tuple[Candidate, ...]:
    """Every product of either leg, best first; `share`, 0 to 1, is the lexical leg's."""
    best, worst = max(dense.values(), default=0.0), min(dense.values(), default=0.0)
    spread = (best - worst) or 1.0
    most = max(lexical.values(), default=0.0) or 1.0
    found = []
    for id_ in {**dense, **lexical}:
        meaning, words = dense.get(id_), lexical.get(id_)
        score = 0.0 if meaning is None else (1 - share) * (meaning - worst) / spread
        score += 0.0 if words is None else share * words / most
        found.append(Candidate(id_, score, meaning, words))
    return tuple(sorted(found, key=lambda candidate: -candidate.score))
