"""What a merchandiser does all day, in a real browser."""

import pytest
from playwright.async_api import ConsoleMessage, FilePayload, expect

from catalog.product import Locale, Product, Text
from tests.admin.conftest import SHIRT
from tests.e2e.conftest import Desk

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

FILE = (
    "\ufeffsku,title,price,currency,stock\n"
    "HAT-1,Wool Hat,12.30,USD,4\n"
    "HAT-2,Felt Hat,abc,USD,1\n"
    "hat-1 ,Wool Hat again,1.00,USD,1\n"
)
DEARER = "sku,title,price,currency,stock\nSH-BLK,Linen Shirt,41.50,USD,4\n"
SLOW_MS = 60_000
SAVED_MS = 1_200
"""After which every gateway has what was saved."""
HOSTILE = (
    "<script>document.title='run'</script><iframe src=\"/healthz\"></iframe>"
    "<img src=x onerror=\"document.title='run'\">{{ 7 * 7 }}"
)


async def test_a_file_with_faults_is_previewed_applied_asked_about_and_undone(desk: Desk) -> None:
    page = desk.page
    await desk.sign_in()
    await page.get_by_role("link", name="Imports").click()
    file: FilePayload = {"name": "hats.csv", "mimeType": "text/csv", "buffer": FILE.encode()}
    await page.get_by_label("File (CSV").set_input_files(file)
    await page.get_by_label("Partial").check()
    await page.get_by_role("button", name="Upload and preview").click()

    status = page.locator("#status")
    await expect(status).to_contain_text("previewed, not applied", timeout=SLOW_MS)
    problems = page.locator("#problems tbody tr")
    await expect(problems).to_have_count(2)
    await expect(problems.nth(0)).to_contain_text("abc")
    await expect(problems.nth(0)).to_contain_text("HAT-2")
    await expect(problems.nth(1)).to_contain_text("hat-1")
    assert await desk.services.catalog.store.get("HAT-1") is None

    await page.get_by_role("button", name="Apply").click()
    await expect(status).to_have_text("applied", timeout=SLOW_MS)
    await expect(page.get_by_text("+ 2 refused = 3 rows of the file")).to_be_visible()

    await page.get_by_role("link", name="HAT-1").click()
    await page.get_by_role("button", name="Ask").click()
    await expect(page.locator("#answer")).to_have_text("It costs 12.30")
    await expect(page.locator("#answer-about")).to_contain_text("catalogue version")

    await page.locator(".history a").first.click()
    await page.get_by_role("button", name="Undo this import").click()
    await expect(status).to_have_text("undone", timeout=SLOW_MS)
    assert await desk.services.catalog.store.get("HAT-1") is None


async def test_an_edited_price_is_in_the_next_answer(desk: Desk) -> None:
    page = desk.page
    await desk.sign_in()
    await page.get_by_label("Price of SH-BLK", exact=True).fill("33.75")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_contain_text("Saved: SH-BLK")
    await page.get_by_role("link", name="Linen Shirt").click()
    await page.get_by_role("button", name="Ask").click()
    await expect(page.locator("#answer")).to_contain_text("33.75")


async def test_a_saved_question_shows_in_the_preview_what_an_import_would_change(
    desk: Desk,
) -> None:
    page = desk.page
    await desk.sign_in()
    await page.get_by_role("link", name="Linen Shirt").click()
    await page.get_by_label("Question about this product").fill("How much is the black one?")
    await page.get_by_role("button", name="Save this question").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_have_text("The question is saved.")
    await page.get_by_role("navigation").get_by_role("link", name="Saved questions").click()
    await expect(page.locator("#questions tbody tr")).to_have_count(1)

    await page.get_by_role("link", name="Imports").click()
    file: FilePayload = {"name": "new.csv", "mimeType": "text/csv", "buffer": DEARER.encode()}
    await page.get_by_label("File (CSV").set_input_files(file)
    await page.get_by_role("button", name="Upload and preview").click()
    answers = page.locator("#answers")
    await expect(answers).to_contain_text("1 of 1 saved questions", timeout=SLOW_MS)
    before, after = answers.locator("tbody td").nth(0), answers.locator("tbody td").nth(1)
    await expect(before).to_contain_text("The black price is $30.00.")
    await expect(after).to_contain_text("The black price is $41.50.")


async def test_why_a_question_finds_what_it_finds_is_shown(desk: Desk) -> None:
    page = desk.page
    await desk.sign_in()
    await page.get_by_role("navigation").get_by_role("link", name="Why found").click()
    await page.get_by_label("Question").fill("something made of linen")
    await page.get_by_role("button", name="Search").click()
    found = page.locator("#found")
    await expect(found.get_by_role("link", name="Linen Shirt")).to_be_visible()
    await expect(found).to_contain_text("found by search")
    await expect(page.locator("#candidates tbody tr")).to_have_count(1)
    await expect(page.locator("#candidates tbody")).to_contain_text("Linen Shirt")


async def test_a_text_that_is_changed_is_the_next_shoppers_answer(desk: Desk) -> None:
    page = desk.page
    await desk.sign_in()
    await page.get_by_role("navigation").get_by_role("link", name="Answers in words").click()
    card = page.locator("#en-human")
    await card.get_by_label("Text").fill("Ring 555 0100, from nine to five.")
    await card.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("status")).to_contain_text("the next answer has it")
    await page.wait_for_timeout(SAVED_MS)

    await page.get_by_role("navigation").get_by_role("link", name="Products").click()
    await page.get_by_role("link", name="Linen Shirt").click()
    await page.get_by_label("Question about this product").fill("I want to talk to a human")
    await page.get_by_role("button", name="Ask").click()
    await expect(page.locator("#answer")).to_have_text("Ring 555 0100, from nine to five.")


async def test_text_that_would_run_is_shown_instead(desk: Desk) -> None:
    page = desk.page
    complaints: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(message.text)

    page.on("console", note)
    texts: dict[Locale, Text] = {"en": Text(HOSTILE, HOSTILE, HOSTILE, ((HOSTILE, HOSTILE),))}
    hostile = Product(HOSTILE, "en", texts, SHIRT.variants, brand=HOSTILE)
    desk.engine.also = f" {HOSTILE}"
    await desk.services.catalog.store.delete(["shirt"], actor="setup")
    await desk.services.catalog.store.put([hostile], actor=HOSTILE)
    await desk.sign_in()
    await page.get_by_role("link", name="<script>").click()
    await expect(page.locator(".text")).to_have_text(HOSTILE)
    await page.get_by_role("button", name="Ask").click()
    await expect(page.locator("#answer")).to_contain_text("It costs")
    await expect(page.locator("#answer")).to_contain_text(HOSTILE)
    assert await page.locator("iframe, img, main script").count() == 0
    assert "run" not in (await page.title()).split(" · ")[-1]
    assert complaints == []
