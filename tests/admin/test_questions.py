"""Saved questions on the pages, and the answers that a preview says would change."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from pipeline.encoder import Encoder
from pipeline.finding import make_finder
from pipeline.foreseeing.foresight import Foreseen, Foresight
from pipeline.prompt import PromptBuilder
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.records import Records
from pipeline.replying.replies import Replies
from pipeline.retriever import Retriever
from serving.services import Services
from tests.admin.conftest import Admin
from tests.admin.test_imports import over, upload
from tests.catalog.make import product
from tests.pipeline.fakes import LetterModel

DEARER = "sku,title,price,currency\nSH-BLK,Linen Shirt,45.00,USD\n"
HOSTILE = "<script>alert(1)</script>{{ 7 * 7 }}"


@pytest.fixture(scope="module")
def prompts(model_dir: Path) -> PromptBuilder:
    return PromptBuilder(Tokenizer.load(model_dir))


@pytest.fixture
async def admin_services(
    admin_services: Services, prompts: PromptBuilder
) -> AsyncIterator[Services]:
    """The services, with what compares answers."""
    records = cast(Records, admin_services.records)
    encoder = Encoder(LetterModel())
    retriever = Retriever(encoder, records)
    await retriever.rebuild()
    finder = await make_finder(prompts.templates, records, retriever)
    replies = Replies.beside(prompts)
    foresight = Foresight(records, retriever, finder, replies, prompts)
    yield replace(admin_services, foresight=foresight)
    await encoder.close()


async def save(admin: Admin, question: str, page: str = "shirt") -> str:
    reply = await admin.editor.post("/admin/questions/save", message=question, product_id=page)
    assert reply.status_code == 303, reply.text
    return str(reply.headers["location"])


def answers(page: str) -> str:
    found = re.search(r'<section class="card" id="answers".*?</section>', page, re.DOTALL)
    assert found is not None
    return found[0]


async def test_a_question_is_saved_beside_its_answer_listed_and_deleted(admin: Admin) -> None:
    form = (await admin.editor.get("/admin/product", id="shirt")).text
    assert 'form="ask" formmethod="post" formaction="/admin/questions/save"' in form
    page = (await admin.editor.get(await save(admin, HOSTILE))).text
    assert "The question is saved." in page
    await save(admin, HOSTILE)
    (saved,) = await admin.services.catalog.questions.all()
    assert (saved.text, saved.sku, saved.actor) == (HOSTILE, "shirt", "edit")
    listed = (await admin.people["read"].get("/admin/questions")).text
    assert "&lt;script&gt;" in listed
    assert "<script>alert" not in listed
    assert "Linen Shirt" in listed
    assert "/admin/questions/delete" not in listed
    reply = await admin.editor.post("/admin/questions/delete", id=saved.id)
    assert reply.headers["location"] == "/admin/questions"
    assert "No question is saved" in (await admin.editor.get("/admin/questions")).text


async def test_only_who_may_edit_saves_and_only_from_our_own_form(admin: Admin) -> None:
    form = {"message": "A?", "product_id": "shirt"}
    for person, more in (
        (admin.people["read"], {}),
        (admin.editor, {"csrf": "wrong"}),
    ):
        for path in ("save", "delete"):
            reply = await person.post(f"/admin/questions/{path}", **form, **more)
            assert reply.status_code == 403
    assert (await admin.stranger.get("/admin/questions")).status_code == 303
    assert await admin.services.catalog.questions.all() == []


@pytest.mark.parametrize(
    ("question", "page", "status", "told"),
    [
        (" ", "shirt", 422, "A question has 1 to 500 characters."),
        ("x" * 501, "shirt", 422, "A question has 1 to 500 characters."),
        ("A?", "shoe", 404, "There is no product shoe."),
    ],
)
async def test_what_cannot_be_saved_is_told_as_a_page(
    admin: Admin, question: str, page: str, status: int, told: str
) -> None:
    reply = await admin.editor.post("/admin/questions/save", message=question, product_id=page)
    assert reply.status_code == status
    assert told in reply.text


async def test_a_preview_shows_which_answers_change(admin: Admin) -> None:
    await save(admin, "How much is it? " + HOSTILE, "SH-BLK")
    version = await admin.services.catalog.store.put([product("hat")], actor="setup")
    while admin.services.records.version < version:
        await admin.editor.get("/admin")
    await save(admin, "Is it in stock?", "hat")
    someone = admin.people["import"]
    page, path = await over(someone, await upload(someone, DEARER))
    shown = answers(page)
    assert "1 of 2 saved questions are answered otherwise." in shown
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
    before, after = shown.split("<tbody>")[1].split("</td><td>")
    assert "The black price is $30.00." in before
    assert "The black price is $45.00." in after
    assert before.count("Linen Shirt") == after.count("Linen Shirt") == 1
    chinese = (await someone.client.get(path, params={"lang": "zh"})).text
    assert "2 个已存问题中有 1 个的回答会改变。" in answers(chinese)
    await someone.client.get(path, params={"lang": "en"})
    page, _ = await over(someone, await someone.post(f"{path}/apply"))
    assert 'id="answers"' not in page


async def test_a_preview_says_plainly_that_nothing_changes_or_is_saved(admin: Admin) -> None:
    someone = admin.people["import"]
    page, _ = await over(someone, await upload(someone, DEARER))
    assert "No question is saved" in answers(page)
    await save(admin, "Is it linen?")
    page, _ = await over(someone, await upload(someone, DEARER.replace("45.00", "30.00")))
    assert "None of the 1 saved questions is answered otherwise." in answers(page)


async def test_a_comparison_that_broke_off_is_made_again_when_the_page_looks_again(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> Foreseen:
        raise OSError("the encoder is gone")

    await save(admin, "How much is it?")
    someone = admin.people["import"]
    with monkeypatch.context() as broken:
        broken.setattr(Foresight, "compare", fails)
        page, path = await over(someone, await upload(someone, DEARER))
        assert "being compared" in answers(page)
    assert "1 of 1 saved questions" in answers((await someone.get(path)).text)


async def test_a_page_does_not_wait_for_a_long_comparison(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serving.admin.imports._PATIENCE_S", 0)
    await save(admin, "How much is it?")
    someone = admin.people["import"]
    page, path = await over(someone, await upload(someone, DEARER))
    assert "being compared" in answers(page)
    assert '<meta http-equiv="refresh" content="3">' in page
    monkeypatch.setattr("serving.admin.imports._PATIENCE_S", 20)
    page = (await someone.get(path)).text
    assert "1 of 1 saved questions" in answers(page)
    assert "http-equiv" not in page
