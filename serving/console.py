"""Progress for people: spinners with a clock on a terminal, plain lines elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import Progress as Bars
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from serving.startup import Note


class ConsoleProgress:
    """A `serving.startup.Progress` on `console`, while it is entered."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = Bars(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Show no more spinners; what is written from now on stays where it is."""
        self._bars.stop()

    @contextmanager
    def step(self, title: str) -> Iterator[Note]:
        """Show `title` while it runs; keep a line with its seconds when it is done."""
        began = time.monotonic()
        bar = self._bars.add_task(title)
        words = [title]

        def note(text: str) -> None:
            words[1:] = [text]
            self._bars.update(bar, description=": ".join(words))

        if not self._console.is_terminal:
            self._say(f"  {title} ...")
        try:
            yield note
        finally:
            self._bars.remove_task(bar)
        self._say(f"{'✓ ' + ': '.join(words):<64} {time.monotonic() - began:6.1f} s")

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)
