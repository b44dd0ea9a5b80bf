"""Rendering that remembers which line of a template printed what.

A compiled template is a generator, one piece a statement; where it stands when it hands a piece
out is the line that printed it. What an imported macro or an included file prints counts for the
line that called it.
"""

import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import GeneratorType
from typing import Any

from jinja2 import TemplateNotFound, TemplateSyntaxError

from pipeline.prompting.rendering import Renderer


@dataclass(frozen=True, slots=True)
class Trace:
    """One rendering of the template `name`: lines, and what each printed, in order."""

    name: str
    pieces: tuple[tuple[int, str], ...]

    @property
    def text(self) -> str:
        """What was printed."""
        return "".join(text for _, text in self.pieces)

    def at(self, character: int) -> tuple[int, int, str]:
        """The line that printed a character, or that printed last if there are not so many; where
        what it printed begins; and that."""
        begin, found = 0, (1, 0, "")
        for line, text in self.pieces:
            found = (line, begin, text)
            begin += len(text)
            if begin > character:
                break
        return found


class TracingRenderer(Renderer):
    """Keeps the trace of what it rendered last."""

    trace: Trace

    def extend(self, names: Mapping[str, Any], filters: Mapping[str, Any]) -> None:
        """Let every template use `names` and `filters` too."""
        for template in self._templates.values():
            template.environment.globals.update(names)
            template.environment.filters.update(filters)

    def _render(self, name: str, **values: Any) -> str:
        template = self._templates[name]
        pieces = template.root_render_func(template.new_context(values))
        try:
            lines = [(template.get_corresponding_lineno(_line(pieces)), text) for text in pieces]
        except Exception:
            template.environment.handle_exception()  # raises it, with the lines of the template
        self.trace = Trace(name, tuple(lines))
        return self.trace.text


def _line(pieces: Iterable[str]) -> int:
    """Where the generator stands."""
    frame = pieces.gi_frame if isinstance(pieces, GeneratorType) else None
    return frame.f_lineno if frame is not None else 0


def place(error: Exception, folder: Path) -> tuple[str, int]:
    """The template in `folder` and the line that `error` is about; the file alone, as line 1."""
    if isinstance(error, TemplateSyntaxError) and error.filename:
        return _inside(error.filename, folder), error.lineno
    if isinstance(error, TemplateNotFound):
        return str(error.name), 1
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.endswith(".j2"):
            return _inside(frame.filename, folder), frame.lineno or 1
    return "", 1


def _inside(filename: str, folder: Path) -> str:
    path = Path(filename)
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name
