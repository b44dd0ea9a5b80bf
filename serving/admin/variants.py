"""Changing price, sale and stock where they stand. Nobody's change is lost for another's."""

from dataclasses import dataclass, replace

from fastapi import APIRouter
from fastapi.responses import Response

from catalog.audit import HistoryEntry, history
from catalog.product import Product, Variant
from serving.admin.facts import Facts, facts_of
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


_FIELDS = ("price", "sale_price", "stock")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A row of the table as it was sent. `version` is the product's when it was shown.

    `shown` is what stood in the three fields then: what was left as it was is nobody's wish.
    """

    product_id: str
    sku: str
    version: int
    price: str
    sale: str
    stock: str
    shown: Facts

    @classmethod
    def of(cls, form: dict[str, str]) -> "Wanted":
        """Raises `ApiError` for what no form of ours sends."""
        version = form.get("version", "")
        if not (version.isascii() and version.isdecimal() and len(version) <= 18):
            raise ApiError("invalid_request", "version: is not a version")
        price, sale, stock = (form.get(name, "").strip() for name in _FIELDS)
        was_price, was_sale, was_stock = (form.get(f"shown_{name}", "") for name in _FIELDS)
        shown = (was_price, was_sale, was_stock)
        return cls(
            form.get("product_id", ""), form.get("sku", ""), int(version), price, sale, stock, shown
        )

    def patch(self) -> dict[str, object]:
        """What was changed; a blank sale is none, and a blank stock is not counted."""
        price, sale, stock = self.shown
        patch: dict[str, object] = {}
        if self.price != price:
            patch["price"] = self.price
        if self.sale != sale:
            patch["sale_price"] = self.sale or None
        if self.stock != stock:
            patch["stock"] = _count(self.stock)
        return patch

    def onto(self, now: Variant) -> "Wanted":
        """The same wish, where what was not changed is as it is now."""
        sent = (self.price, self.sale, self.stock)
        fields = zip(sent, self.shown, facts_of(now), strict=True)
        price, sale, stock = (new if new != old else current for new, old, current in fields)
        return replace(self, price=price, sale=sale, stock=stock)


@router.post("/variants")
async def save(visit: Editor) -> Response:
    """Save one row, and go back to where it stood."""
    wanted = Wanted.of(visit.form)
    product, _ = await _now(visit, wanted)
    try:
        if product.version != wanted.version:
            raise ApiError("version_conflict", visit.say("changed_meanwhile"))
        await _save(visit, wanted)
    except ApiError as error:
        if error.code in _AGAIN:
            return await _again(visit, wanted, error)
        raise
    return _back(visit, wanted)


async def _save(visit: Visit, wanted: Wanted) -> None:
    patch = validate(VariantPatch, wanted.patch(), visit.services.http.limits)

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
        wanted=wanted.onto(variant),
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


def _count(stock: str) -> int | str | None:
    """A number where it is one; what else was written is refused by name."""
    if not stock:
        return None
    return int(stock) if stock.isascii() and stock.isdecimal() and len(stock) < 18 else stock
