"""JSON records with variants of their own: what our export writes, and what people write by hand.

`{"id", "locale", "texts": {"en": {"title", ...}}, "variants": [{"sku", "price", ...}], "brand"...}`
is exact. By hand, `title` and its like may stand beside `variants` (any further key is an
attribute), a price may be `"9.99"`, and options may be `{"color": "black"}`.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast, get_args

from catalog.formats.cells import Cells, Refusal
from catalog.formats.columns import PLAIN, normal_header
from catalog.formats.jsonfile import as_cell, is_nested, spaced
from catalog.formats.model import KEEP, Keep, RowPatch, TextPatch, VariantPatch
from catalog.formats.money import currency_of, parse_money
from catalog.formats.numbers import NumberError
from catalog.formats.plain import NO_FORMS
from catalog.formats.reasons import why
from catalog.formats.sources import Record
from catalog.formats.text import clean, clean_line
from catalog.product import LOCALES, Availability, Locale, Money, Pairs
from catalog.skus import shortened

_MAX_PIECES = 10**9
_LIST = why("not_a_list_of_objects", example='[{"sku": "..."}]')
_TEXTS = why("not_an_object", example='{"en": {"title": "..."}}')
_LABELS = why("not_an_object", example='{"black": "黑色"}')
_PAIRS = why("not_pairs", example='[["color", "black"], ["size", "M"]]')
_STRUCTURE = frozenset({"texts", "variants", "version", "labels", "attributes"})


def native_patch(record: Record, cells: Cells) -> RowPatch:
    """What a native record says. Problems are noted in `cells`, or raised as `Refusal`."""
    fields = _by_role(record)
    product_id = _word(fields.get("product_id", fields.get("item", fields.get("sku", ""))))
    if not product_id:
        raise Refusal("id", "", why("id_missing"))
    cells.sku = product_id
    _whole(product_id, "id", cells)
    variants, texts = fields["variants"], fields.get("texts", {})
    if not isinstance(variants, list) or not all(isinstance(v, dict) for v in variants):
        raise Refusal("variants", str(variants), _LIST)
    if not isinstance(texts, dict) or not all(isinstance(t, dict) for t in texts.values()):
        raise Refusal("texts", str(texts), _TEXTS)
    for locale in texts:
        if locale not in LOCALES:
            cells.problem("texts", str(locale), why("not_a_language"))
    return RowPatch(
        cells.line,
        product_id,
        tuple(_variant(_by_role(variant), cells) for variant in variants),
        None if texts else _flat_text(fields, cells),
        {locale: _text(text, cells) for locale, text in texts.items() if locale in LOCALES},
        _locale(fields, cells),
        _line(fields, "brand"),
        _line(fields, "url"),
        _line(fields, "image"),
    )


def _by_role(record: Record) -> dict[str, Any]:
    """A record by the meaning of its keys, in English or Chinese."""
    fields: dict[str, Any] = {}
    for key, value in record.items():
        role = "variants" if is_nested(key, value) else PLAIN.get(normal_header(spaced(key)), key)
        if role:
            fields.setdefault(role, value)
    return fields


def _variant(record: Record, cells: Cells) -> VariantPatch:
    sku = _word(record.get("sku", record.get("product_id", "")))
    if not sku:
        raise Refusal("sku", "", why("variant_without_sku"))
    cells.sku = sku
    _whole(sku, "sku", cells)
    availability = record.get("availability", KEEP)
    if availability is not KEEP and availability not in get_args(Availability):
        cells.problem("availability", str(availability), why("not_an_availability"))
    price = _money(record, "price", cells)
    if price is None:
        cells.problem("price", "", why("price_empty"))
    return VariantPatch(
        sku,
        KEEP if price is None else price,
        _money(record, "sale_price", cells),
        _stock(record, cells),
        cast(Availability | Keep, availability),
        _gtin(record, cells),
        _options(record, cells),
    )


def _gtin(record: Record, cells: Cells) -> str | Keep | None:
    gtin = _line(record, "gtin")
    return gtin if gtin is KEEP else _whole(gtin, "gtin", cells) or None


def _whole(identifier: str, key: str, cells: Cells) -> str:
    """`identifier`; that it was shortened is noted."""
    if shortened(identifier):
        cells.problem(key, identifier, why("shortened"))
    return identifier


def _options(record: Record, cells: Cells) -> Pairs | Keep:
    if "options" in record:
        return _pairs(record["options"], "options", cells)
    form = record.get("form")
    forms = [form] if isinstance(form, str) else form
    if not isinstance(forms, list) or not forms:
        return KEEP
    named = [("规格" if len(forms) == 1 else f"规格{n}", _word(f)) for n, f in enumerate(forms, 1)]
    return tuple((name, clean_line(value)) for name, value in named if value not in NO_FORMS)


def _money(record: Record, key: str, cells: Cells) -> Money | Keep | None:
    if key not in record:
        return KEEP
    value = record[key]
    default = cells.context.currency
    if value is None or value == "":
        return None
    try:
        if isinstance(value, dict) and {"amount", "currency"} <= set(value):
            currency = currency_of(_word(value["currency"]), default)
            return Money(Decimal(str(value["amount"])), currency)
        if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
            return parse_money(str(value), cells.context.decimals, default)
    except NumberError as error:
        cells.problem(key, str(value), error.why)
        return KEEP
    except ArithmeticError:
        pass
    cells.problem(key, str(value), why("not_an_amount"))
    return KEEP


def _stock(record: Record, cells: Cells) -> int | Keep | None:
    if "stock" not in record:
        return KEEP
    stock = record["stock"]
    if stock is None:
        return None
    if isinstance(stock, int) and not isinstance(stock, bool) and 0 <= stock < _MAX_PIECES:
        return stock
    cells.problem("stock", str(stock), why("not_a_count"))
    return KEEP


def _flat_text(fields: Record, cells: Cells) -> TextPatch:
    """Texts beside the variants; what has no other meaning is an attribute."""
    known = _STRUCTURE | set(PLAIN.values())
    further = ((key, as_cell(value)) for key, value in fields.items() if key not in known)
    text = _text(fields, cells)
    attributes = tuple((clean_line(key), clean(cell)) for key, cell in further if cell)
    return TextPatch(
        text.title,
        text.description,
        text.category,
        (*text.attributes, *attributes),
        whole=text.whole,
        labels=text.labels,
    )


def _text(record: Record, cells: Cells) -> TextPatch:
    labels = record.get("labels", KEEP)
    if labels is not KEEP and not isinstance(labels, dict):
        cells.problem("labels", str(labels), _LABELS)
        labels = KEEP
    return TextPatch(
        title=_line(record, "title"),
        description=clean(_word(record["description"])) if "description" in record else KEEP,
        category=_line(record, "category"),
        attributes=_pairs(record.get("attributes", ()), "attributes", cells),
        whole="attributes" in record,
        labels=KEEP
        if labels is KEEP
        else {clean_line(_word(k)): clean_line(_word(v)) for k, v in labels.items()},
    )


def _pairs(value: object, key: str, cells: Cells) -> Pairs:
    """`[["color", "black"]]` or `{"color": "black"}`."""
    items = list(value.items()) if isinstance(value, Mapping) else value
    if isinstance(items, list | tuple) and all(
        isinstance(item, list | tuple) and len(item) == 2 for item in items
    ):
        return tuple((clean_line(_word(name)), clean(_word(word))) for name, word in items)
    cells.problem(key, str(value), _PAIRS)
    return ()


def _locale(record: Record, cells: Cells) -> Locale | None:
    locale = record.get("locale")
    if locale is not None and locale not in LOCALES:
        cells.problem("locale", str(locale), why("not_a_language"))
        return None
    return cast(Locale | None, locale)


def _line(record: Record, key: str) -> str | Keep:
    return clean_line(_word(record[key])) if key in record else KEEP


def _word(value: object) -> str:
    return "" if value is None else str(value)
