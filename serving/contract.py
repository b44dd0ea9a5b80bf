"""The events of `/chat` as their clients read them: every field, its type and its meaning.

`docs/events.md` is generated from these classes.
"""

from typing import Annotated, NotRequired, TypedDict

from catalog.product import Availability
from pipeline.reuse.account import Reason
from pipeline.timing import Stage
from pipeline.types import Finish, Why


class MoneyJson(TypedDict):
    """An exact amount."""

    amount: Annotated[str, "a decimal number, as a string so that it stays exact"]
    currency: Annotated[str, "ISO 4217"]


class VariantJson(TypedDict):
    """One thing that can be put into a basket."""

    sku: Annotated[str, "its SKU"]
    options: Annotated[dict[str, str], "what tells it from its siblings, in the answer's language"]
    price: Annotated[MoneyJson, "the regular price"]
    sale_price: Annotated[NotRequired[MoneyJson], "while it is on sale"]
    availability: Annotated[Availability, "now"]


class ProductJson(TypedDict):
    """A product that the answer stands on."""

    id: Annotated[str, "the product's id"]
    title: Annotated[str, "in the answer's language, where there is a text in it"]
    url: Annotated[str, "its page; empty if there is none"]
    image: Annotated[str, "its picture; empty if there is none"]
    price: Annotated[MoneyJson, "of the variant asked for, else of the cheapest to be had"]
    sale_price: Annotated[NotRequired[MoneyJson], "of the same variant, while it is on sale"]
    availability: Annotated[Availability, "`in_stock` if any variant is"]
    options: Annotated[dict[str, list[str]], "every option with its values"]
    variants: Annotated[list[VariantJson], "all of them, sold out ones too"]
    why: Annotated[Why, "why it was chosen"]


class SourcesJson(TypedDict):
    """First, before any token: what the answer will stand on."""

    session_id: Annotated[str | None, "send it along with the next message"]
    answer_id: Annotated[str, "of this answer"]
    products: Annotated[list[ProductJson], "best first"]
    not_found: Annotated[NotRequired[list[str]], "what was asked for by name and is not there"]
    intent: Annotated[NotRequired[str], "what is wanted, if not a product: `returns`, `human`..."]
    catalog_version: Annotated[int, "the catalogue that was searched"]


class TokenJson(TypedDict):
    """A piece of the answer."""

    text: Annotated[str, "never empty, never half a character; append it to what came before"]


class TokensJson(TypedDict):
    """Tokens of one request."""

    prompt: Annotated[int, "in the prompt"]
    cached: Annotated[int | None, "of these, already in the prefix cache; null if not known"]
    trimmed: Annotated[int, "left out of the prompt to keep it within its budget"]
    completion: Annotated[int, "generated"]
    reusable: Annotated[
        NotRequired[int], "of the prompt, computed before as full blocks, as far as is known here"
    ]
    lost: Annotated[
        NotRequired[dict[Reason, int]],
        "of the prompt, computed now, by why: `evicted` from the cache, the block's `seam`, "
        "`changed` in the catalogue, `moved` behind something else, `new`",
    ]


class TimingJson(TypedDict):
    """Where the time went. An answer without the engine has no stages of it and no tokens."""

    answer_id: Annotated[str, "of this answer"]
    ttft_ms: Annotated[float | None, "from the first byte of the request to the first token sent"]
    stages_ms: Annotated[dict[Stage, float], "consecutive, their sum is `ttft_ms`"]
    tokens: Annotated[TokensJson, "counts"]
    tpot_ms: Annotated[float | None, "mean time of each token after the first"]
    over_budget: Annotated[list[Stage], "stages that took longer than their budget"]


class ErrorJson(TypedDict):
    """Something went wrong; `done` follows. The same object is in the body of a refusal."""

    code: Annotated[str, "one of the codes below"]
    message: Annotated[str, "what was wrong and what would be right, for people"]
    field: Annotated[NotRequired[str], "the field at fault"]
    retry_after: Annotated[NotRequired[int], "seconds to wait before trying again"]


class DoneJson(TypedDict):
    """Always the last one."""

    session_id: Annotated[str | None, "as in `sources`"]
    finish_reason: Annotated[Finish, "why it ended"]
    catalog_version: Annotated[int, "the catalogue that was searched"]


EVENTS: dict[str, type] = {
    "sources": SourcesJson,
    "token": TokenJson,
    "timing": TimingJson,
    "error": ErrorJson,
    "done": DoneJson,
}
"""By name, in the order in which they come."""
