"""Text comes out plain, and comes out the same a second time."""

from hypothesis import given
from hypothesis import strategies as st

from catalog.formats.text import (
    clean,
    clean_line,
    html_to_text,
    is_chinese,
    pairs_from_cell,
    pairs_to_cell,
    plain,
)


def test_markup_becomes_lines_and_scripts_are_gone() -> None:
    html = (
        "<p>Soft &amp; warm</p><ul><li>100% <b>wool</b></li><li>30&deg;C</li></ul>"
        "<script>alert(1)</script><iframe src='//x'>y</iframe><style>p{}</style>"
        "<table><tr><td>size</td><td>M</td></tr></table>a<br>b"
    )
    assert html_to_text(html) == "Soft & warm\n100% wool\n30°C\nsize M\na\nb"


def test_text_that_only_looks_like_markup_is_kept() -> None:
    assert plain("width < 5 cm & height > 3 cm") == "width < 5 cm & height > 3 cm"
    assert plain("A & B") == "A & B"


def test_markup_in_a_description_is_inert_wherever_it_comes_from() -> None:
    assert plain('Nice<img src=x onerror="alert(1)"> lamp') == "Nice lamp"
    assert "script" not in plain("<<script>script>alert(1)</script>")


def test_control_and_invisible_characters_are_taken_out() -> None:
    assert clean("a\x00b\u200bc\ufeff\u202ed\x1b") == "abcd"
    assert clean_line("a\r\n b\u00a0\u3000 c\t d") == "a b c d"
    assert clean("a  \r\n\r\n\r\n b") == "a\n\nb"


def test_an_emoji_of_several_parts_stays_whole() -> None:
    assert clean("👩‍🔧 ok") == "👩‍🔧 ok"


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert clean_line(clean_line(text)) == clean_line(text)
    assert "\n" not in clean_line(text)


def test_pairs_in_one_cell_are_read_as_shops_write_them() -> None:
    assert pairs_from_cell("材质:外套：100%棉；里子：丝；尺寸:1.5米；提示:先洗；再用") == (
        ("材质", "外套：100%棉；里子：丝"),
        ("尺寸", "1.5米"),
        ("提示", "先洗；再用"),
    )
    assert pairs_from_cell("材质：棉；尺寸：1.5米") == (("材质", "棉"), ("尺寸", "1.5米"))
    assert pairs_from_cell("color: black\nsize: M") == (("color", "black"), ("size", "M"))


_words = st.text(max_size=20).map(clean_line)
_names = _words.filter(bool)


@given(st.lists(st.tuples(_names, st.text(max_size=20).map(clean)), max_size=4).map(tuple))
def test_pairs_come_back_from_a_cell_as_they_were(pairs: tuple[tuple[str, str], ...]) -> None:
    assert pairs_from_cell(pairs_to_cell(pairs)) == pairs


def test_a_text_is_chinese_if_it_is_read_as_chinese() -> None:
    assert is_chinese("轻奢纯棉刺绣水洗四件套")
    assert is_chinese("MUJI风格日式懒人沙发")
    assert not is_chinese("Blue willow plate (青花)")
    assert not is_chinese("日本語のタイトル")
    assert not is_chinese("")
