"""The hot shelf and its warming: how far it is, what was warmed and why."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge

from pipeline.warming.jobs import Outcome, Why
from pipeline.warming.shelf import ShelfStatus

WARM_WHYS: dict[Why, str] = {
    "start": "before it was ready",
    "shelf": "it came onto the shelf, or the engine had lost it",
    "change": "its product has changed",
    "touch": "it had not been used for long, and would have been evicted",
    "page": "a shopper opened its page",
}
WARM_OUTCOMES: dict[Outcome, str] = {
    "done": "all of it is computed",
    "interrupted": "something else came first, or nobody needs it any more",
    "failed": "the engine failed",
}


class ShelfMetrics:
    """Gauges of the shelf and counters of warming, in `registry`."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._members = Gauge(
            "hotshelf_shelf_members",
            "Products on the hot shelf, each language of one counted by itself.",
            registry=registry,
        )
        self._warm = Gauge(
            "hotshelf_shelf_warm",
            "Those of them whose prefix is in the engine's cache, as far as this process knows.",
            registry=registry,
        )
        warmups = Counter(
            "hotshelf_warmups_total",
            "Prefixes computed before anyone asked, by why and how it ended.",
            ["why", "outcome"],
            registry=registry,
        )
        self._tokens = Counter(
            "hotshelf_warmup_tokens_total",
            "Tokens computed for them, those that were cached already left out.",
            registry=registry,
        )
        self._warmups = {
            (why, outcome): warmups.labels(why, outcome)
            for why in WARM_WHYS
            for outcome in WARM_OUTCOMES
        }

    def watch(self, status: Callable[[], ShelfStatus]) -> None:
        """Ask `status` for the gauges whenever they are read."""
        self._members.set_function(lambda: status().members)
        self._warm.set_function(lambda: status().warm)

    def warmup(self, why: Why, outcome: Outcome) -> None:
        """Count a prefix that was warmed, or was not."""
        self._warmups[why, outcome].inc()

    def warmup_tokens(self, tokens: int) -> None:
        """Count tokens that were computed for one."""
        self._tokens.inc(tokens)
