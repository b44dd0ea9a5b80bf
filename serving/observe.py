"""One record for each request: opened at its first byte, closed once when it is over.

The middleware is pure ASGI, so it neither delays a byte nor stands between a cancellation and
the stream. Whatever happens in between, a request is counted exactly once.
"""

from dataclasses import dataclass, field

from starlette.types import ASGIApp, Receive, Scope, Send

from pipeline.timing import StageTimings
from pipeline.types import TokenCounts
from serving.metrics import Metrics, Outcome, Route

COUNTED_PATHS: dict[str, Route] = {"/chat": "chat", "/v1/chat/completions": "openai"}


@dataclass(slots=True)
class RequestRecord:
    """What is known of one request so far."""

    timings: StageTimings = field(default_factory=StageTimings)
    outcome: Outcome | None = None
    tokens: TokenCounts | None = None

    def conclude(self, outcome: Outcome) -> None:
        """Say how it went; what was said first stays."""
        if self.outcome is None:
            self.outcome = outcome


def record_of(scope: Scope) -> RequestRecord:
    """The record of the request that `scope` belongs to."""
    record = scope["state"]["record"]
    assert isinstance(record, RequestRecord)  # put there by RecordRequests
    return record


class RecordRequests:
    """Opens the record that stages are marked on, and exports it when the request is over."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI scope."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        record = RequestRecord()
        scope.setdefault("state", {})["record"] = record
        route = COUNTED_PATHS.get(scope["path"])
        if route is None:
            await self._app(scope, receive, send)
            return
        with self._metrics.in_flight.track_inprogress():
            try:
                await self._app(scope, receive, send)
            except Exception:
                record.conclude("error")
                raise
            finally:
                record.timings.finish()
                self._metrics.record(
                    route, record.outcome or "aborted", record.timings, record.tokens
                )
