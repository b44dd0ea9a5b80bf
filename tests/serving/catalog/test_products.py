"""Products over HTTP: what is put is read again, and two editors never overwrite each other."""

import asyncio
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from catalog.demo import demo_products
from catalog.product import Product
from serving.catalog_json import product_to_json
from serving.catalog_services import CatalogConfig
from tests.catalog.make import product
from tests.serving.catalog.conftest import SHIRT, Api
from tests.serving.catalog.test_imports import imported
from tests.serving.server import serving

BODY: dict[str, Any] = {
    "locale": "en",
    "texts": {"en": {"title": "Wool Hat", "attributes": [["material", "wool"], ["care", "cold"]]}},
    "variants": [{"sku": "HAT", "price": {"amount": "12.30", "currency": "USD"}, "stock": 2}],
}


def error(reply: httpx.Response) -> Any:
    return reply.json()["error"]


async def test_a_product_is_created_and_read_again(api: Api) -> None:
    made = await api.editor.put("/catalog/products/hat", json=BODY)
    assert made.status_code == 201
    read = await api.reader.get("/catalog/products/hat")
    assert read.json() == made.json()
    assert read.headers["etag"] == made.headers["etag"] == f'"{made.json()["version"]}"'
    assert read.json()["texts"]["en"]["attributes"] == [["material", "wool"], ["care", "cold"]]
    assert read.json()["variants"][0]["price"] == {"amount": "12.30", "currency": "USD"}
    assert read.json()["variants"][0]["availability"] == "in_stock"


UNTIDY = {
    "title": "  Wool\u00a0\u3000 Hat\u202e\n(new)\u200b ",
    "description": "Warm.\r\n\r\n\r\n\r\nSo\x1bft\t and  light",
    "category": "Hats\n",
    "attributes": [["fabric\ufeff", " 100%\u00a0wool "]],
}


async def test_texts_are_stored_as_a_file_with_the_same_words_would_be(api: Api) -> None:
    body = {**BODY, "texts": {"en": UNTIDY}, "brand": " Moor\u2060\nland "}
    made = await api.editor.put("/catalog/products/hat", json=body)
    assert made.status_code == 201, made.text
    text = (await api.stored("hat")).texts["en"]
    assert (text.title, text.category) == ("Wool Hat (new)", "Hats")
    assert text.description == "Warm.\n\nSoft and light"
    assert text.attributes == (("fabric", "100% wool"),)
    assert (await api.stored("hat")).brand == "Moor land"
    exported = await api.reader.get("/catalog/export", params={"format": "json"})
    assert (await imported(api, exported.content))["rows"]["unchanged"] == 2
    again = await api.editor.put("/catalog/products/hat", json=body)
    assert again.headers["etag"] == made.headers["etag"]
    title = {"texts": {"en": {"title": "Straw\u3000 Hat\u202c"}}}
    await api.editor.patch("/catalog/products/hat", json=title)
    assert (await api.stored("hat")).texts["en"].title == "Straw Hat"


@pytest.mark.parametrize("original", demo_products()[:20:3] + demo_products()[-20::3])
async def test_a_product_that_was_read_can_be_put_as_it_is(api: Api, original: Product) -> None:
    await api.store.put([original], actor="setup")
    path = f"/catalog/products/{original.id}"
    read = (await api.reader.get(path)).json()
    again = await api.editor.put(path, json=read)
    assert (again.status_code, again.json()) == (200, read)
    assert await api.stored(original.id) == (await api.store.get_many([original.id]))[original.id]
    assert product_to_json(await api.stored(original.id)) == read


async def test_every_answer_carries_the_catalogue_version(api: Api) -> None:
    replies = [
        await api.editor.put("/catalog/products/hat", json=BODY),
        await api.reader.get("/catalog/products/hat"),
        await api.reader.get("/catalog/products"),
        await api.editor.patch("/catalog/variants/HAT", json={"stock": 1}),
        await api.editor.put("/catalog/products/hat", json={}),
        await api.editor.delete("/catalog/products/hat"),
        await api.reader.get("/catalog/products/hat"),
        await api.nobody.get("/catalog/products/hat"),
    ]
    assert [reply.status_code for reply in replies] == [201, 200, 200, 200, 422, 204, 404, 401]
    assert all(int(reply.headers["x-catalog-version"]) > 0 for reply in replies)


