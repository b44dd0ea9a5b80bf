"""One answer from its permit to its end, and what is recorded of it on the way."""

import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

from catalog.traffic import Place
from pipeline.types import Done, Event, Failure, Finish, Question, Sources, Timing, Token
from serving.metrics import Metrics, Outcome
from serving.observe import RequestRecord
from serving.services import Services, Shelf

log = logging.getLogger(__name__)

OUTCOME_OF: dict[Finish, Outcome] = {
    "stop": "answered",
    "length": "answered",
    "not_carried": "not_carried",
    "abort": "aborted",
    "error": "error",
}


@asynccontextmanager
async def answering(
    services: Services, question: Question, record: RequestRecord
) -> AsyncGenerator[AsyncGenerator[Event, None], None]:
    """The events of one answer, once there is a permit for it. Raises `Refused`.

    Leaving it closes the events, which frees the engine's slot, and only then the permit.
    """
    async with await services.admission.acquire():
        record.timings.mark("admit")
        events = services.chat.answer(question, record.timings)
        recorded = _recorded(events, services, question, record)
        async with aclosing(recorded):
            yield recorded


async def _recorded(
    events: AsyncGenerator[Event, None],
    services: Services,
    question: Question,
    record: RequestRecord,
) -> AsyncGenerator[Event, None]:
    """`events`, noting how they ended. A fault among them becomes a failure and the end."""
    session_id = question.session_id
    sent_at: float | None = None
    visit = _Visit(services.shelf)
    try:
        async with aclosing(events):
            async for event in events:
                _note(event, record)
                visit.note(event)
                if isinstance(event, Sources):
                    session_id = event.session_id
                yield event
                if isinstance(event, Token):
                    sent_at = _note_gap(sent_at, services.metrics)
    except Exception:
        log.exception("answer %s broke off", question.answer_id)
        record.conclude("error")
        yield Failure("internal_error", "a fault of this server; the question may be asked again")
        yield Done(session_id, "error", services.records.version)
    finally:
        visit.end()


class _Visit:
    """What one answer means to the hot shelf: its first product counts, if it stood on one.

    So does an answer that its shopper did not wait for.
    """

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._place: Place | None = None

    def note(self, event: Event) -> None:
        """Something is sent."""
        if isinstance(event, Sources) and event.sources:
            self._place = Place(event.sources[0].product.id, event.locale)
        elif isinstance(event, Timing) and event.tokens.prompt and self._place is not None:
            self._shelf.used(self._place)
        elif isinstance(event, Done) and event.finish in ("error", "not_carried"):
            self._place = None

    def end(self) -> None:
        """It is over."""
        if self._place is not None:
            self._shelf.asked(self._place)


def _note_gap(sent_at: float | None, metrics: Metrics) -> float:
    """A token has left now; the one before it left at `sent_at`."""
    now = time.monotonic()
    if sent_at is not None:
        metrics.token_gap(now - sent_at)
    return now


def _note(event: Event, record: RequestRecord) -> None:
    match event:
        case Timing():
            record.tokens = event.tokens
        case Done():
            record.conclude(OUTCOME_OF[event.finish])
