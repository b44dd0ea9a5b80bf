"""Where each millisecond before the first token went.

One clock (`time.monotonic`, which on Linux is CLOCK_MONOTONIC for every process, the engine's
too), one list of stages. A stage is the interval between two marks, so stages are consecutive
and their sum is the time to first token (TTFT). A stage that did not run is absent.
"""

import time
from collections.abc import Callable
from typing import Literal, get_args

Stage = Literal[
    "admit", "session", "encode", "search", "hydrate", "render", "queue", "prefill", "flush"
]
STAGES: tuple[Stage, ...] = get_args(Stage)
"""Every stage before the first token, in the order of the request."""

DEFAULT_BUDGET_MS: dict[Stage, float] = {"search": 80.0, "render": 10.0, "prefill": 120.0}
TTFT_BUDGET_MS = 210.0

Clock = Callable[[], float]


class StageTimings:
    """Marks of one request.

    `started` is the moment the request's first byte was handled, in seconds of `clock`.
    """

    def __init__(self, clock: Clock = time.monotonic, started: float | None = None) -> None:
        self._clock = clock
        self.started = clock() if started is None else started
        self._last = self.started
        self._seconds: dict[Stage, float] = {}
        self.first_token_at: float | None = None
        self.ended_at: float | None = None

    def mark(self, stage: Stage, at: float | None = None) -> None:
        """End `stage` now, or at `at` (clamped to lie between the last mark and now)."""
        now = self._clock()
        end = now if at is None else min(max(at, self._last), now)
        self._seconds[stage] = self._seconds.get(stage, 0.0) + end - self._last
        self._last = end

    def first_token(self) -> None:
        """The first non-empty text has left the process: ends `flush`, and with it the TTFT."""
        if self.first_token_at is None:
            self.mark("flush")
            self.first_token_at = self._last

    def finish(self) -> None:
        """The last token has left: ends `decode`."""
        if self.ended_at is None:
            self.ended_at = self._clock()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self.started

    @property
    def ttft(self) -> float | None:
        """Seconds from the start to the first token, or None if there was none."""
        return None if self.first_token_at is None else self.first_token_at - self.started

    @property
    def decode(self) -> float | None:
        """Seconds from the first token to the last, or None while there is no such interval."""
        if self.first_token_at is None or self.ended_at is None:
            return None
        return self.ended_at - self.first_token_at

    def stages(self) -> dict[Stage, float]:
        """Seconds of each stage that ran, in the request's order."""
        return {stage: self._seconds[stage] for stage in STAGES if stage in self._seconds}

    def split(self, stage: Stage, into: Stage, seconds: float) -> None:
        """Move `seconds` from `stage` to `into`: a remote engine tells its queue time last."""
        moved = min(max(seconds, 0.0), self._seconds.get(stage, 0.0))
        if moved > 0.0:
            self._seconds[stage] -= moved
            self._seconds[into] = self._seconds.get(into, 0.0) + moved

    def over_budget(self, budget_ms: dict[Stage, float]) -> list[Stage]:
        """Stages that took longer than their budget."""
        stages = self.stages()
        return [s for s in STAGES if s in budget_ms and stages.get(s, 0.0) * 1e3 > budget_ms[s]]
