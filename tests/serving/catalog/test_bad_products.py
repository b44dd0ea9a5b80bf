"""Wrong products and patches get a 4xx that says what would be right; never a 500."""

import copy
import json
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from serving.catalog_schemas import EXAMPLE
from tests.catalog.make import product
from tests.serving.catalog.conftest import Api

JSON = {"content-type": "application/json"}
VARIANT = "/catalog/variants/SH-BLK"
PRODUCT = "/catalog/products/shirt"
DEEP = b'{"texts": ' + b'{"en": ' * 900 + b"1" + b"}" * 901

WRONG_PATCHES: list[tuple[Any, int, str]] = [
    (
        {"price": 12.34},
        422,
        "price.amount: a JSON number can lose cents: send a string such",
    ),
    ({"price": 12}, 422, "price.amount: a JSON number can lose cents"),
    ({"price": True}, 422, "price.amount: a JSON number can lose cents"),
    ({"price": {"amount": 1.5, "currency": "USD"}}, 422, "price.amount: a JSON number"),
    ({"price": "12,34"}, 422, "price.amount: is not an amount"),
    ({"price": "1.299,00"}, 422, "price.amount: is not an amount"),
    ({"price": "$12"}, 422, "price.amount: is not an amount"),
    ({"price": "12.34 USD"}, 422, "price.amount: is not an amount"),
    ({"price": "-1"}, 422, "price.amount: is not an amount"),
    ({"price": "1e3"}, 422, "price.amount: is not an amount"),
    ({"price": "NaN"}, 422, "price.amount: is not an amount"),
    ({"price": " 1"}, 422, "price.amount: is not an amount"),
    ({"price": "１２"}, 422, "price.amount: is not an amount"),
    ({"price": "1.123456789"}, 422, "price.amount: is not an amount"),
    ({"price": "9" * 13}, 422, "price.amount: is not an amount"),
    ({"price": ""}, 422, "price.amount: is not an amount"),
    ({"price": None}, 422, "price: cannot be null"),
    ({"price": []}, 422, 'price: send "12.34"'),
    ({"price": {"amount": "1", "currency": "usd"}}, 422, "price.currency: should match"),
    ({"price": {"amount": "1", "curency": "USD"}}, 422, "did you mean currency?"),
    ({"sale_price": 9.99}, 422, "sale_price.amount: a JSON number can lose cents"),
    ({"stock": -1}, 422, "stock: should be greater than or equal to 0"),
    ({"stock": 1.5}, 422, "stock: should be a valid integer"),
    ({"stock": "5"}, 422, "stock: should be a valid integer"),
    ({"stock": True}, 422, "stock: should be a valid integer"),
    ({"stock": 10**30}, 422, "stock: should be"),
    ({"availability": "sold out"}, 422, "'in_stock', 'out_of_stock'"),
    ({"availability": None}, 422, "availability: cannot be null"),
    ({"prise": "1"}, 422, "'prise' is not a field here; did you mean price?"),
    ({"\ud800": "1"}, 422, "is not a field here"),
    ([], 422, "not a JSON object"),
    (b"", 400, "the body is empty"),
    (b"{", 400, "not JSON"),
    (b'{"price": NaN}', 400, "NaN is not a JSON number"),
    (b'{"price": "\xff"}', 400, "not UTF-8"),
]

WRONG_PRODUCTS: list[tuple[dict[str, Any], str]] = [
    ({"locale": None}, "locale: is required"),
    ({"locale": "fr"}, "locale: should be 'en' or 'zh'"),
    ({"texts": {}}, "there is no text in the product's own language"),
    ({"texts": {"en": {"title": " "}}}, "the en title is empty"),
    ({"texts": {"en": {}}}, "texts.en.title: is required"),
    ({"texts": {"fr": {"title": "x"}}}, "'en' or 'zh'"),
    ({"texts": {"en": {"title": "a\x00b"}}}, "texts.en.title: contains NUL"),
    ({"texts": {"en": {"title": "\ud83d"}}}, "texts.en.title: contains half of a surrogate"),
    (
        {"texts": {"en": {"title": "x", "attributes": {"a": "b"}}}},
        "attributes: should be a va",
    ),
    (
        {"texts": {"en": {"title": "x", "attributes": [["a"]]}}},
        "attributes.0: should have at",
    ),
    ({"texts": {"en": {"title": "x", "attributes": [["", "b"]]}}}, "attributes.0: has no name"),
    ({"texts": {"en": {"title": "x" * 30_000}}}, "longer than 20000 characters"),
    ({"variants": []}, "a product has 1 to 2000 variants"),
    ({"variants": [{"sku": "a"}]}, "variants.0.price: is required"),
    ({"variants": [{"sku": "", "price": {"amount": "1", "currency": "USD"}}]}, "the SKU is empty"),
    ({"variants": [{"sku": " a", "price": {"amount": "1", "currency": "USD"}}]}, "blanks around"),
    ({"variants": [{"sku": "a\n", "price": {"amount": "1", "currency": "USD"}}]}, "control charac"),
    ({"variants": [{"sku": "a", "price": {"amount": 1, "currency": "USD"}}]}, "can lose cents"),
    ({"variants": [{"sku": "a", "price": "1.00"}]}, "variants.0.price: should be a valid dict"),
    (
        {
            "variants": [
                {"sku": s, "price": {"amount": "1", "currency": "USD"}} for s in ("A", "a ")
            ]
        },
        "blanks around it",
    ),
    (
        {"variants": [{"sku": s, "price": {"amount": "1", "currency": "USD"}} for s in ("A", "a")]},
        "SKU 'a' occurs twice",
    ),
    ({"variants": [{"sku": "6.93E+12", "price": {"amount": "1", "currency": "USD"}}]}, "shortened"),
    (
        {
            "variants": [
                {"sku": "a", "price": {"amount": "1", "currency": "USD"}, "gtin": "6.93e12"}
            ]
        },
        "GTIN 6.93e12 is a number that a spreadsheet has shortened",
    ),
    (
        {"variants": [{"sku": "a", "price": {"amount": "1", "currency": "ABC"}}]},
        "currency 'ABC' is not a code",
    ),
    ({"texts": {"en": {"title": "\u200b\u2060"}}}, "the en title is empty"),
    (
        {"texts": {"en": {"title": "x", "attributes": [["\u200b", "b"]]}}},
        "attributes.0: has no name",
    ),
    ({"id": "another"}, "id: is not the one in the path"),
    ({"colour": "red"}, "'colour' is not a field here"),
]


