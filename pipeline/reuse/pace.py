"""How long prefill takes, learnt while answering: a line through uncached tokens and seconds.

Weighted least squares in which every observation halves in weight after a while, so that the line
follows the machine, its load and the model. From it follows how many uncached tokens still fit
into what is left of the budget.
"""

_FEWEST = 8
"""Observations before the line is used."""
_KEEP = 0.98
"""What an observation weighs after the next one."""
_FAR = 3.0
"""An observation so many times as long as the line says is a hiccup, and counts as that long."""


class Pace:
    """An online fit of prefill seconds = `fixed` + `per_token` x uncached tokens."""

    def __init__(self) -> None:
        self._seen = 0
        self._n = self._x = self._y = self._xx = self._xy = 0.0

    def observe(self, tokens: int, seconds: float) -> None:
        """Prefill of `tokens` uncached tokens took `seconds`."""
        if (line := self._line()) is not None:
            fixed, per_token = line
            seconds = min(seconds, _FAR * (fixed + per_token * tokens))
        self._seen += 1
        self._n = _KEEP * self._n + 1.0
        self._x = _KEEP * self._x + tokens
        self._y = _KEEP * self._y + seconds
        self._xx = _KEEP * self._xx + tokens * tokens
        self._xy = _KEEP * self._xy + tokens * seconds

    def seconds(self, tokens: int) -> float | None:
        """What prefill of `tokens` uncached tokens would take; None while nothing is known."""
        line = self._line()
        return None if line is None else line[0] + line[1] * tokens

    def tokens(self, seconds: float) -> int | None:
        """How many uncached tokens are computed in `seconds`; None while nothing is known."""
        line = self._line()
        if line is None:
            return None
        fixed, per_token = line
        return max(int((seconds - fixed) / per_token), 0)

    def _line(self) -> tuple[float, float] | None:
        """`fixed` and `per_token`; None before enough was seen, of different lengths."""
        spread = self._n * self._xx - self._x * self._x
        if self._seen < _FEWEST or spread <= 1e-6 * self._n * self._xx:
            return None
        per_token = (self._n * self._xy - self._x * self._y) / spread
        if per_token <= 0.0:
            return None
        return max((self._y - per_token * self._x) / self._n, 0.0), per_token
