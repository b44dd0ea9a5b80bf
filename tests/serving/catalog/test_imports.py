"""Catalogue files over HTTP: every row accounted for, all or nothing, and back again."""

import asyncio
import csv
import io
from typing import Any

import httpx
import pytest

from catalog.audit import history
from tests.serving.catalog.conftest import Api

HEAD = "sku,title,price,currency,stock\n"
SOUND = HEAD + "HAT-1,Wool Hat,12.30,USD,4\nHAT-2,Straw Hat,9.90,USD,0\n"
MIXED = (
    "\ufeff"
    + HEAD
    + "HAT-1,Wool Hat,12.30,USD,4\nHAT-2,Felt Hat,abc,USD,1\nhat-1 ,Hat,1.00,USD,1\n"
)
OVER = {"previewed", "applied", "refused", "failed", "undone", "interrupted"}


async def upload(
    api: Api, content: str | bytes, name: str = "shop.csv", **query: str
) -> httpx.Response:
    data = content if isinstance(content, bytes) else content.encode()
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return await api.importer.post("/catalog/imports", params=query, content=data, headers=headers)


async def over(api: Api, reply: httpx.Response) -> Any:
    """The import, when its work is done."""
    assert reply.status_code == 202, reply.text
    async with asyncio.timeout(60):
        while True:
            found = (await api.reader.get(reply.headers["location"])).json()
            if found["status"] in OVER:
                return found
            await asyncio.sleep(0.05)


async def imported(api: Api, content: str | bytes, **query: str) -> Any:
    return await over(api, await upload(api, content, **query))


async def act(api: Api, import_id: str, action: str, **query: str) -> Any:
    path = f"/catalog/imports/{import_id}/{action}"
    return await over(api, await api.importer.post(path, params=query))


async def test_a_file_is_previewed_applied_and_undone(api: Api) -> None:
    before = await api.store.version()
    seen = await imported(api, SOUND, dry_run="true")
    assert seen["status"] == "previewed"
    assert await api.store.version() == before
    assert seen["detected"]["format"] == "plain"
    assert seen["rows"] == {"created": 2, "updated": 0, "unchanged": 0, "refused": 0, "removed": 0}
    assert [change["kind"] for change in seen["changes"]] == ["created", "created"]

    done = await act(api, seen["id"], "apply")
    assert (done["status"], done["products"]["created"]) == ("applied", 2)
    assert done["version"] == await api.store.version() == before + 1
    hat = await api.stored("HAT-2")
    assert (str(hat.variants[0].price), hat.variants[0].availability) == (
        "9.90 USD",
        "out_of_stock",
    )

    undone = await act(api, seen["id"], "undo")
    assert (undone["status"], undone["undo"]["by"]) == ("undone", "import")
    assert await api.store.get("HAT-2") is None
    assert [e.cause for e in await history(api.store, "HAT-2")] == [
        f"undo:{seen['id']}",
        f"import:{seen['id']}",
    ]


async def test_one_wrong_row_refuses_the_file_unless_told_otherwise(api: Api) -> None:
    refused = await imported(api, MIXED)
    assert (refused["status"], refused["failure"]["code"]) == ("refused", "rows_refused")
    assert await api.store.get("HAT-1") is None
    partial = await imported(api, MIXED, mode="partial")
    assert (partial["status"], partial["rows"]["created"], partial["rows"]["refused"]) == (
        "applied",
        1,
        2,
    )
    assert (await api.stored("HAT-1")).texts["en"].title == "Wool Hat"


async def test_every_refusal_names_line_sku_column_value_and_fix(api: Api) -> None:
    seen = await imported(api, MIXED, dry_run="true")
    price, twice = seen["problems"]
    assert (price["line"], price["sku"], price["column"], price["value"]) == (
        3,
        "HAT-2",
        "price",
        "abc",
    )
    assert price["problem"]
    assert price["fix"]
    assert twice["line"] == 4
    assert "line 2" in twice["problem"]
    path = f"/catalog/imports/{seen['id']}/errors.csv"
    file = await api.reader.get(path)
    assert file.headers["content-type"].startswith("text/csv")
    assert "attachment" in file.headers["content-disposition"]
    head, first, second = csv.reader(io.StringIO(file.content.decode("utf-8-sig")))
    assert head == ["line", "sku", "column", "value", "problem", "fix"]
    assert first[:4] == ["3", "HAT-2", "price", "abc"]
    assert second[0] == "4"
    assert seen["errors"] == 2


async def test_a_formula_is_not_live_in_the_file_of_problems(api: Api) -> None:
    seen = await imported(api, HEAD + "=cmd|'/c calc'!A1,Hat,=1+1,USD,1\n", dry_run="true")
    file = await api.reader.get(f"/catalog/imports/{seen['id']}/errors.csv")
    cells = [
        cell for row in csv.reader(io.StringIO(file.content.decode("utf-8-sig"))) for cell in row
    ]
    assert any("1+1" in cell for cell in cells)
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)


async def test_a_file_comes_raw_or_as_a_form_and_keeps_its_name(api: Api) -> None:
    raw = await over(api, await upload(api, SOUND, "raw.csv", dry_run="true"))
    form = await api.importer.post(
        "/catalog/imports",
        params={"dry_run": "true"},
        data={"note": "not a file"},
        files={"file": ("../../form 帽子.csv", SOUND.encode(), "text/csv")},
    )
    sent = await over(api, form)
    assert (raw["name"], sent["name"]) == ("raw.csv", "form 帽子.csv")
    assert raw["size"] == sent["size"] == len(SOUND)
    assert raw["rows"] == sent["rows"]