def said(reply: httpx.Response) -> str:
    assert "\n" not in reply.json()["error"]["message"]
    return str(reply.json()["error"]["message"])


def wire(body: object) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


@pytest.mark.parametrize(("patch", "status", "words"), WRONG_PATCHES)
async def test_a_wrong_patch_is_refused(api: Api, patch: object, status: int, words: str) -> None:
    reply = await api.editor.patch(VARIANT, content=wire(patch), headers=JSON)
    assert (reply.status_code, words in said(reply)) == (status, True), said(reply)
    assert (await api.stored()).version == 1


@pytest.mark.parametrize(("change", "words"), WRONG_PRODUCTS)
async def test_a_wrong_product_is_refused(api: Api, change: dict[str, Any], words: str) -> None:
    body = {k: v for k, v in {**copy.deepcopy(EXAMPLE), **change}.items() if v is not None}
    reply = await api.editor.put("/catalog/products/new", content=wire(body), headers=JSON)
    assert (reply.status_code, words in said(reply)) == (422, True), said(reply)
    assert await api.store.get("new") is None


async def test_a_patch_that_would_make_a_wrong_product_is_refused(api: Api) -> None:
    for patch in ({"variants": None}, {"texts": {"en": None}}, {"texts": 7}, {"id": "x"}):
        reply = await api.editor.patch(PRODUCT, json=patch)
        assert reply.status_code == 422, patch
    deep = await api.editor.patch(PRODUCT, content=DEEP, headers=JSON)
    assert deep.status_code in (400, 422)
    assert (await api.stored()).version == 1


async def test_another_kind_of_body_is_refused(api: Api) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        reply = await api.editor.patch(VARIANT, content=b"{}", headers={"content-type": kind})
        assert (reply.status_code, "Content-Type" in said(reply)) == (415, True)


async def test_a_product_larger_than_the_limit_is_refused(api: Api) -> None:
    reply = await api.editor.put(PRODUCT, content=b" " * (5 << 20), headers=JSON)
    assert (reply.status_code, "over 4,194,304 bytes" in said(reply)) == (413, True)


@pytest.mark.parametrize("method", ["POST", "TRACE", "LINK"])
async def test_another_method_is_refused(api: Api, method: str) -> None:
    reply = await api.editor.request(method, PRODUCT)
    assert (reply.status_code, "use" in said(reply)) == (405, True)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def nearly_right(draw: st.DrawFn) -> Any:
    """The example product with one to three places overwritten, removed or added to."""
    body = copy.deepcopy(EXAMPLE)
    for _ in range(draw(st.integers(1, 3))):
        place: Any = body
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if not isinstance(place[key], dict | list) or draw(st.booleans()):
                action = draw(st.sampled_from(["replace", "remove", "twice"]))
                if action == "remove":
                    del place[key]
                elif action == "twice" and isinstance(place, list):
                    place.append(place[key])
                else:
                    place[key] = draw(anything)
                break
            place = place[key]
    return body


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=nearly_right() | anything)
@example(body={**EXAMPLE, "texts": {"e\nn": {"title": "x"}}})
async def test_no_body_makes_a_fault(api: Api, body: object) -> None:
    await api.store.put([product("other")], actor="setup")
    content = json.dumps(body).encode()
    fuzzed = ("/catalog/products/new", "/catalog/products/other", VARIANT)
    for method, path in zip(("PUT", "PATCH", "PATCH"), fuzzed, strict=True):
        reply = await api.editor.request(method, path, content=content, headers=JSON)
        assert reply.status_code in (200, 201, 400, 409, 422), reply.text
        if reply.status_code >= 400:
            assert said(reply)
