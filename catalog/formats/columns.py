"""Names of columns, as shops write them, and what they mean in a plain table."""

import re
import unicodedata
from functools import lru_cache

_BLANKS = re.compile(r"[\s_\-\u200b\ufeff]+")


@lru_cache(maxsize=4096)
def normal_header(cell: str) -> str:
    """A header cell for comparing: case, blanks, `_`, `-`, `g:` and width do not matter."""
    name = unicodedata.normalize("NFKC", cell).strip().strip("\"'").casefold()
    return _BLANKS.sub(" ", name).strip().removeprefix("g:")


PLAIN: dict[str, str] = {}
"""Meaning of a plain table's columns by normal header."""


def _means(role: str, names: str) -> None:
    PLAIN.update({normal_header(name): role for name in names.split("|")})


_means("product_id", "product id|id|handle|parent id|parent sku|group id|spu|商品id|产品编号|款号")
_means("sku", "sku|variant sku|item number|item no|article number|article no|part number|货号")
_means("sku", "sku编码|商家编码|规格编码|商品货号|asin|artikelnummer|référence")
_means("item", "商品编号|商品编码|商品代码")
_means("title", "title|name|product name|product title|item name|商品名称|商品标题|名称|标题|品名")
_means("title", "产品名称|bezeichnung|titel|titre|nom")
_means("description", "description|body|details|product description|商品描述|描述|简介|详情")
_means("description", "商品简介|商品详情|beschreibung")
_means("category", "category|categories|product type|type|product category|类目|分类|品类|商品分类")
_means("category", "商品类目|kategorie|catégorie")
_means("brand", "brand|vendor|manufacturer|brand name|品牌|品牌名称|制造商|marke|marque")
_means("url", "url|link|product url|product link|商品链接|链接")
_means("image", "image|image url|image link|main image|picture|images|thumbnail|主图|图片|商品图片")
_means(
    "price", "price|unit price|regular price|售价|价格|单价|现价|销售价|零售价|商品价格|preis|prix"
)
_means("currency", "currency|currency code|货币|币种|währung|devise")
_means("sale_price", "sale price|special price|offer price|促销价|活动价|特价|优惠价")
_means("stock", "stock|qty|quantity|inventory|inventory quantity|stock quantity|库存|库存数量|数量")
_means("stock", "bestand")
_means("availability", "availability|availability status|stock status|库存状态")
_means("gtin", "gtin|barcode|ean|upc|isbn|条码|条形码|国际条码")
_means("locale", "locale|language|lang|语言")
_means("options", "options|选项")
_means("attributes", "attributes|specifications|specs|商品参数|参数|属性|规格参数")
_means("labels", "labels")
_means("form", "规格|商品规格")
_means("", "原价|市场价|划线价|吊牌价|list price|msrp|compare at price|discount percentage|meta")


def plain_role(name: str) -> str | None:
    """What a plain column means: a role, "" if it is left out, None if it is an attribute."""
    return PLAIN.get(name)
