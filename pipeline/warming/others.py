"""What others who share the engine computed, as far as they tell."""

import time

from pipeline.reuse.ledger import Ledger
from pipeline.warming.shelf import Shelf
from pipeline.warming.turns import Turns


class Others:
    """Asked every `look_s` at most. One event loop."""

    def __init__(self, shelf: Shelf, ledger: Ledger, turns: Turns, look_s: float) -> None:
        self._shelf, self._ledger, self._turns = shelf, ledger, turns
        self._look_s = look_s
        self._computed = 0
        self._heard_at = float("-inf")

    @property
    def computed(self) -> int:
        """Tokens that the engine computed, as far as is known, for whoever shares it."""
        return self._ledger.computed + self._computed

    async def hear(self) -> None:
        """Take over what the others who share the engine have warmed."""
        if time.monotonic() - self._heard_at < self._look_s:
            return
        self._heard_at = time.monotonic()
        told = await self._turns.told(self._ledger.computed)
        self._computed += told.computed
        for entry in self._shelf.entries() if told.digests else ():
            if told.digests.get(entry.key) == entry.digest and not self._shelf.is_warm(entry):
                self._ledger.add(entry.ids, len(entry.ids))
                entry.was_warm, entry.used = True, self.computed
