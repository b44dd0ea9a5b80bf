"""Pages that shoppers have just opened: warmed in the next idle moment, or not at all."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pipeline.reuse.ledger import Ledger
from pipeline.warming.jobs import Ids, Job, Report

PageStatus = Literal["queued", "warm", "busy"]


@dataclass(frozen=True, slots=True)
class PagesConfig:
    """At most `places` wait, each for `stale_s`: by then the shopper has asked, or will not."""

    places: int = 32
    stale_s: float = 2.0


class Pages:
    """A queue of prefixes, the first opened first. One event loop."""

    def __init__(
        self,
        ledger: Ledger,
        report: Report,
        config: PagesConfig | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ledger, self._report, self._now = ledger, report, now
        self._config = config or PagesConfig()
        self._until: OrderedDict[Ids, float] = OrderedDict()

    def open(self, ids: Ids) -> PageStatus:
        """Put a prefix into the queue, unless it is warm or there is no place."""
        if self._ledger.is_warm(ids):
            return "warm"
        self._drop()
        if ids not in self._until and len(self._until) >= self._config.places:
            return "busy"
        self._until[ids] = self._now() + self._config.stale_s
        return "queued"

    def next(self) -> Job | None:
        """The one to warm now."""
        self._drop()
        first = next(iter(self._until), None)
        return None if first is None else Job("page", "page", first)

    def done(self, ids: Ids) -> None:
        """It is warm, or cannot be made so; that is counted elsewhere."""
        self._until.pop(ids, None)

    def _drop(self) -> None:
        """Leave out what is stale, and what the shopper's question has made warm meanwhile."""
        now = self._now()
        for ids, until in list(self._until.items()):
            is_warm = self._ledger.is_warm(ids)
            if is_warm or until <= now:
                self._report.warmup("page", "done" if is_warm else "interrupted")
                del self._until[ids]
