"""What finding came to: the products, or why there are none, and how it was decided."""

from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, Literal

from pipeline.retriever import Hit
from pipeline.searching.fusion import Candidate

Order = Literal["cheapest", "dearest"]


@dataclass(frozen=True, slots=True)
class NotCarried:
    """The kind asked for as the shopper said it; `nearest`: kinds that are sold, in the
    question's locale, the nearest first."""

    kind: str
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bounds:
    """A price asked for, both ends included unless `strict`. `currency` None: not said."""

    low: Decimal | None = None
    high: Decimal | None = None
    currency: str | None = None
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Understood:
    """What a question was read as.

    `identifiers` are as written, found or not. `kind` and `audience` are canonical, `said` the
    kind as the shopper said it. `without` are the things refused. `available`: only what can be
    had. `reference`: what it leans on. `unmet`: what was asked for and nothing has.
    """

    identifiers: tuple[str, ...] = ()
    intent: str | None = None
    kind: str | None = None
    said: str = ""
    audience: tuple[str, ...] = ()
    colors: tuple[str, ...] = ()
    bounds: Bounds | None = None
    order: Order | None = None
    without: tuple[str, ...] = ()
    available: bool = False
    reference: Literal["page", "conversation", "none"] = "none"
    unmet: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """How it was decided. `among`: how many products were left to choose from, None if all.

    `candidates` have each leg's score; none where nothing was searched. `winner`: why the first
    hit is first.
    """

    understood: Understood = field(default_factory=Understood)
    among: int | None = None
    candidates: tuple[Candidate, ...] = ()
    winner: str = ""

    def as_json(self) -> dict[str, Any]:
        """Plain values; amounts as text."""
        return asdict(self, dict_factory=_plain)


@dataclass(frozen=True, slots=True)
class Found:
    """`hits`: the products, the first is the one meant. `not_found`: identifiers, as written,
    that the shop does not have. `sku`: the variant meant. `unmet`: what was demanded and none of
    `hits` has, a canonical colour or as it was said."""

    hits: tuple[Hit, ...] = ()
    not_found: tuple[str, ...] = ()
    not_carried: NotCarried | None = None
    intent: str | None = None
    sku: str | None = None
    unmet: tuple[str, ...] = ()
    explain: Explanation = field(default_factory=Explanation)


def _plain(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: str(v) if isinstance(v, Decimal) else v for key, v in pairs}
