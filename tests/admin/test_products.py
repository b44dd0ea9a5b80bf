"""Finding and editing: what is shown is what is stored, and nobody's change is lost."""

import html
import re
from dataclasses import replace
from decimal import Decimal

import httpx
import pytest

from catalog.product import Locale, Product, Text
from tests.admin.conftest import SHIRT, Admin
from tests.catalog.make import product, variant

HOSTILE = '"><script>alert(1)</script><iframe src=//evil.test></iframe>{{ 7 * 7 }}'


def row(admin_version: int, **more: str) -> dict[str, str]:
    """A row of the table as its form sends it."""
    return {
        "product_id": "shirt",
        "sku": "SH-BLK",
        "version": str(admin_version),
        "price": "30.00",
        "sale_price": "",
        "stock": "4",
        "shown_price": "30.00",
        "shown_sale_price": "",
        "shown_stock": "4",
        **more,
    }


async def save(admin: Admin, **more: str) -> httpx.Response:
    version = (await admin.stored()).version
    return await admin.editor.post("/admin/variants", **row(version, **more))


async def test_products_are_found_by_their_words_page_by_page(admin: Admin) -> None:
    hats = [product(f"hat-{number:02}", title=f"Hat {number}") for number in range(30)]
    version = await admin.services.catalog.store.put(hats, actor="setup")
    await admin.people["read"].get("/admin/product", id="hat-00")
    while admin.services.records.version < version:
        await admin.people["read"].get("/admin")
    first = (await admin.people["read"].get("/admin", q="hat")).text
    assert "30 products found" in first
    assert "hat-24" in first
    assert "hat-25" not in first
    following = first.split('rel="next" href="')[1].split('"')[0]
    second = (await admin.people["read"].get(html.unescape(following))).text
    assert "hat-25" in second
    assert "hat-24" not in second
    assert "No product has all" in (await admin.people["read"].get("/admin", q="hat xyz")).text


async def test_a_row_is_saved_and_told_in_the_history(admin: Admin) -> None:
    reply = await save(admin, price="31.50", sale_price="29.00", stock="", **{"from": "product"})
    assert reply.status_code == 303
    page = (await admin.editor.get(reply.headers["location"])).text
    stored = (await admin.stored()).variants[0]
    assert (str(stored.price), str(stored.sale_price), stored.stock) == (
        "31.50 USD",
        "29.00 USD",
        None,
    )
    assert "Saved: SH-BLK" in page
    for told in ("<del>30.00 USD</del>", "<ins>31.50 USD</ins>", "<strong>edit</strong>"):
        assert told in page


async def test_saving_a_row_leaves_alone_what_was_not_changed(admin: Admin) -> None:
    sold_out = replace(SHIRT.variants[0], availability="out_of_stock")
    changed = replace(SHIRT, variants=(sold_out, SHIRT.variants[1]))
    await admin.services.catalog.store.put([changed], actor="setup")
    await save(admin, price="31.00")
    now = (await admin.stored()).variants[0]
    assert (now.price.amount, now.availability) == (Decimal("31.00"), "out_of_stock")


async def test_who_was_slower_is_told_who_changed_what_and_may_still_save(admin: Admin) -> None:
    seen = (await admin.stored()).version
    faster = await admin.people["import"].post(
        "/admin/variants", **row(seen, price="25.00", stock="9")
    )
    assert faster.status_code == 303
    slower = await admin.editor.post("/admin/variants", **row(seen, price="28.00"))
    assert slower.status_code == 409
    for told in ("<strong>import</strong>", "<ins>25.00 USD</ins>", 'value="28.00"'):
        assert told in slower.text
    assert (await admin.stored()).variants[0].price.amount == Decimal("25.00")
    current = (await admin.stored()).version
    assert f'name="version" value="{current}"' in slower.text
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', slower.text))
    assert (fields["shown_price"], fields["stock"]) == ("25.00", "9")
    again = await admin.editor.post("/admin/variants", **fields)
    assert again.status_code == 303
    stored = (await admin.stored()).variants[0]
    assert (stored.price.amount, stored.stock) == (Decimal("28.00"), 9)


@pytest.mark.parametrize(
    "wrong",
    [
        {"price": "12,34"},
        {"price": ""},
        {"price": "-1"},
        {"stock": "many"},
        {"stock": "-1"},
        {"sale_price": "30.00"},
    ],
)
async def test_a_wrong_value_is_shown_again_and_nothing_is_saved(
    admin: Admin, wrong: dict[str, str]
) -> None:
    before = await admin.stored()
    reply = await save(admin, **wrong)
    assert reply.status_code == 422
    (value,) = wrong.values()
    assert f'value="{value}"' in reply.text
    assert await admin.stored() == before


async def test_what_a_product_says_is_shown_and_never_markup(admin: Admin) -> None:
    texts: dict[Locale, Text] = {"en": Text(HOSTILE, HOSTILE, HOSTILE, ((HOSTILE, HOSTILE),))}
    options = replace(variant(HOSTILE), options=((HOSTILE, HOSTILE),))
    hostile = Product(HOSTILE, "en", texts, (options,), HOSTILE, HOSTILE, HOSTILE)
    version = await admin.services.catalog.store.put([hostile], actor=HOSTILE)
    await admin.services.catalog.pins.pin(HOSTILE, actor=HOSTILE)
    await admin.people["read"].get("/admin")
    while admin.services.records.version < version:
        await admin.people["read"].get("/admin")
    for path in ("/admin", "/admin/product", "/admin/pins"):
        for someone in admin.people.values():
            page = (await someone.get(path, id=HOSTILE, q=HOSTILE, saved=HOSTILE)).text
            assert "<iframe" not in page
            assert "<script>" not in page
            assert html.escape(HOSTILE, quote=False).replace('"', "&#34;") in page


async def test_a_product_that_is_gone_has_its_history_still(admin: Admin) -> None:
    await admin.services.catalog.store.delete(["shirt"], actor="ben")
    page = await admin.editor.get("/admin/product", id="shirt")
    assert page.status_code == 200
    assert "not in the catalogue any more" in page.text
    assert "<strong>ben</strong>" in page.text
    gone = await admin.editor.post("/admin/variants", **row(1, price="1.00"))
    assert gone.status_code == 404
    assert (await admin.editor.get("/admin/product", id="never")).status_code == 404


async def test_a_pin_has_an_end_or_none_and_can_be_taken_away(admin: Admin) -> None:
    pins = admin.services.catalog.pins
    for days, expected in (("7", 7 * 86400.0), ("", None)):
        reply = await admin.editor.post("/admin/pins/pin", product_id="shirt", days=days)
        assert reply.status_code == 303
        pin = await pins.get("shirt")
        assert pin is not None
        assert (pin.until and pin.until - pin.since) == expected
        assert "Linen Shirt" in (await admin.editor.get("/admin/pins")).text
    for days in ("0", "-1", "soon", "3651", "99999999"):
        wrong = await admin.editor.post("/admin/pins/pin", product_id="shirt", days=days)
        assert wrong.status_code == 422
    await admin.editor.post("/admin/pins/unpin", product_id="shirt")
    assert await pins.get("shirt") is None
    unknown = await admin.editor.post("/admin/pins/pin", product_id="never", days="")
    assert unknown.status_code == 404
