"""What questions refuse."""

import pytest

from catalog.product import Locale
from pipeline.facts.options import OptionReader
from pipeline.lexicon.cues import load_cues
from pipeline.lexicon.words import Words, fold
from pipeline.prompting.rendering import TEMPLATES
from pipeline.understanding.negation import NegationReader


@pytest.fixture(scope="module")
def reader(lexicons: dict[Locale, Words]) -> NegationReader:
    options = OptionReader(lexicons)
    return NegationReader(load_cues(TEMPLATES), lambda text: bool(options.colors_of(text)))


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("sunglasses, not black", ["black"]),
        ("a men's watch, anything but a Rolex", ["rolex"]),
        ("ladies shoes no heels", ["heels"]),
        ("a phone that isn't an iPhone and isn't Samsung either", ["iphone", "samsung"]),
        ("women's dress, any colour except grey", ["grey"]),
        ("headphones not from apple", ["apple"]),
        ("laptop but pls no macbook", ["macbook"]),
        ("running shoes without any red", ["red"]),
        ("show me cars, just don't show me Dodge", ["dodge"]),
        ("shirts, not black or white", ["black", "white"]),
        ("a coat without fur", ["fur"]),
        ("no red and no blue please, a rug", ["red", "blue"]),
        ("bags other than Prada", ["prada"]),
        ("alcohol-free perfume", ["alcohol"]),
        ("gluten free bread", ["gluten"]),
        ("non-black suitcase", ["black suitcase"]),
        ("phones excluding samsung", ["samsung"]),
        ("a phone, not made by Apple", ["apple"]),
        ("I don't want a striped one", ["striped"]),
        ("不要红色的四件套", ["红色"]),
        ("四件套，不要条纹的", ["条纹"]),
        ("除了黑色的行李箱还有什么", ["黑色"]),
        ("不带拉链的外套", ["拉链"]),
        ("没有帽子的外套", ["帽子"]),
        ("非黑色的行李箱", ["黑色"]),
        ("不是苹果的手机", ["苹果"]),
        ("除了苹果以外的手机", ["苹果"]),
        ("行李箱，黑色除外", ["黑色"]),
        ("行李箱，黑色不要", ["黑色"]),
        ("我对羽绒过敏，要个被子", ["羽绒"]),
        ("不要羊毛也不要羽绒的被子", ["羊毛", "羽绒"]),
        ("抱枕不要红和蓝的", ["红", "蓝"]),
        ("除了MUJI的抱枕还有哪些", ["muji"]),
        ("猫砂盆不要封闭式的那种", ["封闭式"]),
        ("不要枕头，只要被子", ["枕头"]),
    ],
)
def test_refused(reader: NegationReader, text: str, refused: list[str]) -> None:
    assert list(reader.read(fold(text)).refused) == refused


@pytest.mark.parametrize(
    "text",
    [
        "isn't it waterproof?",
        "is it not in stock",
        "don't you have it in red",
        "why not",
        "I'm not sure which one",
        "is delivery free",
        "shoes, nothing fancy",
        "有没有黑色的",
        "没有红色的吗",
        "不要太贵的",
        "是不是真丝的",
        "非常喜欢这个",
        "有无线充电吗",
        "能不能机洗",
        "要不要自己组装",
    ],
)
def test_nothing_is_refused(reader: NegationReader, text: str) -> None:
    assert reader.read(fold(text)).refused == ()


def test_what_is_wanted_stays(reader: NegationReader) -> None:
    assert "行李箱" in reader.read("非黑色的行李箱").rest
    assert "black" not in reader.read("sunglasses, not black").rest