async def test_two_editors_the_second_is_told_and_nothing_is_lost(api: Api) -> None:
    path = "/catalog/products/shirt"
    seen = (await api.reader.get(path)).headers["etag"]
    first = await api.editor.patch(path, json={"brand": "Moor"}, headers={"If-Match": seen})
    assert first.status_code == 200
    late = await api.editor.patch(path, json={"brand": "Dune"}, headers={"If-Match": seen})
    assert (late.status_code, error(late)["code"]) == (412, "version_conflict")
    assert error(late)["current_version"] == first.json()["version"]
    assert f"is at version {first.json()['version']} now" in error(late)["message"]
    assert (await api.stored()).brand == "Moor"


async def test_the_same_editor_saves_twice(api: Api) -> None:
    path = "/catalog/products/shirt"
    tag = (await api.reader.get(path)).headers["etag"]
    for brand in ("Moor", "Dune", "Dune", "Fen"):
        reply = await api.editor.patch(path, json={"brand": brand}, headers={"If-Match": tag})
        assert reply.status_code == 200
        tag = reply.headers["etag"]
    assert (await api.stored()).brand == "Fen"


async def test_what_changes_nothing_is_no_change(api: Api) -> None:
    before = await api.store.version()
    path = "/catalog/products/shirt"
    assert (await api.editor.patch(path, json={})).status_code == 200
    assert (await api.editor.put(path, json=product_to_json(SHIRT))).status_code == 200
    assert await api.store.version() == before
    stale = await api.editor.patch(path, json={}, headers={"If-Match": '"999"'})
    assert stale.status_code == 412


@pytest.mark.parametrize("tag", ['"1"', 'W/"1"', "1", '"7", "1"', "*"])
async def test_a_tag_is_understood_as_proxies_and_people_write_it(api: Api, tag: str) -> None:
    reply = await api.editor.patch(
        "/catalog/products/shirt", json={"brand": "Moor"}, headers={"If-Match": tag}
    )
    assert reply.status_code == 200


@pytest.mark.parametrize("tag", ["", '"x"', "-1", '"1" "2"', '"' + "9" * 30 + '"'])
async def test_what_is_no_tag_is_refused(api: Api, tag: str) -> None:
    reply = await api.editor.patch(
        "/catalog/products/shirt", json={"brand": "Moor"}, headers={"If-Match": tag}
    )
    assert (reply.status_code, error(reply)["field"]) == (422, "If-Match")


async def test_create_only_and_replace_only(api: Api) -> None:
    new, old = "/catalog/products/hat", "/catalog/products/shirt"
    only_new = {"If-None-Match": "*"}
    assert (await api.editor.put(old, json=BODY, headers=only_new)).status_code == 412
    assert (await api.editor.put(new, json=BODY, headers={"If-Match": "*"})).status_code == 412
    assert (await api.editor.put(new, json=BODY, headers=only_new)).status_code == 201
    assert (await api.editor.put(new, json=BODY, headers={"If-Match": "*"})).status_code == 200


async def test_a_known_version_is_not_sent_again(api: Api) -> None:
    tag = (await api.reader.get("/catalog/products/shirt")).headers["etag"]
    reply = await api.reader.get("/catalog/products/shirt", headers={"If-None-Match": tag})
    assert (reply.status_code, reply.content) == (304, b"")


async def test_a_merge_patch_merges_objects_replaces_lists_and_removes_nulls(api: Api) -> None:
    path = "/catalog/products/shirt"
    labels = {"color": "颜色", "black": "黑色"}
    await api.editor.patch(path, json={"texts": {"zh": {"title": "衬衫", "labels": labels}}})
    patch = {"texts": {"zh": {"title": "亚麻衬衫", "labels": {"black": None}}}, "url": "/s"}
    reply = await api.editor.patch(
        path, json=patch, headers={"Content-Type": "application/merge-patch+json"}
    )
    texts = reply.json()["texts"]
    assert texts["en"]["title"] == "Linen Shirt"
    assert (texts["zh"]["title"], texts["zh"]["labels"]) == ("亚麻衬衫", {"color": "颜色"})
    removed = await api.editor.patch(path, json={"texts": {"zh": None}, "url": None})
    assert (list(removed.json()["texts"]), removed.json()["url"]) == (["en"], "")


