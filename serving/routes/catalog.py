"""Products and variants over HTTP: find, read, replace, patch, delete."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response

from catalog.formats.text import tidy
from catalog.product import Product
from serving.body import read_json, validate
from serving.catalog_contract import ProductJson, ProductPageJson, VariantAnswerJson
from serving.catalog_edits import Edited, Match
from serving.catalog_json import (
    merge,
    patched,
    product_from_body,
    product_to_json,
    variant_of,
    variant_to_json,
)
from serving.catalog_schemas import PATCH_EXAMPLES, ProductBody, VariantPatch
from serving.errors import ApiError
from serving.routes.catalog_common import BODY, Caller, Editor, Reader, answer, errors
from serving.routes.common import takes

router = APIRouter(prefix="/catalog", tags=["products"])

MERGE_PATCH = "application/merge-patch+json"
_PATCH_KINDS = (MERGE_PATCH, "application/json")

IfMatch = Annotated[
    str | None,
    Header(description="The ETag that was read: the change is refused if it is another by now."),
]


@router.get("/products", response_model=ProductPageJson, responses=errors())
async def find(
    caller: Reader,
    q: Annotated[
        str, Query(max_length=200, description="Words in an id, SKU, title, brand or category.")
    ] = "",
    cursor: Annotated[str | None, Query(max_length=1000, description="`next` of a page.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """Find products, ordered by id. All words of `q` must occur; without it, all products."""
    records = caller.services.records
    version = records.version
    page = await caller.catalog.search.page(records.products(), q, cursor, limit)
    found: ProductPageJson = {
        "products": [product_to_json(product) for product in page.products],
        "total": page.total,
        "next": page.next,
        "catalog_version": version,
    }
    return answer(found, version)


@router.get(
    "/products/{product_id:path}",
    response_model=ProductJson,
    responses={304: {"description": "as in If-None-Match"}, **errors("product_unknown")},
)
async def read(
    caller: Reader, product_id: str, if_none_match: Annotated[str | None, Header()] = None
) -> Response:
    """A product as it is stored, with its version as ETag."""
    product = await caller.catalog.store.get(product_id)
    if product is None:
        raise _unknown(product_id)
    version = max(product.version, caller.services.records.version)
    if if_none_match is not None and f'"{product.version}"' in if_none_match:
        return answer(None, version, status=304, etag=product.version)
    return answer(product_to_json(product), version, etag=product.version)


@router.put(
    "/products/{product_id:path}",
    response_model=ProductJson,
    responses={
        201: {"model": ProductJson, "description": "created"},
        **errors("version_conflict", "sku_taken", "store_busy", *BODY),
    },
    openapi_extra=takes(ProductBody),
)
async def put(
    caller: Editor,
    request: Request,
    product_id: str,
    if_match: IfMatch = None,
    if_none_match: Annotated[
        str | None, Header(description="`*`: create it, never replace one.")
    ] = None,
) -> Response:
    """Create a product, or replace the whole of one."""
    match = Match.of(if_match, if_none_match)
    wanted = _product(caller, product_id, await _body(caller, request))
    return await _product_answer(caller, await caller.edit(product_id, lambda now: wanted, match))


@router.patch(
    "/products/{product_id:path}",
    response_model=ProductJson,
    responses=errors("product_unknown", "version_conflict", "sku_taken", "store_busy", *BODY),
    openapi_extra=takes(ProductBody, MERGE_PATCH, PATCH_EXAMPLES),
)
async def patch(
    caller: Editor, request: Request, product_id: str, if_match: IfMatch = None
) -> Response:
    """Change parts of a product, by a JSON merge patch (RFC 7396).

    An object is merged, null removes, and a list (variants, attributes, options) is replaced whole.
    """
    match = Match.of(if_match)
    changes = await _body(caller, request, _PATCH_KINDS)
    if not isinstance(changes, dict):
        raise ApiError("invalid_request", "the body is not a JSON object: send {...}")

    def change(now: Product | None) -> Product:
        if now is None:
            raise _unknown(product_id)
        return _product(caller, product_id, merge(product_to_json(now), changes))

    return await _product_answer(caller, await caller.edit(product_id, change, match))


@router.delete(
    "/products/{product_id:path}",
    status_code=204,
    responses=errors("product_unknown", "version_conflict", "store_busy"),
)
async def delete(caller: Editor, product_id: str, if_match: IfMatch = None) -> Response:
    """Take a product out of the catalogue; its history stays."""

    def change(now: Product | None) -> None:
        if now is None:
            raise _unknown(product_id)

    edited = await caller.edit(product_id, change, Match.of(if_match))
    return answer(None, await caller.shown(edited.version), status=204)


@router.get(
    "/variants/{sku:path}", response_model=VariantAnswerJson, responses=errors("product_unknown")
)
async def read_variant(caller: Reader, sku: str) -> Response:
    """A variant by its SKU, however its blanks, case and width are written."""
    product = await _seller(caller, sku)
    version = max(product.version, caller.services.records.version)
    return answer(_variant_json(product, sku), version, etag=product.version)


@router.patch(
    "/variants/{sku:path}",
    response_model=VariantAnswerJson,
    responses=errors("product_unknown", "version_conflict", "store_busy", *BODY),
    openapi_extra=takes(VariantPatch),
)
async def patch_variant(
    caller: Editor, request: Request, sku: str, if_match: IfMatch = None
) -> Response:
    """Change a variant's price, sale price, stock or availability."""
    match = Match.of(if_match)
    changes = validate(
        VariantPatch, await _body(caller, request, _PATCH_KINDS), caller.services.http.limits
    )
    owner = await _seller(caller, sku)

    def change(now: Product | None) -> Product:
        if now is None or variant_of(now, sku) is None:
            raise _unknown_sku(sku)
        return patched(now, sku, changes)

    edited = await caller.edit(owner.id, change, match)
    assert edited.product is not None  # `change` gives one or raises
    content = _variant_json(edited.product, sku)
    return answer(content, await caller.shown(edited.version), etag=edited.product.version)


async def _body(
    caller: Caller, request: Request, kinds: tuple[str, ...] = ("application/json",)
) -> object:
    return await read_json(request, caller.catalog.config.body, kinds)


def _product(caller: Caller, product_id: str, data: object) -> Product:
    body = validate(ProductBody, data, caller.services.http.limits)
    if body.id not in (None, product_id):
        message = "id: is not the one in the path; an id cannot be changed: put a new product"
        raise ApiError("invalid_request", message, field="id")
    return tidy(product_from_body(product_id, body))


async def _product_answer(caller: Caller, edited: Edited) -> Response:
    assert edited.product is not None  # nothing but `delete` takes one away
    version = await caller.shown(edited.version)
    content = product_to_json(edited.product)
    status = 201 if edited.created else 200
    return answer(content, version, status=status, etag=edited.product.version)


async def _seller(caller: Caller, sku: str) -> Product:
    product = await caller.catalog.store.by_sku(sku)
    if product is None or variant_of(product, sku) is None:
        raise _unknown_sku(sku)
    return product


def _variant_json(product: Product, sku: str) -> VariantAnswerJson:
    variant = variant_of(product, sku)
    assert variant is not None  # looked for before
    return {
        "product_id": product.id,
        "version": product.version,
        "variant": variant_to_json(variant),
    }


def _unknown(product_id: str) -> ApiError:
    return ApiError("product_unknown", f"there is no product {product_id!r}: GET /catalog/products")


def _unknown_sku(sku: str) -> ApiError:
    return ApiError("product_unknown", f"there is no variant {sku!r}: GET /catalog/products?q=...")