async def test_the_encoding_and_the_delimiter_are_found_by_content(api: Api) -> None:
    chinese = "商品编号;标题;价格;库存\nMZ-1;羊毛帽子保暖加厚;99,50;3\nMZ-2;草帽夏季防晒;45,90;1\n"
    for codec in ("utf-8", "gb18030", "utf-16"):
        seen = await imported(api, chinese.encode(codec), dry_run="true", currency="CNY")
        assert seen["failure"] is None, seen["failure"]
        assert (seen["rows"]["created"], seen["detected"]["delimiter"]) == (2, ";")


async def test_a_full_sync_that_removes_much_wants_to_be_confirmed(api: Api) -> None:
    await imported(api, SOUND)
    sync = await imported(api, HEAD + "HAT-1,Wool Hat,12.30,USD,4\n", mode="full_sync")
    assert (sync["status"], sync["failure"]["code"]) == ("failed", "too_many_removals")
    assert await api.store.get("shirt") is not None
    done = await act(api, sync["id"], "apply", confirm="true")
    assert (done["status"], done["products"]["removed"]) == ("applied", 2)
    assert set(await api.store.versions()) == {"HAT-1"}


async def test_what_others_changed_since_is_left_alone_by_an_undo(api: Api) -> None:
    done = await imported(api, SOUND)
    await api.editor.patch("/catalog/variants/HAT-1", json={"price": "15.00"})
    undone = await act(api, done["id"], "undo")
    assert undone["undo"]["kept"] == 1
    assert str((await api.stored("HAT-1")).variants[0].price) == "15.00 USD"
    assert await api.store.get("HAT-2") is None


async def test_the_same_file_twice_changes_nothing(api: Api) -> None:
    await imported(api, SOUND)
    version = await api.store.version()
    again = await imported(api, SOUND)
    assert (again["status"], again["rows"]["unchanged"]) == ("applied", 2)
    assert await api.store.version() == version


async def test_two_imports_at_once_are_done_one_after_the_other(api: Api) -> None:
    first, second = await asyncio.gather(
        imported(api, SOUND), imported(api, HEAD + "HAT-1,Wool Hat,14.00,USD,4\n")
    )
    assert first["status"] == second["status"] == "applied"
    assert await api.store.get("HAT-2") is not None
    listed = (await api.reader.get("/catalog/imports")).json()["imports"]
    assert {each["id"] for each in listed} == {first["id"], second["id"]}


async def test_an_import_is_not_begun_twice(api: Api) -> None:
    seen = await imported(api, SOUND, dry_run="true")
    path = f"/catalog/imports/{seen['id']}"
    one, other = await asyncio.gather(*(api.importer.post(f"{path}/apply") for _ in range(2)))
    statuses = sorted([one.status_code, other.status_code])
    assert statuses[0] == 202
    assert (await over(api, one if one.status_code == 202 else other))["status"] == "applied"
    again = await api.importer.post(f"{path}/apply")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "import_busy")
    wrong = await api.importer.post(f"{path}/undo")
    assert wrong.status_code == 202
    await over(api, wrong)
    twice = await api.importer.post(f"{path}/undo")
    assert (twice.status_code, twice.json()["error"]["status"]) == (409, "undone")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\x00\x01\x02\x03" * 50, None),
        ("just, some, words\n1,2,3\n", "not_a_catalogue"),
        (HEAD, "empty"),
        ("sku,title,price\nA,Hat,1.00\n", "currency_unknown"),
        (b"PK\x03\x04broken", None),
        (b"\x1f\x8bbroken", None),
    ],
)
async def test_a_file_that_cannot_be_read_says_why(
    api: Api, content: str | bytes, code: str | None
) -> None:
    for query in ({"dry_run": "true"}, {}):
        seen = await imported(api, content, **query)
        assert seen["status"] in ("previewed", "failed", "refused")
        assert seen["failure"] is not None or seen["errors"]
        if code:
            assert seen["failure"]["code"] == code
    assert set(await api.store.versions()) == {"shirt"}


async def test_an_unknown_import_is_not_found(api: Api) -> None:
    for path in ("", "/changes", "/errors.csv"):
        reply = await api.reader.get(f"/catalog/imports/0000{path}")
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "import_unknown")
    for action in ("apply", "undo"):
        assert (await api.importer.post(f"/catalog/imports/0000/{action}")).status_code == 404


@pytest.mark.parametrize(
    "query",
    [
        {"mode": "some"},
        {"dry_run": "perhaps"},
        {"currency": "dollars"},
        {"locale": "fr"},
        {"max_removed": "2"},
        {"decimals": "dot"},
    ],
)
async def test_a_wrong_option_is_refused_before_anything_is_kept(
    api: Api, query: dict[str, str]
) -> None:
    reply = await upload(api, SOUND, **query)
    (field,) = query
    assert (reply.status_code, reply.json()["error"]["field"]) == (422, field)
    assert (await api.reader.get("/catalog/imports")).json() == {"imports": []}
