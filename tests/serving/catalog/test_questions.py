"""Saved questions over HTTP: listed, saved once, deleted, and refused with a reason."""

from typing import Any

import pytest

from catalog.questions import MAX_QUESTIONS
from tests.serving.catalog.conftest import Api

PATH = "/catalog/questions"


async def test_a_question_is_saved_once_listed_and_deleted(api: Api) -> None:
    body = {"question": " 有黑色吗？\n", "sku": "SH-BLK", "locale": "zh"}
    made = await api.editor.post(PATH, json=body)
    assert made.status_code == 201
    saved = made.json()
    assert (saved["question"], saved["sku"], saved["locale"]) == ("有黑色吗？", "SH-BLK", "zh")
    assert saved["actor"] == "edit"
    assert saved["since"].endswith("+00:00")
    again = await api.importer.post(PATH, json=body)
    assert (again.status_code, again.json()) == (200, saved)
    assert (await api.reader.get(PATH)).json() == {"questions": [saved]}

    gone = await api.editor.delete(f"{PATH}/{saved['id']}")
    assert (gone.status_code, gone.content) == (204, b"")
    twice = await api.editor.delete(f"{PATH}/{saved['id']}")
    assert (twice.status_code, twice.json()["error"]["code"]) == (404, "question_unknown")
    assert (await api.reader.get(PATH)).json() == {"questions": []}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "question"),
        ({"question": 3}, "question"),
        ({"question": " \t"}, "question"),
        ({"question": "a\x00b"}, "question"),
        ({"question": "x" * 501}, "question"),
        ({"question": "A?", "locale": "fr"}, "locale"),
        ({"question": "A?", "sku": ""}, "sku"),
        ({"question": "A?", "page": "SH-BLK"}, None),
    ],
)
async def test_a_wrong_question_is_refused(
    api: Api, body: dict[str, Any], field: str | None
) -> None:
    reply = await api.editor.post(PATH, json=body)
    error = reply.json()["error"]
    assert (reply.status_code, error["code"], error.get("field")) == (422, "invalid_request", field)
    assert await api.services.catalog.questions.all() == []


async def test_the_page_must_be_one_of_the_shop(api: Api) -> None:
    reply = await api.editor.post(PATH, json={"question": "A?", "sku": "HAT-1"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "sku_unknown")


async def test_there_are_not_more_than_may_be(api: Api) -> None:
    questions = api.services.catalog.questions
    for number in range(MAX_QUESTIONS):
        await questions.save(f"Question {number}?", actor="setup")
    reply = await api.editor.post(PATH, json={"question": "One more?"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "questions_full")
    assert "500 questions are saved" in reply.json()["error"]["message"]
