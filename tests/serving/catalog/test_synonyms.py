"""Synonyms over HTTP: replaced whole, read back, and refused with the line at fault."""

from typing import Any

import pytest

from tests.serving.catalog.conftest import Api

PATH = "/catalog/synonyms"


async def test_synonyms_are_replaced_whole_and_read_back(api: Api) -> None:
    empty = {"text": "", "groups": 0, "actor": None, "since": None}
    assert (await api.reader.get(PATH)).json() == empty
    written = "# seats\nsofa, couch\n羽绒服，羽绒衣\n"
    saved = await api.editor.put(PATH, json={"text": written})
    assert saved.status_code == 200
    told = saved.json()
    assert (told["text"], told["groups"], told["actor"]) == (written.strip(), 2, "edit")
    assert told["since"].endswith("+00:00")
    assert (await api.reader.get(PATH)).json() == told
    assert (await api.importer.put(PATH, json={"text": ""})).json()["groups"] == 0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "is required"),
        ({"text": 3}, "string"),
        ({"text": "a,b\nsofa"}, "line 2 has one word"),
        ({"text": ",".join(map(str, range(40)))}, "line 1 has 40 words"),
        ({"text": "a,b\x00"}, "NUL"),
        ({"text": "a,b\n" * 60_000}, "characters"),
        ({"text": "a,b", "locale": "en"}, "not a field"),
    ],
)
async def test_synonyms_that_cannot_be_used_are_refused(
    api: Api, body: dict[str, Any], said: str
) -> None:
    await api.editor.put(PATH, json={"text": "sofa, couch"})
    reply = await api.editor.put(PATH, json=body)
    error = reply.json()["error"]
    assert (reply.status_code, error["code"]) == (422, "invalid_request")
    assert said in error["message"]
    assert (await api.reader.get(PATH)).json()["text"] == "sofa, couch"
