"""What travels along the request's path: the question in, events out."""

from dataclasses import dataclass
from typing import Literal

from catalog.product import Locale, Product
from pipeline.reuse.account import Reuse

FINISH_REASONS = ("stop", "length", "abort", "error", "not_carried")
Finish = Literal["stop", "length", "abort", "error", "not_carried"]
Why = Literal["identifier", "page", "search", "conversation"]


@dataclass(frozen=True, slots=True)
class Known:
    """What a transcript says of a product: digests of its stable block and of its live facts, both
    as they were told last."""

    product_id: str
    block: str
    live: str


@dataclass(frozen=True, slots=True)
class Told:
    """What a turn that the engine answered added to its conversation's transcript.

    `ids` are what its prompt added, and follow the static head where the transcript begins with
    this turn; `said` are the answer's. `known` is what was told by then. `digest` is of all ids so
    far, the head's too, and of the answer's text: whatever does not match it is not used.
    """

    ids: tuple[int, ...]
    said: tuple[int, ...]
    known: tuple[Known, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its answer. `finish` tells a partial answer from a whole one.

    `told` is None where the engine was not asked, or what it was told is not known.
    """

    question: str
    answer: str
    product_ids: tuple[str, ...] = ()
    finish: Finish = "stop"
    told: Told | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A shopper's message, already checked for form.

    `history` is given by clients that carry it themselves (the OpenAI route); otherwise it is
    read by `session_id`. `product_id` is the page the shopper is on; `sku` the variant, if named.
    """

    text: str
    locale: Locale
    answer_id: str
    session_id: str | None = None
    product_id: str | None = None
    sku: str | None = None
    history: tuple[Turn, ...] | None = None
    max_tokens: int | None = None
    temperature: float = 0.0
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A product the answer stands on, and why it was chosen."""

    product: Product
    why: Why
    score: float | None = None


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokens of one request. `cached` and `reuse` are None where the engine does not tell."""

    prompt: int
    cached: int | None
    trimmed: int
    completion: int
    reuse: Reuse | None = None


@dataclass(frozen=True, slots=True)
class Sources:
    """Event: what the answer will stand on; sent before the first token.

    `not_found`: numbers asked for that the shop does not have. `intent`: what the turn wants, where
    that is not a product (`pipeline/understanding/intents.py`).
    """

    session_id: str | None
    answer_id: str
    sources: tuple[Source, ...]
    catalog_version: int
    locale: Locale
    not_found: tuple[str, ...] = ()
    intent: str | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """Event: a piece of the answer, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Timing:
    """Event: the request's stages; the figures themselves are in its `StageTimings`."""

    answer_id: str
    tokens: TokenCounts


@dataclass(frozen=True, slots=True)
class Failure:
    """Event: something went wrong; `Done` always follows."""

    code: str
    message: str
    retry_after: int | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """Event: the end, always the last one."""

    session_id: str | None
    finish: Finish
    catalog_version: int


Event = Sources | Token | Timing | Failure | Done
