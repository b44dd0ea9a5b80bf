"""One answer's permit and events: whatever is left of them is given back in the right order."""

from dataclasses import replace

import pytest

from catalog.traffic import Place
from pipeline.types import Done, Finish, Question, Sources, Timing, Token, TokenCounts
from serving.answering import answering
from serving.observe import RequestRecord
from serving.services import EmptyShelf, Services
from tests.serving.fakes import COUNTS, SOURCES, WrittenChat, shirt, sources_of, whole_answer

QUESTION = Question(text="Is it?", locale="en", answer_id="a1")
SHIRT = sources_of(shirt())
PLACE = Place("shirt", "en")


class NotedShelf(EmptyShelf):
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Place]] = []

    def asked(self, place: Place) -> None:
        self.told.append(("asked", place))

    def used(self, place: Place) -> None:
        self.told.append(("used", place))


async def test_leaving_in_the_middle_closes_the_events_and_then_gives_the_permit_back(
    services: Services,
) -> None:
    chat = WrittenChat(*whole_answer("Yes", "."))
    services = replace(services, chat=chat)
    async with answering(services, QUESTION, RequestRecord()) as events:
        await anext(events)
        assert (services.admission.in_use, chat.ended) == (1, 0)
    assert (services.admission.in_use, chat.ended) == (0, 1)


@pytest.mark.parametrize(
    ("sources", "counts", "finish", "told"),
    [
        (SHIRT, COUNTS, "stop", [("used", PLACE), ("asked", PLACE)]),
        (SHIRT, TokenCounts(0, None, 0, 0), "stop", [("asked", PLACE)]),
        (SHIRT, COUNTS, "not_carried", [("used", PLACE)]),
        (SHIRT, COUNTS, "error", [("used", PLACE)]),
        (SOURCES, COUNTS, "stop", []),
    ],
)
async def test_the_shelf_is_told_of_answers_that_stood_on_a_product(
    services: Services, sources: Sources, counts: TokenCounts, finish: Finish, told: object
) -> None:
    shelf = NotedShelf()
    end = Done("s1", finish, 7)
    chat = WrittenChat(sources, Token("Yes"), Timing("a1", counts), end)
    services = replace(services, chat=chat, shelf=shelf)
    async with answering(services, QUESTION, RequestRecord()) as events:
        assert [event async for event in events][-1] == end
    assert shelf.told == told


async def test_a_shopper_who_leaves_has_asked_all_the_same(services: Services) -> None:
    shelf = NotedShelf()
    services = replace(services, chat=WrittenChat(SHIRT, Token("Yes")), shelf=shelf)
    async with answering(services, QUESTION, RequestRecord()) as events:
        await anext(events)
    assert shelf.told == [("asked", PLACE)]
