"""The import wizard: seen before it is done, told truly, and taken back."""

import asyncio
import re
from collections.abc import AsyncIterator

import httpx

from catalog.import_records import ImportOptions
from tests.admin.conftest import Admin, Person

HEAD = "sku,title,price,currency,stock\n"
SOUND = HEAD + "HAT-1,Wool Hat,12.30,USD,4\nHAT-2,Straw Hat,9.90,USD,0\n"
MIXED = "\ufeff" + HEAD + "HAT-1,Wool Hat,12.30,USD,4\nHAT-2,<script>,abc,USD,1\n"


async def upload(person: Person, content: str, **options: str) -> httpx.Response:
    form = {"csrf": await person.csrf(), **options}
    files = {"file": ("<b>shop</b>.csv", content.encode(), "text/csv")}
    return await person.client.post("/admin/imports", data=form, files=files)


async def over(person: Person, reply: httpx.Response) -> tuple[str, str]:
    """The import's page when its work is done, and its address."""
    assert reply.status_code == 303, reply.text
    path = reply.headers["location"]
    async with asyncio.timeout(60):
        while True:
            page = (await person.get(path)).text
            if "<progress" not in page:
                return page, path
            assert '<meta http-equiv="refresh" content="1">' in page


def status(page: str) -> str:
    found = re.search(r'role="status"><strong>(.*?)</strong>', page)
    assert found is not None
    return found[1]


async def test_a_file_is_previewed_applied_and_undone(admin: Admin) -> None:
    someone = admin.people["import"]
    version = await admin.services.catalog.store.version()
    page, path = await over(someone, await upload(someone, SOUND))
    assert status(page) == "previewed, not applied"
    assert await admin.services.catalog.store.version() == version
    for told in ("plain table", "<code>,</code>", "USD", "&lt;b&gt;shop&lt;/b&gt;.csv", "Wool Hat"):
        assert told in page
    page, _ = await over(someone, await someone.post(f"{path}/apply"))
    assert status(page) == "applied"
    assert "2 created + 0 changed + 0 unchanged + 0 refused = 2 rows of the file" in page
    assert (await admin.stored("HAT-1")).version == version + 1
    page, _ = await over(someone, await someone.post(f"{path}/undo"))
    assert status(page) == "undone"
    assert await admin.services.catalog.store.get("HAT-1") is None
    listed = (await admin.people["read"].get("/admin/imports")).text
    assert path in listed
    assert "<td>undone</td>" in listed


async def test_wrong_rows_are_named_and_left_out_only_if_that_is_chosen(admin: Admin) -> None:
    someone = admin.people["import"]
    page, path = await over(someone, await upload(someone, MIXED))
    problems = page.split('id="problems"')[1].split("</table>")[0]
    assert "<code>abc</code>" in problems
    assert "HAT-2" in problems
    assert "<script>" not in page
    assert "Apply the sound rows" in page
    csv = await admin.people["read"].get(f"{path}/errors.csv")
    assert csv.headers["content-type"].startswith("text/csv")
    assert "HAT-2" in csv.text
    page, _ = await over(someone, await someone.post(f"{path}/apply"))
    assert status(page) == "refused: nothing was changed"
    assert await admin.services.catalog.store.get("HAT-1") is None
    page, _ = await over(someone, await someone.post(f"{path}/apply", mode="partial"))
    assert status(page) == "applied"
    assert "1 created + 0 changed + 0 unchanged + 1 refused = 2 rows of the file" in page


async def test_a_full_sync_is_applied_only_when_it_is_confirmed(admin: Admin) -> None:
    someone = admin.people["import"]
    page, path = await over(someone, await upload(someone, SOUND, mode="sync"))
    assert 'name="confirm"' in page
    refused = await someone.post(f"{path}/apply")
    assert refused.status_code == 422
    assert (await admin.stored()).id == "shirt"
    page, _ = await over(someone, await someone.post(f"{path}/apply", confirm="yes"))
    assert status(page) == "applied"
    assert await admin.services.catalog.store.get("shirt") is None


async def test_a_preview_that_was_lost_can_be_had_again(admin: Admin) -> None:
    someone = admin.people["import"]
    importer = admin.services.catalog.imports

    async def file() -> AsyncIterator[bytes]:
        yield SOUND.encode()

    lost = await importer.receive(file(), "shop.csv", actor="anna", options=ImportOptions())
    page = (await someone.get(f"/admin/imports/{lost}")).text
    assert status(page) == "received"
    assert "/apply" not in page
    page, _ = await over(someone, await someone.post(f"/admin/imports/{lost}/preview"))
    assert status(page) == "previewed, not applied"


async def test_a_file_that_is_none_cannot_be_applied(admin: Admin) -> None:
    someone = admin.people["import"]
    page, _ = await over(someone, await upload(someone, "\x00\x01\x02" * 200))
    assert 'role="status"' in page
    assert "/apply" not in page


async def test_what_is_wrong_with_an_upload_is_told_as_a_page(admin: Admin) -> None:
    someone = admin.people["import"]
    csrf = await someone.csrf()
    nothing = {"csrf": (None, csrf)}
    assert (await someone.client.post("/admin/imports", files=nothing)).status_code == 422
    assert (await upload(someone, "")).status_code == 422
    large = await upload(someone, "x" * (2 * 1024 * 1024))
    assert large.status_code == 413
    assert "<h1>Too large</h1>" in large.text
    for wrong in ({"mode": "some"}, {"currency": "dollars"}, {"locale": "fr"}, {"more": "x"}):
        assert (await upload(someone, SOUND, **wrong)).status_code == 422
    broken = await someone.client.post(
        "/admin/imports", content=b"--x", headers={"Content-Type": "multipart/form-data"}
    )
    assert broken.status_code == 422
    assert (await someone.get("/admin/imports/never")).status_code == 404
    assert await admin.services.catalog.imports.records.latest() == []
