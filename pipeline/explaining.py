"""What is told of how a question was understood."""

from pipeline.found import Understood
from pipeline.understanding.followup import Focus
from pipeline.understanding.reading import Reading

EXPLAINED = 10
"""Candidates that an explanation names, and looked at where no more are needed."""


def understood(reading: Reading, focus: Focus | None = None) -> Understood:
    """The part of a reading that is shown to people."""
    return Understood(
        identifiers=tuple(identifier.written for identifier in reading.identifiers),
        kind=reading.kind,
        said=reading.said,
        audience=tuple(sorted(reading.audience)),
        colors=tuple(sorted(reading.colors)),
        bounds=reading.price.bounds,
        order=reading.price.order,
        without=tuple(refusal.said for refusal in reading.refusals),
        available=reading.available,
        reference="none" if focus is None else focus.reference,
    )
