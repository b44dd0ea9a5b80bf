"""What is left of the budget of TTFT, in uncached tokens, and what prefill is seen to take."""

from dataclasses import dataclass

from pipeline.prompting.spare import Spare
from pipeline.reuse.ledger import Ledger
from pipeline.reuse.pace import Pace
from pipeline.timing import StageTimings
from pipeline.types import TokenCounts


@dataclass(frozen=True, slots=True)
class Spending:
    """`budget_s`: seconds that the first token may take. Without a ledger or a pace nothing is
    trimmed by time."""

    budget_s: float
    ledger: Ledger | None = None
    pace: Pace | None = None

    def spare(self, timings: StageTimings) -> Spare | None:
        """What there is time for now; None while that is not known."""
        if self.ledger is None or self.pace is None:
            return None
        tokens = self.pace.tokens(max(self.budget_s - timings.elapsed, 0.0))
        return None if tokens is None else Spare(tokens, self.ledger.reusable)

    def learn(self, counts: TokenCounts, timings: StageTimings) -> None:
        """A request's prefill is over; it counts where its cached tokens are known."""
        seconds = timings.stages().get("prefill")
        if self.pace is not None and counts.cached is not None and seconds is not None:
            self.pace.observe(counts.prompt - counts.cached, seconds)
