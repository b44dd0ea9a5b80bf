"""The page of answers in words: each text a form, saved or taken back, never run."""

from tests.admin.conftest import Admin

PAGE, SAVE = "/admin/policies", "/admin/policies/save"
HOSTILE = "<script>alert(1)</script> {{ 7 * 7 }}"


async def test_a_text_is_saved_shown_and_taken_back(admin: Admin) -> None:
    reply = await admin.editor.post(SAVE, locale="en", name="returns", text=HOSTILE)
    assert reply.status_code == 303, reply.text
    page = (await admin.editor.get(str(reply.headers["location"]))).text
    assert "Saved: the next answer has it." in page
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page
    assert "{{ 7 * 7 }}" in page
    [own] = await admin.services.catalog.policies.all()
    assert (own.text, own.actor) == (HOSTILE, "edit")
    await admin.editor.post(SAVE, locale="en", name="returns", text=" ")
    assert await admin.services.catalog.policies.all() == ()


async def test_what_cannot_be_saved_changes_nothing(admin: Admin) -> None:
    long = await admin.editor.post(SAVE, locale="en", name="returns", text="x" * 2500)
    assert (long.status_code, "2,000" in long.text) == (422, True)
    for name, locale in (("nothing", "en"), ("returns", "fr")):
        reply = await admin.editor.post(SAVE, locale=locale, name=name, text="x")
        assert reply.status_code == 404
    assert (await admin.people["read"].post(SAVE, locale="en", name="returns")).status_code == 403
    assert (await admin.stranger.get(PAGE)).status_code == 303
    assert "<textarea" not in (await admin.people["read"].get(PAGE)).text
    assert await admin.services.catalog.policies.all() == ()