async def test_a_deleted_product_is_gone_and_its_skus_are_free(api: Api) -> None:
    path = "/catalog/products/shirt"
    taken = {**BODY, "variants": [{**BODY["variants"][0], "sku": "sh-blk"}]}
    refused = await api.editor.put("/catalog/products/hat", json=taken)
    assert (refused.status_code, error(refused)["code"]) == (409, "sku_taken")
    assert "belongs to product shirt" in error(refused)["message"]
    assert (await api.editor.delete(path)).status_code == 204
    assert (await api.reader.get(path)).status_code == 404
    assert (await api.editor.delete(path)).status_code == 404
    assert (await api.editor.patch(path, json={"brand": "x"})).status_code == 404
    assert (await api.editor.put("/catalog/products/hat", json=taken)).status_code == 201


async def test_a_stale_delete_is_refused(api: Api) -> None:
    path = "/catalog/products/shirt"
    tag = (await api.reader.get(path)).headers["etag"]
    await api.editor.patch(path, json={"brand": "Moor"})
    assert (await api.editor.delete(path, headers={"If-Match": tag})).status_code == 412
    assert (await api.stored()).brand == "Moor"


@pytest.mark.parametrize("product_id", ["a/b", "衬衫 1", "50%", "a?b#c", "..."])
async def test_any_id_works_in_a_path(api: Api, product_id: str) -> None:
    path = f"/catalog/products/{quote(product_id, safe='')}"
    assert (await api.editor.put(path, json=BODY)).json()["id"] == product_id
    assert (await api.reader.get(path)).status_code == 200
    assert (await api.editor.delete(path)).status_code == 204


async def test_products_are_paged_without_a_gap_while_others_are_added(api: Api) -> None:
    records = api.records
    records.replace([product(f"p{n:03}") for n in range(0, 50, 2)], 2)
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        params: dict[str, Any] = {"limit": 7, **({"cursor": cursor} if cursor else {})}
        page = (await api.reader.get("/catalog/products", params=params)).json()
        assert page["total"] == len(records)
        seen += [found["id"] for found in page["products"]]
        cursor = page["next"]
        records.replace([*records.products(), product(f"p{len(records) * 2 - 41:03}")], 3)
    assert seen == sorted(set(seen))
    assert {f"p{n:03}" for n in range(0, 50, 2)} <= set(seen)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("linen", ["shirt"]),
        ("SHIRT Linen", ["shirt"]),
        ("sh-wht", ["shirt"]),
        ("ｌｉｎｅｎ", ["shirt"]),
        ("衬衫", ["shirt"]),
        ("linen wool", []),
        ("", ["hat", "shirt"]),
        ("  ", ["hat", "shirt"]),
    ],
)
async def test_products_are_found_by_their_words(api: Api, query: str, found: list[str]) -> None:
    records = api.records
    records.replace([*records.products(), product("hat", title="Wool Hat")], 8)
    page = (await api.reader.get("/catalog/products", params={"q": query})).json()
    assert [each["id"] for each in page["products"]] == found
    assert page["catalog_version"] == 8


async def test_a_change_is_found_by_its_new_words(api: Api) -> None:
    records = api.records
    for version, title in ((8, "Wool Hat"), (9, "Straw Hat")):
        records.replace([replace(product("hat", title=title), version=version)], version)
        page = (await api.reader.get("/catalog/products", params={"q": title})).json()
        assert page["total"] == 1


@pytest.mark.parametrize(
    "params", [{"cursor": "!"}, {"cursor": "gA"}, {"limit": 0}, {"limit": 201}, {"q": "x" * 201}]
)
async def test_a_wrong_query_is_refused(api: Api, params: dict[str, str | int]) -> None:
    reply = await api.reader.get("/catalog/products", params=params)
    assert reply.status_code == 422
    assert error(reply)["field"] in params


async def test_an_acknowledged_change_is_what_this_process_answers_from(api: Api) -> None:
    records = api.records
    services = replace(api.services, catalog=replace(api.services.catalog, config=CatalogConfig()))

    async def follow() -> None:
        while True:
            snapshot = await api.store.load()
            records.replace(snapshot.products, snapshot.version)
            await asyncio.sleep(0.01)

    follower = asyncio.create_task(follow())
    try:
        async with serving(services) as port:
            for stock in range(10):
                path = f"http://127.0.0.1:{port}/catalog/variants/SH-BLK"
                await api.editor.patch(path, json={"stock": stock})
                assert [v.stock for p in records.products() for v in p.variants] == [stock, 0]
    finally:
        follower.cancel()
        await asyncio.wait({follower})
