"""What a prompt is made of: runs of token ids, each of one kind and about one thing.

Whoever counts what the engine's prefix cache reuses can say by them what was lost, and why.
"""

from dataclasses import dataclass
from typing import Literal

Ids = tuple[int, ...]
Kind = Literal["head", "product", "frame", "history", "live", "question"]


@dataclass(frozen=True, slots=True)
class Part:
    """`ids` of one kind. `key` is the product that a `product` or `live` part is about."""

    kind: Kind
    ids: Ids
    key: str = ""
