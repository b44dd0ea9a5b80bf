"""A refused row says why in the language of the page, and in English everywhere else."""

import ast
import csv
import io
import string
from pathlib import Path

import pytest

import catalog
from catalog.formats.reasons import REASONS, why
from catalog.product import LOCALES
from serving.admin.reasons import chinese, row_reason
from tests.admin.conftest import Admin
from tests.admin.test_imports import over, upload

FILE = (
    "sku,title,price,currency,stock,gtin\n"
    "HAT-1,Wool Hat,abc,USD,4,\n"
    "HAT-2,Straw Hat,9.90,USD,many,6.93E+12\n"
    "HAT-3,Felt Hat,9.90,USD,1,\n"
    "hat-3 ,Felt Hat,9.90,USD,1,\n"
    "HAT-4,Cap\n"
)
CHINESE = (
    "不是单个数字",
    "填写一个数字，例如 1234.50",
    "不是件数",
    "电子表格把数字缩写了，末尾的数位已丢失",
    "此 SKU 在第 4 行已出现过，那里写作 &#39;HAT-3&#39;",
    "此行有 2 个单元格，表头有 6 个",
)
ENGLISH = (
    "not a single number",
    "one number, such as 1234.50",
    "not a count",
    "a spreadsheet has shortened the number; its digits are lost",
    "the SKU occurs before, in line 4, written &#39;HAT-3&#39; there",
    "the row has 2 cells, the header 6",
)


def blanks(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def given() -> dict[str, set[str] | None]:
    """Every reason that the catalogue gives, with its parameters where they are written out."""
    found: dict[str, set[str] | None] = {}
    for path in Path(catalog.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "why":
                (code,) = node.args
                assert isinstance(code, ast.Constant), ast.unparse(node)
                names = [keyword.arg for keyword in node.keywords]
                found[str(code.value)] = None if None in names else {n for n in names if n}
    return found


def test_every_reason_that_is_given_is_known_with_its_parameters() -> None:
    reasons = given()
    assert reasons.keys() == REASONS.keys()
    for code, names in reasons.items():
        reason, fix = REASONS[code]
        if names is not None:
            assert blanks(reason) | blanks(fix) == names, code


def test_every_reason_is_said_in_chinese_with_the_same_parameters() -> None:
    assert chinese()["rows"].keys() == REASONS.keys()
    for code, (reason, fix) in REASONS.items():
        assert blanks(reason) | blanks(fix) >= set.union(*map(blanks, chinese()["rows"][code]))
        assert blanks(reason) <= blanks(chinese()["rows"][code][0]), code
        params = dict.fromkeys(blanks(reason) | blanks(fix), "X")
        english, other = (row_reason(why(code, **params), locale) for locale in LOCALES)
        assert english == (why(code, **params).reason, why(code, **params).fix)
        assert not any(text.isascii() for text in other[:1])
        assert all(other)


def test_an_unknown_reason_is_an_error() -> None:
    with pytest.raises(KeyError):
        why("never given")


async def test_the_page_says_it_in_its_language_and_the_file_in_english(admin: Admin) -> None:
    someone = admin.people["import"]
    english, path = await over(someone, await upload(someone, FILE))
    assert [said for said in ENGLISH if said not in english] == []
    other = (await someone.get(path, lang="zh")).text
    assert [said for said in CHINESE if said not in other] == []
    problems = other.split('id="problems"')[1].split("</table>")[0]
    assert [said for said in ENGLISH if said in problems] == []
    file = await someone.get(f"{path}/errors.csv")
    rows = list(csv.DictReader(io.StringIO(file.content.decode("utf-8-sig"))))
    assert [row["problem"].replace("'", "&#39;") for row in rows] == [
        ENGLISH[0],
        *ENGLISH[2:],
    ]


async def test_a_file_that_is_refused_as_a_whole_says_why_in_chinese(admin: Admin) -> None:
    someone = admin.people["import"]
    await someone.get("/admin", lang="zh")
    page, _ = await over(someone, await upload(someone, "sku,title,price\nA,Hat,1.00\n"))
    assert "文件没有写明币种，请选择币种（" in page
