"""Which answers a previewed import would change: compared behind, and shared by all who look.

One comparison runs at a time, since it competes with shoppers. It goes on when whoever asked for it
has left, and what it found is given again as long as the shop is as it was then.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from catalog.aftermath import Aftermaths
from catalog.product import Product
from catalog.questions import SavedQuestion, SavedQuestions
from pipeline.foreseeing.foresight import Foreseen
from pipeline.foreseeing.grounds import AnswerChange, Asking
from serving.text import detect_locale

log = logging.getLogger(__name__)

_KEPT = 8
"""Comparisons whose outcome is kept."""
Moment = tuple[int, int]
"""What the shop is known by: its catalogue version, and how many texts are yet to be encoded."""


class Foreseeing(Protocol):
    """Who compares answers: `pipeline.foreseeing.foresight.Foresight`."""

    async def compare(
        self, askings: Sequence[Asking], changed: Sequence[Product], removed: Sequence[str]
    ) -> Foreseen:
        """Which of `askings` a change of the catalogue would answer from something else."""
        ...


class NothingForeseen:
    """Where nothing is searched."""

    async def compare(
        self, askings: Sequence[Asking], changed: Sequence[Product], removed: Sequence[str]
    ) -> Foreseen:
        """No answer is known to change."""
        return Foreseen(len(askings))


@dataclass(frozen=True, slots=True)
class Answers:
    """`questions` are saved, of which these change. `not_searched`: products that were looked for
    by their old text. `left_out`: changed products that were not taken into account."""

    questions: int
    changed: tuple[AnswerChange, ...] = ()
    not_searched: int = 0
    left_out: int = 0


class AnswerPreviews:
    """Comparisons by import. One event loop."""

    def __init__(self, questions: SavedQuestions, aftermaths: Aftermaths) -> None:
        self._questions, self._aftermaths = questions, aftermaths
        self._turn = asyncio.Lock()
        self._found: OrderedDict[object, tuple[Moment, asyncio.Task[Answers]]] = OrderedDict()

    async def begin(
        self, import_id: str, foresight: Foreseeing, moment: Moment
    ) -> asyncio.Task[Answers] | None:
        """The comparison for a previewed import, which may be over already; None where nothing is
        foreseen. Whoever waits for it shields it."""
        plan = await self._aftermaths.plan(import_id)
        if plan is None:
            return None
        questions = await self._questions.all()
        key = (import_id, plan, tuple(question.id for question in questions))
        known = self._found.get(key)
        if known is None or (known[1].done() and (known[0] != moment or broke_off(known[1]))):
            task = asyncio.create_task(self._compare(import_id, foresight, questions))
            task.add_done_callback(_report)
            known = self._found[key] = moment, task
        self._found.move_to_end(key)
        over = [k for k, (_, task) in self._found.items() if task.done() and k != key]
        for old in over[: max(len(self._found) - _KEPT, 0)]:
            del self._found[old]
        return known[1]

    async def close(self) -> None:
        """Break off what runs."""
        running = {task for _, task in self._found.values() if not task.done()}
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    async def _compare(
        self, import_id: str, foresight: Foreseeing, questions: Sequence[SavedQuestion]
    ) -> Answers:
        async with self._turn:
            aftermath = await self._aftermaths.get(import_id)
            if aftermath is None or not questions:
                return Answers(len(questions))
            askings = [Asking(q.text, q.sku, q.locale or detect_locale(q.text)) for q in questions]
            found = await foresight.compare(askings, aftermath.changed, aftermath.removed)
            left_out = aftermath.left_out + found.overtaken
            return Answers(found.questions, found.changed, found.not_searched, left_out)


def broke_off(task: asyncio.Task[Answers]) -> bool:
    """Whether a comparison that is over found nothing out; the next who looks begins anew."""
    return task.cancelled() or task.exception() is not None


def _report(task: asyncio.Task[Answers]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("answers could not be compared", exc_info=error)
