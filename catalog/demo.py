"""The shop that an empty catalogue starts with: 194 English, 238 Chinese and 12 bilingual products.

Sources and licences lie beside the files in `data/`. The same call always gives the same
products in the same order.
"""

import json
from decimal import Decimal
from importlib.resources import files
from typing import Any

from catalog.codec import decode_list
from catalog.product import Money, Pairs, Product, Text, Variant

Row = dict[str, Any]


def demo_products() -> tuple[Product, ...]:
    """Every product of the demo shop, garments first."""
    return (*_garments(), *map(_english, _rows("dummyjson_products.json")), *_chinese_products())


def _read(name: str) -> bytes:
    return files("catalog").joinpath("data", name).read_bytes()


def _rows(name: str) -> list[Row]:
    rows: list[Row] = json.loads(_read(name), parse_float=Decimal)
    return rows


def _garments() -> list[Product]:
    return decode_list(_read("garments.json"))


def _english(row: Row) -> Product:
    size = row["dimensions"]
    attributes: Pairs = (
        ("shipping", row["shippingInformation"]),
        ("returns", row["returnPolicy"]),
        ("warranty", row["warrantyInformation"]),
        ("weight", str(row["weight"])),
        ("dimensions", f"{size['width']} x {size['height']} x {size['depth']} (W x H x D)"),
        ("minimum order", str(row["minimumOrderQuantity"])),
        ("tags", ", ".join(row["tags"])),
    )
    text = Text(
        title=row["title"],
        description=row["description"],
        category=row["category"].replace("-", " "),
        attributes=attributes,
    )
    variant = Variant(
        sku=row["sku"],
        price=Money(_cents(row["price"]), "USD"),
        stock=row["stock"],
        availability="in_stock" if row["stock"] else "out_of_stock",
        gtin=row["barcode"],
    )
    return Product(
        id=row["sku"],
        locale="en",
        texts={"en": text},
        variants=(variant,),
        brand=row.get("brand", ""),
        image=row["thumbnail"],
    )


def _chinese_products() -> list[Product]:
    return [_chinese(row) for row in _rows("litemall_zh_skus.json")]


def _chinese(row: Row) -> Product:
    text = Text(
        title=row["商品名称"],
        description=row["简介"],
        category=row["类目"],
        attributes=tuple((name, value) for name, value in row["参数"]),
    )
    return Product(
        id=row["商品编号"],
        locale="zh",
        texts={"zh": text},
        variants=_chinese_variants(row),
        brand=row["品牌"],
    )


def _chinese_variants(row: Row) -> tuple[Variant, ...]:
    """A product sold in one form has its own number as SKU; otherwise `number-1`, `number-2`."""
    offers: list[Row] = row["SKU"]
    if len(offers) == 1:
        return (_offer(row["商品编号"], (), row["售价"], offers[0]["库存"]),)
    return tuple(
        _offer(
            f"{row['商品编号']}-{number}",
            tuple(zip(("套餐", "颜色"), offer["规格"], strict=True)),
            offer["价格"],
            offer["库存"],
        )
        for number, offer in enumerate(offers, start=1)
    )


def _offer(sku: str, options: Pairs, price: Decimal | str, stock: int) -> Variant:
    return Variant(
        sku=sku,
        price=Money(_cents(Decimal(price)), "CNY"),
        options=options,
        stock=stock,
        availability="in_stock" if stock else "out_of_stock",
    )


def _cents(amount: Decimal) -> Decimal:
    return Decimal(amount).quantize(Decimal("0.01"))
