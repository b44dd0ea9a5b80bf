"""Changing price, sale and stock where they stand. Nobody's change is lost for another's."""

from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response

from catalog.audit import HistoryEntry, history
from catalog.product import Money, Product, Variant
from serving.admin.routing import AdminRoute
from serving.admin.visit import Editor, Visit, to
from serving.body import validate
from serving.catalog_edits import Match
from serving.catalog_json import patched, variant_of
from serving.catalog_schemas import VariantPatch
from serving.errors import ApiError

router = APIRouter(route_class=AdminRoute)

_AGAIN = ("version_conflict", "invalid_request", "sku_taken")
"""Refusals after which the form is shown again, with what was wanted."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A row of the table as it was sent. `version` is the product's when it was shown."""

    product_id: str
    sku: str
    version: int
    price: str
    sale: str
    stock: str

    @classmethod
    def of(cls, form: dict[str, str]) -> "Wanted":
        """Raises `ApiError` for what no form of ours sends."""
        version = form.get("version", "")
        if not (version.isascii() and version.isdecimal() and len(version) <= 18):
            raise ApiError("invalid_request", "version: is not a version")
        written = (form.get(name, "").strip() for name in ("price", "sale_price", "stock"))
        return cls(form.get("product_id", ""), form.get("sku", ""), int(version), *written)

    def patch(self, now: Variant) -> dict[str, object]:
        """What differs from `now`; a blank sale is none, and a blank stock is not counted."""
        patch: dict[str, object] = {}
        if self.price != amount(now.price):
            patch["price"] = self.price
        if self.sale != amount(now.sale_price):
            patch["sale_price"] = self.sale or None
        if self.stock != ("" if now.stock is None else str(now.stock)):
            patch["stock"] = _count(self.stock)
        return patch


@router.post("/variants")
async def save(visit: Editor) -> Response:
    """Save one row, and go back to where it stood."""
    wanted = Wanted.of(visit.form)
    product, variant = await _now(visit, wanted)
    try:
        if product.version != wanted.version:
            raise ApiError("version_conflict", visit.say("changed_meanwhile"))
        await _save(visit, wanted, variant)
    except ApiError as error:
        if error.code in _AGAIN:
            return await _again(visit, wanted, error)
        raise
    return _back(visit, wanted)


async def _save(visit: Visit, wanted: Wanted, variant: Variant) -> None:
    patch = validate(VariantPatch, wanted.patch(variant), visit.services.http.limits)

    def change(now: Product | None) -> Product:
        assert now is not None  # a product that is gone is at no version that matches
        return patched(now, wanted.sku, patch)

    match = Match(frozenset({wanted.version}))
    edited = await visit.caller.edit(wanted.product_id, change, match)
    await visit.caller.shown(edited.version)


async def _now(visit: Visit, wanted: Wanted) -> tuple[Product, Variant]:
    product = await visit.catalog.store.get(wanted.product_id)
    variant = None if product is None else variant_of(product, wanted.sku)
    if product is None or variant is None:
        raise ApiError("product_unknown", visit.say("gone_meanwhile", sku=wanted.sku))
    return product, variant


async def _again(visit: Visit, wanted: Wanted, error: ApiError) -> Response:
    """The row once more: what is there now, what was wanted, and who was faster."""
    product, variant = await _now(visit, wanted)
    conflict = error.code == "version_conflict"
    since: list[HistoryEntry] = []
    if conflict:
        entries = await history(visit.catalog.store, wanted.product_id)
        since = [entry for entry in entries if entry.version > wanted.version]
    return visit.page(
        "edit.html",
        code=409 if conflict else error.status,
        product=product,
        variant=variant,
        wanted=wanted,
        since=since,
        conflict=conflict,
        message=error.message,
        back={name: visit.form.get(name, "") for name in ("from", "q", "cursor")},
    )


def _back(visit: Visit, wanted: Wanted) -> Response:
    if visit.form.get("from") == "product":
        return to("/admin/product", id=wanted.product_id, saved=wanted.sku)
    query = {name: visit.form.get(name, "") for name in ("q", "cursor")}
    return to("/admin", **{k: v for k, v in query.items() if v}, saved=wanted.sku)


def amount(money: Money | None) -> str:
    """Without currency or exponent; empty for none."""
    return "" if money is None else format(money.amount, "f")


def _count(stock: str) -> int | str | None:
    """A number where it is one; what else was written is refused by name."""
    if not stock:
        return None
    return int(stock) if stock.isascii() and stock.isdecimal() and len(stock) < 18 else stock
