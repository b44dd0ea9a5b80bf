"""The shop's texts over HTTP: read beside the shipped ones, replaced, taken back."""

from typing import Any

import pytest

from tests.serving.catalog.conftest import Api

PATH = "/catalog/policies"


async def told(api: Api, name: str = "returns", locale: str = "en") -> dict[str, Any]:
    found = (await api.reader.get(PATH)).json()["policies"]
    [policy] = [row for row in found if (row["name"], row["locale"]) == (name, locale)]
    return dict(policy)


async def test_a_shops_text_takes_the_place_of_the_shipped_one_and_goes_again(api: Api) -> None:
    shipped = await told(api)
    assert (shipped["text"], shipped["actor"]) == (shipped["shipped"], None)
    reply = await api.editor.put(f"{PATH}/en/returns", json={"text": "30 days."})
    assert reply.status_code == 200, reply.text
    own = await told(api)
    assert own == reply.json()
    assert (own["text"], own["shipped"], own["actor"]) == ("30 days.", shipped["text"], "edit")
    assert (await told(api, locale="zh"))["actor"] is None
    assert (await api.editor.delete(f"{PATH}/en/returns")).status_code == 204
    assert await told(api) == shipped


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("en/nothing", {"text": "x"}, 404, "policy_unknown"),
        ("fr/returns", {"text": "x"}, 422, "invalid_request"),
        ("en/returns", {}, 422, "invalid_request"),
        ("en/returns", {"text": "  "}, 422, "invalid_request"),
        ("en/returns", {"text": "x" * 3000}, 422, "invalid_request"),
        ("en/returns", {"text": "a\x00"}, 422, "invalid_request"),
    ],
)
async def test_what_cannot_be_used_is_refused(
    api: Api, path: str, body: dict[str, Any], status: int, code: str
) -> None:
    reply = await api.editor.put(f"{PATH}/{path}", json=body)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert await api.services.catalog.policies.all() == ()


async def test_who_may_only_read_changes_nothing(api: Api) -> None:
    reply = await api.reader.put(f"{PATH}/en/returns", json={"text": "x"})
    assert reply.status_code == 403
    assert (await api.nobody.get(PATH)).status_code == 401
