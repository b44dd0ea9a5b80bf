"""Tables are read whole: every row is read or refused, none is dropped."""

import pytest

from catalog.formats.model import FileError
from tests.catalog.formats.helpers import read_bytes, read_text


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_the_separator_is_found_and_nothing_is_dropped(sign: str) -> None:
    rows = [["sku", "title", "price"], ["A", "Lamp, small", "5"], ["B", "Chair; oak", "12.50"]]
    text = "".join(sign.join(f'"{cell}"' for cell in row) + "\r\n" for row in rows)
    found = read_text(text)
    assert found.detected.delimiter == sign
    assert [found.texts[i].title for i in "AB"] == ["Lamp, small", "Chair; oak"]


def test_the_separator_that_a_spreadsheet_names_is_used() -> None:
    found = read_text("sep=;\nsku;title;price\nA;Lamp;5\n")
    assert list(found.variants) == ["A"]
    assert found.rows[0].line == 3


def test_a_row_is_named_by_the_line_it_begins_on() -> None:
    text = '\n\nsku,title,description,price\nA,Lamp,"two\nlines\nhere",5\n\nB,Chair,x,free\n'
    found = read_text(text)
    assert found.rows[0].line == 4
    assert found.errors[0].line == 8


def test_rows_with_too_few_or_too_many_cells_are_refused() -> None:
    found = read_text("sku,title,price\nA,Lamp\nB,Chair,5,oops\nC,Desk,7,\nD,Bed,9\n")
    assert [(e.line, e.reason) for e in found.errors] == [
        (2, "the row has 2 cells, the header 3"),
        (3, "the row has 4 cells, the header 3"),
    ]
    assert list(found.variants) == ["C", "D"]


def test_a_quote_out_of_place_costs_one_row() -> None:
    found = read_text('sku,title,price\nA,"5" pipe",5\nB,Chair,6\n')
    assert [(e.line, e.fix) for e in found.errors] == [(2, 'double it: 5"" pipe')]
    assert list(found.variants) == ["B"]


def test_a_file_cut_inside_quotes_says_where() -> None:
    found = read_text('sku,title,price\nA,Lamp,5\nB,"Cha')
    assert list(found.variants) == ["A"]
    assert found.errors[0].line == 3
    assert "cut" in found.errors[0].reason


def test_a_file_cut_anywhere_never_yields_a_row_that_is_not_in_it() -> None:
    rows = "".join(f'"SKU-{n}","Lamp ""{n}"" 灯",{n}.50,x\n' for n in range(30))
    data = ("sku,title,price,note\n" + rows).encode()
    whole = read_bytes(data)
    for cut in range(len("sku,title,price,note\n") + 1, len(data)):
        found = read_bytes(data[:cut])
        assert found.detected.rows == len(found.rows) + len({e.line for e in found.errors})
        for row in found.rows:
            assert row.variants == whole.rows[row.line - 2].variants


def test_control_characters_and_nul_do_no_harm() -> None:
    found = read_bytes(b"sku,title,price\nA\x00,La\x01mp\x1b,5\n")
    assert list(found.variants) == ["A"]
    assert found.texts["A"].title == "Lamp"


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(FileError, match="two columns"):
        read_text("sku,Price,price\nA,1,2\n")


@pytest.mark.parametrize("text", ["hello\nworld\n", "a,b,c\n1,2,3\n", "\x89PNG\r\n\x1a\n", "{}"])
def test_what_is_no_catalogue_is_refused(text: str) -> None:
    with pytest.raises(FileError) as refused:
        read_bytes(text.encode("latin-1"))
    assert refused.value.code in ("not_a_catalogue", "empty")
