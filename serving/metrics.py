"""What Prometheus reads. Names, labels and their values are fixed here and nowhere else.

Buckets begin at 1 ms: the engine's own histograms begin at 300 ms, which is too coarse to see
where a first token's time goes.
"""

from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from pipeline.guarding.guard import Outcome as GuardOutcome
from pipeline.guarding.judge import Kind
from pipeline.timing import STAGES, StageTimings
from pipeline.types import TokenCounts
from serving.shelf_metrics import ShelfMetrics
from serving.token_metrics import TokenMetrics

Route = Literal["chat", "openai"]
ROUTES: tuple[Route, ...] = get_args(Route)
Outcome = Literal["answered", "not_carried", "aborted", "refused", "invalid", "error"]
OUTCOMES: dict[Outcome, str] = {
    "answered": "answered to its end, or to the longest answer allowed",
    "not_carried": "answered that the shop does not sell it, without the engine",
    "aborted": "the client left before the end",
    "refused": "no place was free, nor in the queue (429, 503)",
    "invalid": "the request was wrong (other 4xx)",
    "error": "something failed here: the engine, the store, or this server",
}
GUARD_KINDS: tuple[Kind, ...] = get_args(Kind)
GUARD_OUTCOMES: dict[GuardOutcome, str] = {
    "passed": "what it claims is what the record says",
    "replaced": "it was wrong, or could not be told; the record's own sentence was sent instead",
}

BUCKETS = (
    *(0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075),
    *(0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0),
)
"""Seconds."""
LONG_BUCKETS = (*BUCKETS, 15.0, 20.0, 30.0, 60.0)
"""Seconds, for whole requests."""


class Metrics:
    """The service's figures, in a registry of their own.

    Every label value exists from the start at 0, so that rates are right from the first event on.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        stage = Histogram(
            "hotshelf_stage_seconds",
            "Time of each stage before the first token; they are consecutive.",
            ["stage"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._ttft = self._histogram(
            "hotshelf_time_to_first_token_seconds",
            "From the request's first byte handled to its first token sent.",
        )
        self._gap = self._histogram(
            "hotshelf_inter_token_seconds", "From one token sent to the next one sent."
        )
        self._request = Histogram(
            "hotshelf_request_seconds",
            "From the request's first byte handled to its end, of requests that found a place.",
            buckets=LONG_BUCKETS,
            registry=self.registry,
        )
        requests = Counter(
            "hotshelf_requests_total",
            "Requests that are over, each counted once.",
            ["route", "outcome"],
            registry=self.registry,
        )
        guard = Counter(
            "hotshelf_guard_total",
            "Sentences of answers that claim an amount of money or an availability: passed as the"
            " record has it, or replaced from the record before they were sent.",
            ["kind", "outcome"],
            registry=self.registry,
        )
        self.in_flight = Gauge(
            "hotshelf_in_flight",
            "Requests from their first byte handled to their end, waiting ones among them.",
            registry=self.registry,
        )
        self._stages = {name: stage.labels(name) for name in STAGES}
        self._tokens = TokenMetrics(self.registry)
        self.shelf = ShelfMetrics(self.registry)
        self._requests = {
            (route, outcome): requests.labels(route, outcome)
            for route in ROUTES
            for outcome in OUTCOMES
        }

        self._guard = {
            (kind, outcome): guard.labels(kind, outcome)
            for kind in GUARD_KINDS
            for outcome in GUARD_OUTCOMES
        }

    def record(
        self, route: Route, outcome: Outcome, timings: StageTimings, tokens: TokenCounts | None
    ) -> None:
        """Count a request that is over; its times only if it found a place."""
        self._requests[route, outcome].inc()
        stages = timings.stages()
        for stage, seconds in stages.items():
            self._stages[stage].observe(seconds)
        if timings.ttft is not None:
            self._ttft.observe(timings.ttft)
        if stages and timings.ended_at is not None:
            self._request.observe(timings.ended_at - timings.started)
        if tokens is not None:
            self._tokens.count(tokens)

    def guarded(self, kind: Kind, outcome: GuardOutcome) -> None:
        """Count a sentence that the guard looked at."""
        self._guard[kind, outcome].inc()

    def token_gap(self, seconds: float) -> None:
        """The time between two tokens sent."""
        self._gap.observe(seconds)

    def exposition(self) -> bytes:
        """All of it in Prometheus' text format."""
        return generate_latest(self.registry)

    def _histogram(self, name: str, documentation: str) -> Histogram:
        return Histogram(name, documentation, buckets=BUCKETS, registry=self.registry)
