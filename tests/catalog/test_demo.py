"""The demo shop has what its questions are about."""

from decimal import Decimal

from catalog.checks import problems
from catalog.demo import demo_products
from catalog.product import Money, Product
from catalog.skus import sku_key


def _shop() -> dict[str, Product]:
    return {product.id: product for product in demo_products()}


def _black(product: Product) -> list[bool]:
    return [v.available for v in product.variants if ("color", "black") in v.options]


def test_it_has_194_english_238_chinese_and_12_bilingual_products() -> None:
    languages = [tuple(sorted(product.texts)) for product in demo_products()]
    assert len(languages) == len(_shop()) == 444
    assert [languages.count(k) for k in (("en",), ("zh",), ("en", "zh"))] == [194, 238, 12]


def test_every_product_is_sound_and_no_sku_occurs_twice() -> None:
    assert [found for product in demo_products() for found in problems(product)] == []
    keys = [sku_key(v.sku) for product in demo_products() for v in product.variants]
    assert len(keys) == len(set(keys))


def test_it_is_the_same_every_time() -> None:
    assert demo_products() == demo_products()


def test_an_english_product_has_its_price_and_terms() -> None:
    mascara = _shop()["BEA-ESS-ESS-001"]
    assert mascara.variants[0].price == Money(Decimal("9.99"), "USD")
    assert mascara.variants[0].stock == 99
    attributes = dict(mascara.text("en").attributes)
    assert attributes["returns"] == "No return policy"
    assert attributes["shipping"] == "Ships in 3-5 business days"


def test_a_chinese_product_is_found_by_its_number_and_keeps_its_parameters_in_order() -> None:
    bedding = _shop()["1006002"]
    assert bedding.variants[0].sku == "1006002"
    assert bedding.variants[0].price == Money(Decimal("899.00"), "CNY")
    assert bedding.text("zh").attributes[0] == ("材质", "100%棉")


def test_the_one_chinese_product_in_six_forms_tells_them_apart() -> None:
    bundle = _shop()["1181000"]
    assert [v.sku for v in bundle.variants] == [f"1181000-{n}" for n in range(1, 7)]
    assert bundle.options["颜色"] == ("浅杏粉", "玛瑙红", "烟白灰")
    assert [v.available for v in bundle.variants] == [True] * 5 + [False]
    assert [str(v.price.amount) for v in bundle.variants][:2] == ["999.00", "1500.00"]


def test_black_is_in_stock_sold_out_or_absent_among_shirts() -> None:
    shop = _shop()
    assert any(_black(shop["SHIRT-OXF"]))
    assert _black(shop["SHIRT-FLN"]) == [False] * 4
    assert _black(shop["SHIRT-LIN"]) == []


def test_garments_say_every_color_in_both_languages() -> None:
    for product in demo_products()[:12]:
        for name, values in product.options.items():
            assert product.label(name, "zh") != name
            if name == "color":
                assert all(product.label(value, "zh") != value for value in values)
