"""One answer's permit and events: whatever is left of them is given back in the right order."""

from dataclasses import replace

from pipeline.types import Question
from serving.answering import answering
from serving.observe import RequestRecord
from serving.services import Services
from tests.serving.fakes import WrittenChat, whole_answer


async def test_leaving_in_the_middle_closes_the_events_and_then_gives_the_permit_back(
    services: Services,
) -> None:
    chat = WrittenChat(*whole_answer("Yes", "."))
    services = replace(services, chat=chat)
    question = Question(text="Is it?", locale="en", answer_id="a1")
    async with answering(services, question, RequestRecord()) as events:
        await anext(events)
        assert (services.admission.in_use, chat.ended) == (1, 0)
    assert (services.admission.in_use, chat.ended) == (0, 1)
