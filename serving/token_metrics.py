"""Prompt tokens: where they came from, and why those were computed that were."""

from prometheus_client import CollectorRegistry, Counter

from pipeline.reuse.account import REASONS
from pipeline.types import TokenCounts

SOURCES = ("cached", "computed")


class TokenMetrics:
    """Counters of prompt tokens, in `registry`."""

    def __init__(self, registry: CollectorRegistry) -> None:
        by_source = Counter(
            "hotshelf_prompt_tokens_total",
            "Prompt tokens by where their KV blocks came from; computed where the engine is silent"
            " about it.",
            ["source"],
            registry=registry,
        )
        self._reusable = Counter(
            "hotshelf_prompt_tokens_reusable_total",
            "Prompt tokens that the engine had computed before as full blocks, as far as is known"
            " here.",
            registry=registry,
        )
        lost = Counter(
            "hotshelf_prompt_tokens_lost_total",
            "Prompt tokens that were computed, by why: evicted from the prefix cache, in the seam"
            " of a block, changed in the catalogue, moved behind something else, or new.",
            ["reason"],
            registry=registry,
        )
        self._by_source = {source: by_source.labels(source) for source in SOURCES}
        self._lost = {reason: lost.labels(reason) for reason in REASONS}

    def count(self, tokens: TokenCounts) -> None:
        """Count the prompt of a request that is over."""
        cached = tokens.cached or 0
        self._by_source["cached"].inc(cached)
        self._by_source["computed"].inc(max(tokens.prompt - cached, 0))
        if tokens.reuse is not None:
            self._reusable.inc(tokens.reuse.reusable)
            for reason, count in tokens.reuse.lost.items():
                self._lost[reason].inc(count)
