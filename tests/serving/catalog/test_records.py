"""History, pins and export over HTTP."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from catalog.demo import demo_products
from tests.serving.catalog.conftest import Api
from tests.serving.catalog.test_imports import imported


async def test_history_says_who_changed_what_and_when(api: Api) -> None:
    await api.editor.patch("/catalog/variants/SH-BLK", json={"price": "12.34"})
    await api.editor.patch("/catalog/products/shirt", json={"brand": "Moor"})
    await api.editor.delete("/catalog/products/shirt")
    told = (await api.reader.get("/catalog/history/shirt")).json()["history"]
    assert [(line["actor"], line["cause"]) for line in told] == [
        ("edit", "delete"),
        ("edit", "edit"),
        ("edit", "edit"),
        ("setup", "edit"),
    ]
    (price,) = told[2]["changes"]
    assert (price["field"], price["sku"], price["old"], price["new"]) == (
        "price",
        "SH-BLK",
        "30.00 USD",
        "12.34 USD",
    )
    assert [line["version"] for line in told] == sorted((t["version"] for t in told), reverse=True)
    age = datetime.now(UTC) - datetime.fromisoformat(told[0]["at"])
    assert abs(age) < timedelta(minutes=1)
    assert (await api.reader.get("/catalog/history/nothing")).status_code == 404


async def test_the_status_says_how_far_this_process_is_behind(api: Api) -> None:
    await api.editor.patch("/catalog/variants/SH-BLK", json={"stock": 1})
    assert (await api.reader.get("/catalog/status")).json() == {
        "catalog_version": 2,
        "shown_version": 7,
        "products": 1,
        "waiting_for_search": 0,
    }


async def test_a_product_is_pinned_until_a_moment_for_a_time_or_for_good(api: Api) -> None:
    path = "/catalog/pins/shirt"
    moment = datetime.now(UTC) + timedelta(hours=1)
    until = await api.editor.put(path, json={"until": moment.isoformat()})
    assert abs(datetime.fromisoformat(until.json()["until"]) - moment) < timedelta(seconds=5)
    timed = (await api.editor.put(path, json={"seconds": 60})).json()
    lasts = datetime.fromisoformat(timed["until"]) - datetime.fromisoformat(timed["since"])
    assert (timed["actor"], lasts) == ("edit", timedelta(seconds=60))
    forever = (await api.editor.put(path, json={})).json()
    assert forever["until"] is None
    assert (await api.reader.get(path)).json() == forever
    assert (await api.reader.get("/catalog/pins")).json() == {"pins": [forever]}
    assert (await api.editor.delete(path)).status_code == 204
    assert (await api.editor.delete(path)).status_code == 404
    assert (await api.reader.get(path)).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {"until": "2020-01-01T00:00:00Z"},
        {"until": "2099-01-01T00:00:00"},
        {"until": "tomorrow"},
        {"until": 10**20},
        {"seconds": 0},
        {"seconds": -1},
        {"seconds": 1e12},
        {"seconds": "60"},
        {"until": "2099-01-01T00:00:00Z", "seconds": 60},
        {"days": 3},
    ],
)
async def test_a_wrong_pin_is_refused(api: Api, body: dict[str, Any]) -> None:
    reply = await api.editor.put("/catalog/pins/shirt", json=body)
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "invalid_request")
    assert (await api.reader.get("/catalog/pins")).json() == {"pins": []}


async def test_what_is_not_there_cannot_be_pinned(api: Api) -> None:
    reply = await api.editor.put("/catalog/pins/nothing", json={})
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "product_unknown")


@pytest.mark.parametrize("kind", ["csv", "json", "jsonl"])
async def test_an_export_comes_back_the_same(api: Api, kind: str) -> None:
    await api.store.put(demo_products()[:40] + demo_products()[-40:], actor="setup")
    before = await api.store.load()
    file = await api.reader.get("/catalog/export", params={"format": kind})
    assert f'filename="catalog-{before.version}.{kind}"' in file.headers["content-disposition"]
    back = await imported(api, file.content, mode="full_sync")
    assert (back["status"], back["failure"]) == ("applied", None)
    assert back["products"]["unchanged"] == len(before.products)
    assert await api.store.load() == before


async def test_an_unknown_kind_of_export_is_refused(api: Api) -> None:
    reply = await api.reader.get("/catalog/export", params={"format": "xls"})
    assert (reply.status_code, reply.json()["error"]["field"]) == (422, "format")
