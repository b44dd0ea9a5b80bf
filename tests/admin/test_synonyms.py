"""The page of synonyms: saved, shown to who may not edit, refused without losing the text."""

from tests.admin.conftest import Admin

PAGE, SAVE = "/admin/synonyms", "/admin/synonyms/save"
HOSTILE = "<script>alert(1)</script>, {{ 7 * 7 }}"


async def test_synonyms_are_saved_and_shown_as_they_were_written(admin: Admin) -> None:
    reply = await admin.editor.post(SAVE, text=f"sofa, couch\n{HOSTILE}")
    assert reply.status_code == 303
    page = (await admin.editor.get(str(reply.headers["location"]))).text
    assert "The synonyms are saved." in page
    assert "sofa, couch" in page
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page
    assert (await admin.services.catalog.synonyms.get()).actor == "edit"
    read_only = (await admin.people["read"].get(PAGE)).text
    assert "sofa, couch" in read_only
    assert "<textarea" not in read_only
    chinese = (await admin.editor.client.get(PAGE, params={"lang": "zh"})).text
    assert "意思相同的词" in chinese


async def test_what_cannot_be_used_comes_back_with_the_line_at_fault(admin: Admin) -> None:
    reply = await admin.editor.post(SAVE, text="sofa, couch\nlonely")
    assert reply.status_code == 422
    assert "Line 2: write 2 to 32 words" in reply.text
    assert "lonely" in reply.text
    reply = await admin.editor.post(SAVE, text="a, b\n" * 50_000)
    assert (reply.status_code, "200,000" in reply.text) == (422, True)
    assert (await admin.editor.post(SAVE, text="a,b\x00")).status_code == 422
    assert (await admin.services.catalog.synonyms.get()).text == ""


async def test_only_who_may_edit_saves_and_only_from_our_own_form(admin: Admin) -> None:
    assert (await admin.people["read"].post(SAVE, text="a, b")).status_code == 403
    assert (await admin.editor.post(SAVE, text="a, b", csrf="wrong")).status_code == 403
    assert (await admin.stranger.get(PAGE)).status_code == 303
    assert (await admin.services.catalog.synonyms.get()).text == ""
