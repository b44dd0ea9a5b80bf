"""Products between the catalogue and its HTTP interface, and what a patch makes of one."""

from dataclasses import replace
from decimal import Decimal

from catalog.product import Availability, Money, Pairs, Product, Text, Variant
from catalog.skus import sku_key
from serving.catalog_contract import MoneyJson, ProductJson, TextJson, VariantJson
from serving.catalog_schemas import (
    MoneyBody,
    MoneyPatch,
    ProductBody,
    TextBody,
    VariantBody,
    VariantPatch,
)
from serving.errors import ApiError

_DEEPEST = 8
"""Levels of a merge patch that are merged; products have fewer."""


def money_to_json(money: Money) -> MoneyJson:
    """Without an exponent, whatever the amount."""
    return {"amount": format(money.amount, "f"), "currency": money.currency}


def variant_to_json(variant: Variant) -> VariantJson:
    """A variant with every field."""
    sale = variant.sale_price
    return {
        "sku": variant.sku,
        "price": money_to_json(variant.price),
        "sale_price": None if sale is None else money_to_json(sale),
        "options": [list(pair) for pair in variant.options],
        "stock": variant.stock,
        "availability": variant.availability,
        "gtin": variant.gtin,
    }


def text_to_json(text: Text) -> TextJson:
    """What a shopper reads in one language."""
    return {
        "title": text.title,
        "description": text.description,
        "category": text.category,
        "attributes": [list(pair) for pair in text.attributes],
        "labels": dict(text.labels),
    }


def product_to_json(product: Product) -> ProductJson:
    """A product with every field, in the form in which `PUT` takes it."""
    return {
        "id": product.id,
        "version": product.version,
        "locale": product.locale,
        "texts": {locale: text_to_json(text) for locale, text in product.texts.items()},
        "variants": [variant_to_json(variant) for variant in product.variants],
        "brand": product.brand,
        "url": product.url,
        "image": product.image,
    }


def product_from_body(product_id: str, body: ProductBody) -> Product:
    """A product that has not been stored yet. Raises `ApiError`."""
    return Product(
        id=product_id,
        locale=body.locale,
        texts={locale: _text(text) for locale, text in body.texts.items()},
        variants=tuple(_variant(variant) for variant in body.variants),
        brand=body.brand,
        url=body.url,
        image=body.image,
    )


def merge(target: object, patch: object, depth: int = 0) -> object:
    """`target` changed by a JSON merge patch (RFC 7396); lists are replaced whole."""
    if not isinstance(patch, dict) or depth > _DEEPEST:
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge(merged.get(name), value, depth + 1)
    return merged


def variant_of(product: Product, sku: str) -> Variant | None:
    """The variant with this SKU, however it is written."""
    key = sku_key(sku)
    return next((variant for variant in product.variants if sku_key(variant.sku) == key), None)


def patched(product: Product, sku: str, patch: VariantPatch) -> Product:
    """`product` with live facts of its variant `sku` changed, however that is written.

    A sale ends when the price comes down to it. Raises `ApiError`.
    """
    key = sku_key(sku)
    return replace(
        product,
        variants=tuple(
            _patched_variant(variant, patch) if sku_key(variant.sku) == key else variant
            for variant in product.variants
        ),
    )


def _patched_variant(variant: Variant, patch: VariantPatch) -> Variant:
    given = patch.model_fields_set
    price, sale = variant.price, variant.sale_price
    if patch.price is not None:
        price = _new_money(patch.price, price.currency)
        if sale is not None and sale.currency == price.currency and sale.amount >= price.amount:
            sale = None
    if patch.sale_price is not None:
        sale = _below(price, _new_money(patch.sale_price, price.currency))
    elif "sale_price" in given:
        sale = None
    availability = variant.availability
    if "stock" in given:
        availability = _availability_at(availability, patch.stock)
    return replace(
        variant,
        price=price,
        sale_price=sale,
        stock=patch.stock if "stock" in given else variant.stock,
        availability=patch.availability or availability,
    )


def _below(price: Money, sale: Money) -> Money:
    """`sale`, which must be lower than `price`. Raises `ApiError`."""
    if sale.currency == price.currency and sale.amount >= price.amount:
        message = f"sale_price: {sale} is not below the price {price}: send a lower one, or null"
        raise ApiError("invalid_request", message, field="sale_price")
    return sale


def _availability_at(now: Availability, stock: int | None) -> Availability:
    """What follows from a new count; what can be ordered ahead stays so."""
    if stock == 0 and now == "in_stock":
        return "out_of_stock"
    return "in_stock" if stock and now == "out_of_stock" else now


def _new_money(money: MoneyPatch, currency: str) -> Money:
    return Money(Decimal(money.amount), money.currency or currency)


def _money(money: MoneyBody) -> Money:
    return Money(Decimal(money.amount), money.currency)


def _pairs(pairs: list[list[str]]) -> Pairs:
    return tuple((name, value) for name, value in pairs)


def _text(text: TextBody) -> Text:
    return Text(
        text.title, text.description, text.category, _pairs(text.attributes), dict(text.labels)
    )


def _variant(variant: VariantBody) -> Variant:
    price, sale = _money(variant.price), variant.sale_price
    return Variant(
        sku=variant.sku,
        price=price,
        options=_pairs(variant.options),
        sale_price=None if sale is None else _below(price, _money(sale)),
        stock=variant.stock,
        availability=variant.availability or ("out_of_stock" if variant.stock == 0 else "in_stock"),
        gtin=variant.gtin,
    )
