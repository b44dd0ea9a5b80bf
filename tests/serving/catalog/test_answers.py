"""Which answers an import would change: over HTTP and in the command's dry run."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from redis.asyncio import Redis

from catalog.product import Product
from pipeline.encoder import Encoder
from pipeline.finding import make_finder
from pipeline.foreseeing.foresight import Foreseen, Foresight
from pipeline.foreseeing.grounds import Asking
from pipeline.prompt import PromptBuilder
from pipeline.records import Records
from pipeline.replying.replies import Replies
from pipeline.retriever import Retriever
from serving.catalog_services import CatalogConfig, CatalogServices
from serving.tokens import ROLES
from serving.upload import UploadConfig
from tests.catalog.make import product, variant
from tests.pipeline.fakes import LetterModel
from tests.serving.catalog.conftest import SHIRT, Api
from tests.serving.catalog.test_commands import Person
from tests.serving.catalog.test_imports import HEAD, act, imported, over, upload
from tests.serving.conftest import services_on
from tests.serving.server import serving

HAT = product("HAT-1", variant("HAT-1", "12.30", 4), title="zzz hat")
DEARER = HEAD + "HAT-1,zzz hat,15.00,USD,4\n"
QUESTION = "How much is the zzz hat?"


class Held(Foresight):
    """Waits for `gate` before it compares, and counts how often it did."""

    gate = asyncio.Event()
    compared = 0

    async def compare(
        self, askings: Sequence[Asking], changed: Sequence[Product], removed: Sequence[str]
    ) -> Foreseen:
        self.compared += 1
        await self.gate.wait()
        return await super().compare(askings, changed, removed)


@pytest.fixture
async def shop(
    redis: Redis, redis_url: str, prompts: PromptBuilder, tmp_path: Path
) -> AsyncIterator[Api]:
    """A server that searches its products, a shirt and a hat, and one question about the hat."""
    upload_config = UploadConfig(tmp_path / "uploads", max_bytes=1024 * 1024, idle_s=5)
    config = CatalogConfig(upload=upload_config, shown_wait_s=0)
    catalog = CatalogServices.on(redis, redis_url, config)
    await catalog.store.put([SHIRT, HAT], actor="setup")
    base = services_on(redis, redis_url)
    records = cast(Records, base.records)
    start = await catalog.store.load()
    records.replace(start.products, start.version)
    encoder = Encoder(LetterModel())
    retriever = Retriever(encoder, records)
    await retriever.rebuild()
    finder = await make_finder(prompts.templates, records, retriever)
    foresight = Held(records, retriever, finder, Replies.beside(prompts), prompts)
    foresight.gate = asyncio.Event()
    foresight.gate.set()
    services = replace(base, catalog=catalog, foresight=foresight)
    await catalog.questions.save(QUESTION, actor="setup")
    async with serving(services) as port, AsyncExitStack() as stack:
        url = f"http://127.0.0.1:{port}"

        async def client(token: str | None) -> httpx.AsyncClient:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            made = httpx.AsyncClient(base_url=url, headers=headers, timeout=20, verify=False)
            return await stack.enter_async_context(made)

        tokens = catalog.tokens
        by_role = {role: await client(await tokens.create(role, role)) for role in ROLES}
        yield Api(services, records, url, by_role, await client(None))
    await catalog.close()
    await encoder.close()


async def answers(api: Api, import_id: str) -> Any:
    reply = await api.reader.get(f"/catalog/imports/{import_id}/answers")
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_a_new_price_is_seen_in_the_facts_before_and_after(shop: Api) -> None:
    await shop.services.catalog.questions.save("Is it linen?", sku="SH-BLK", actor="setup")
    before = await shop.store.version()
    seen = await imported(shop, DEARER, dry_run="true")
    found = await answers(shop, seen["id"])
    (change,) = found["changed"]
    assert (found["questions"], found["not_searched"], found["left_out"]) == (2, 0, 0)
    assert (change["question"], change["sku"], change["locale"]) == (QUESTION, None, "en")
    assert change["before"]["products"] == change["after"]["products"]
    assert change["before"]["products"][0] == {"id": "HAT-1", "title": "zzz hat"}
    assert change["before"]["facts"][0] == "The price is $12.30."
    assert change["after"]["facts"][0] == "The price is $15.00."
    assert await shop.store.version() == before
    assert shop.records.get("HAT-1") == HAT or shop.records.version == before


async def test_a_full_sync_takes_products_out_of_answers(shop: Api) -> None:
    file = HEAD + "SH-BLK,Linen Shirt,30.00,USD,4\n"
    seen = await imported(shop, file, dry_run="true", mode="full_sync", confirm="true")
    (change,) = (await answers(shop, seen["id"]))["changed"]
    assert "HAT-1" in [each["id"] for each in change["before"]["products"]]
    assert "HAT-1" not in [each["id"] for each in change["after"]["products"]]


async def test_an_import_is_compared_while_it_is_previewed_and_then_no_more(shop: Api) -> None:
    seen = await imported(shop, DEARER, dry_run="true")
    await act(shop, seen["id"], "apply")
    reply = await shop.reader.get(f"/catalog/imports/{seen['id']}/answers")
    error = reply.json()["error"]
    assert (reply.status_code, error["code"], error["status"]) == (409, "import_busy", "applied")
    unknown = await shop.reader.get("/catalog/imports/0000/answers")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "import_unknown")
    broken = await imported(shop, b"\x00\x01" * 50, dry_run="true")
    reply = await shop.reader.get(f"/catalog/imports/{broken['id']}/answers")
    assert reply.json()["error"]["status"] == "previewed"


async def test_all_who_look_share_one_comparison_until_something_changes(shop: Api) -> None:
    held = cast(Held, shop.services.foresight)
    held.gate.clear()
    seen = await imported(shop, DEARER, dry_run="true")
    looking = [asyncio.create_task(answers(shop, seen["id"])) for _ in range(3)]
    async with asyncio.timeout(10):
        while not held.compared:  # noqa: ASYNC110  what is counted has no event
            await asyncio.sleep(0.001)
    looking[0].cancel()
    held.gate.set()
    second, third = await asyncio.gather(*looking[1:])
    assert second == third
    assert await answers(shop, seen["id"]) == second
    assert held.compared == 1

    await shop.services.catalog.questions.save("zzz?", actor="setup")
    assert (await answers(shop, seen["id"]))["questions"] == 2
    dearest = replace(HAT, version=99, texts=HAT.texts)
    shop.records.apply([dearest], [], 99)
    found = await answers(shop, seen["id"])
    assert (found["changed"], found["left_out"]) == ([], 1)
    assert held.compared == 3


async def test_a_comparison_that_failed_is_made_again(
    shop: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = await imported(shop, DEARER, dry_run="true")

    async def fails(*_: object) -> Foreseen:
        raise OSError("the encoder is gone")

    with monkeypatch.context() as broken:
        broken.setattr(Held, "compare", fails)
        path = f"/catalog/imports/{seen['id']}/answers"
        assert (await shop.reader.get(path)).status_code == 500
    assert len((await answers(shop, seen["id"]))["changed"]) == 1


async def test_the_dry_run_prints_them_and_so_does_apply_beforehand(
    shop: Api, tmp_path: Path
) -> None:
    person = Person(shop, tmp_path)
    name = person.file("shop.csv", DEARER.replace("zzz hat", "[bold]zzz\x1b[31m hat"))
    seen = await person.does("import", name, "--dry-run")
    assert "Answers: 1 of 1 saved questions are answered otherwise" in seen
    assert f"? {QUESTION}" in seen
    assert "- zzz hat [HAT-1]" in seen
    assert "+ [bold]zzz" in seen
    assert "- The price is $12.30." in seen
    assert "+ The price is $15.00." in seen
    assert "\x1b" not in seen
    import_id = seen.partition("hotshelf apply ")[2].partition("`")[0]
    done = await person.does("apply", import_id)
    assert done.index("Answers: 1 of 1") < done.index("Applied as catalogue version")


async def test_the_dry_run_says_plainly_when_no_answer_changes_or_no_question_is_saved(
    shop: Api, tmp_path: Path
) -> None:
    person = Person(shop, tmp_path)
    same = person.file("same.csv", DEARER.replace("15.00", "12.30"))
    assert "none of 1 saved questions changes" in await person.does("import", same, "--dry-run")
    (only,) = await shop.services.catalog.questions.all()
    await shop.services.catalog.questions.delete(only.id)
    dearer = person.file("dearer.csv", DEARER)
    assert "no question is saved" in await person.does("import", dearer, "--dry-run")


async def test_answers_are_compared_for_an_import_that_is_shown_while_it_is_applied(
    shop: Api,
) -> None:
    reply = await upload(shop, DEARER)
    done = await over(shop, reply)
    assert done["status"] == "applied"
    gone = await shop.reader.get(f"{reply.headers['location']}/answers")
    assert gone.status_code == 409
