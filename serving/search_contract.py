"""What `GET /catalog/search` tells: which products a question finds, and why."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from catalog.product import Locale
from pipeline.timing import Stage
from pipeline.types import Why


class HitJson(TypedDict):
    """A product that a shopper would be shown."""

    id: str
    title: Annotated[str, Field(description="in the question's language")]
    why: Annotated[Why, Field(description="why it was chosen")]


class CandidateJson(TypedDict):
    """A product that the search weighed."""

    id: str
    title: str
    score: Annotated[float, Field(description="of both legs together, 0 to 1")]
    dense: Annotated[
        float | None, Field(description="by meaning, a mean cosine; null if not among the best")
    ]
    lexical: Annotated[
        float | None, Field(description="by words, BM25; null if it shares none that tells")
    ]


class NotCarriedJson(TypedDict):
    """A kind of thing that the shop does not sell."""

    kind: Annotated[str, Field(description="as the shopper said it")]
    nearest: Annotated[list[str], Field(description="kinds that it sells, the nearest first")]


class SearchJson(TypedDict):
    """One question, understood and searched as a shopper's is; nothing is generated."""

    question: str
    locale: Annotated[Locale, Field(description="the language of the answer")]
    products: Annotated[list[HitJson], Field(description="best first")]
    intent: Annotated[str | None, Field(description="what is wanted, if that is not a product")]
    not_found: Annotated[list[str], Field(description="numbers that no product has")]
    not_carried: NotCarriedJson | None
    understood: Annotated[
        dict[str, object], Field(description="what the question was read as; only what was said")
    ]
    among: Annotated[
        int | None, Field(description="products left to choose from; null if all of them")
    ]
    candidates: Annotated[list[CandidateJson], Field(description="best first; none if none needed")]
    winner: Annotated[str, Field(description="why the first product is first")]
    took_ms: Annotated[
        dict[Stage, float], Field(description="encode and search, if they ran, and all of it")
    ]
