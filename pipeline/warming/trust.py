"""Whether the engine still has what it computed, and the rest that it gets when it fails."""

import asyncio
import logging
import time

from pipeline.engine import EngineError

log = logging.getLogger(__name__)


class Trust:
    """In one engine. The parameters are those of `WarmerConfig`."""

    def __init__(self, rest_s: float, longest_rest_s: float, verify_s: float | None) -> None:
        self._rest_s, self._longest_rest_s, self._verify_s = rest_s, longest_rest_s, verify_s
        self._failures = 0
        self._verified_at = time.monotonic()
        self.is_resting = False

    def worked(self) -> None:
        """The engine has just computed something."""
        self._failures, self._verified_at = 0, time.monotonic()

    def is_in_doubt(self) -> bool:
        """Whether the engine may have lost everything: it failed, or it is not ours alone."""
        if self._failures:
            return True
        every = self._verify_s
        return every is not None and time.monotonic() - self._verified_at > every

    async def rest(self, error: EngineError) -> None:
        """After a failure, leave the engine alone for a while."""
        seconds = min(self._rest_s * 2**self._failures, self._longest_rest_s)
        self._failures += 1
        log.info("warming rests for %g s: %s", seconds, error)
        self.is_resting = True
        await asyncio.sleep(seconds)
        self.is_resting = False
