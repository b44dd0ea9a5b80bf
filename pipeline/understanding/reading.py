"""What a question says, taken apart: the result of `pipeline/understanding/understand.py`."""

from dataclasses import dataclass

from pipeline.understanding.bounds import PriceWish
from pipeline.understanding.identifiers import Identifier
from pipeline.understanding.profiler import Audience


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something refused: as said, and by what it is known.

    `kind`: of "no black shoes", where shoes are wanted, but not in black.
    """

    said: str
    colors: frozenset[str]
    kinds: frozenset[str]
    terms: frozenset[str]
    kind: str | None = None
    brands: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reading:
    """A question taken apart.

    `text` is all of it and `rest` without prices, refusals and identifiers, both folded. `kind` is
    what it is about and `kinds` all that it names; `said` is the kind in the shopper's words.
    `terms` are the telling words besides, `brands` those of brands. `short`: a few words, as one
    types into a search field. `listing`: it asks which there are. `sells`: whether there is such a
    thing; `trades`: whether it is sold; `turns`: "what about". `refers`: it points at something
    known (`definite`: by "the", "that"; `points`: at other than the kind). `fits`: it asks what
    goes with what; `than`: it compares. `place`: of "the second one", from 0; -1 is the last.
    `headed`: it names the kind first and then what it is for, in or like.
    `other_one`: it means the one of two that the last turn was not about; `comparative`: a bigger
    one; `goes_with`: what belongs to the thing talked about.
    `about_options`: it asks for colours or sizes. `shades`: exact colours, as `framed`.
    """

    text: str
    rest: str
    identifiers: tuple[Identifier, ...]
    price: PriceWish
    refusals: tuple[Refusal, ...]
    kind: str | None
    kinds: tuple[str, ...]
    said: str
    audience: frozenset[Audience]
    colors: frozenset[str]
    terms: frozenset[str]
    brands: frozenset[str]
    available: bool
    sold_out: bool
    shades: tuple[str, ...]
    short: bool
    listing: bool
    sells: bool
    refers: bool
    definite: bool
    points: bool
    turns: bool
    trades: bool
    fits: bool
    than: bool
    another: bool
    headed: bool
    other_one: bool
    comparative: bool
    goes_with: bool
    place: int | None
    about_options: bool
    topics: frozenset[str]

    @property
    def filters(self) -> bool:
        """Whether it says which products will do, beyond what they are."""
        price = self.price
        refuses = [r for r in self.refusals if self.kind or r.colors or r.brands or r.kinds]
        ordered = price.order or price.cheaper or price.dearer
        return bool(price.bounds or ordered or refuses or self.available or self.sold_out)
