"""Files as spreadsheets and shops write them, over HTTP: stored as meant, or refused by name."""

import csv
import gzip
import io
import zipfile
from dataclasses import dataclass
from typing import Any

import pytest

from tests.serving.catalog.conftest import Api
from tests.serving.catalog.test_imports import imported

HEAD = "sku,title,price,currency\n"


@dataclass(frozen=True)
class Stored:
    """A file, and what its first product is afterwards."""

    file: bytes
    sku: str
    title: str
    price: str
    currency: str = "EUR"


def priced(amount: str, currency: str = "EUR") -> bytes:
    """A table of one lamp at a price as somebody wrote it."""
    return f'sku;title;price\nL-1;Lamp;"{amount}"\n'.encode()


def zipped(data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("shop.csv", data)
    return packed.getvalue()


EXCEL = "sku\ttitle\tprice\r\nL-1\tLämpchen 灯\t12,50\r\n"
CHINESE = "商品编号,标题,价格\nL-1,轻奢纯棉刺绣水洗四件套,899.00\n"
STORED = {
    "utf-8 with a mark": Stored(f"\ufeff{HEAD}L-1,Lamp,5.00,EUR\n".encode(), "L-1", "Lamp", "5.00"),
    "gb18030": Stored(CHINESE.encode("gb18030"), "L-1", "轻奢纯棉刺绣水洗四件套", "899.00"),
    "gbk": Stored(CHINESE.encode("gbk"), "L-1", "轻奢纯棉刺绣水洗四件套", "899.00"),
    "cp1252": Stored(
        f"{HEAD}L-1,Café für Ömas – 5 €,5.00,EUR\n".encode("cp1252"),
        "L-1",
        "Café für Ömas – 5 €",
        "5.00",
    ),
    "utf-16 of Excel": Stored(EXCEL.encode("utf-16"), "L-1", "Lämpchen 灯", "12.50"),
    "semicolons": Stored(
        b"sku;title;price\nL-1;Lamp, small;12,50\n", "L-1", "Lamp, small", "12.50"
    ),
    "tabs": Stored(b"sku\ttitle\tprice\nL-1\tLamp; small\t5.00\n", "L-1", "Lamp; small", "5.00"),
    "a cell of two lines": Stored(
        b'sku,title,price\nL-1,"Lamp\nfor two",5.00\n', "L-1", "Lamp for two", "5.00"
    ),
    "1.299,00": Stored(priced("1.299,00"), "L-1", "Lamp", "1299.00"),
    "1 234,56": Stored(priced("1 234,56"), "L-1", "Lamp", "1234.56"),
    "1'234.50": Stored(priced("1'234.50"), "L-1", "Lamp", "1234.50"),
    "1,23,456.78": Stored(priced("1,23,456.78"), "L-1", "Lamp", "123456.78"),
    "a sign before": Stored(priced("¥299"), "L-1", "Lamp", "299", "CNY"),
    "a sign behind": Stored(priced("299元"), "L-1", "Lamp", "299", "CNY"),
    "leading zeros": Stored(f"{HEAD}0100,Lamp,5.00,EUR\n".encode(), "0100", "Lamp", "5.00"),
    "packed with gzip": Stored(
        gzip.compress(f"{HEAD}L-1,Lamp,5.00,EUR\n".encode()), "L-1", "Lamp", "5.00"
    ),
    "packed with zip": Stored(zipped(f"{HEAD}L-1,Lamp,5.00,EUR\n".encode()), "L-1", "Lamp", "5.00"),
    "control characters": Stored(
        f"{HEAD}L-1,La\x00m\x07p\u200b,5.00,EUR\n".encode(), "L-1", "Lamp", "5.00"
    ),
}


@pytest.mark.parametrize("written", STORED.values(), ids=STORED)
async def test_what_can_be_read_is_stored_as_it_was_meant(api: Api, written: Stored) -> None:
    done = await imported(api, written.file, currency=written.currency)
    assert (done["status"], done["rows"]["created"], done["errors"]) == ("applied", 1, 0), done
    stored = await api.stored(written.sku)
    (variant,) = stored.variants
    assert (variant.sku, stored.text(stored.locale).title) == (written.sku, written.title)
    assert str(variant.price) == f"{written.price} {written.currency}"


REFUSED = {
    "a barcode that a spreadsheet has shortened": (
        "sku,title,price,gtin\nL-1,Lamp,5.00,6.93E+12\n",
        ("L-1", "gtin", "6.93E+12"),
    ),
    "a sku that a spreadsheet has shortened": (
        "sku,title,price\n6.93E+12,Lamp,5.00\n",
        ("6.93E+12", "sku", "6.93E+12"),
    ),
    "a number that may be two": ("sku;title;price\nL-1;Lamp;1,299\n", ("L-1", "price", "1,299")),
    "a sku with a blank behind": (
        "sku,title,price\nL-1,Lamp,5.00\nL-1 ,Lamp,6.00\n",
        ("L-1", "sku", "L-1"),
    ),
    "a sku in small letters": (
        "sku,title,price\nL-1,Lamp,5.00\nl-1,Lamp,6.00\n",
        ("l-1", "sku", "l-1"),
    ),
    "a sku in wide letters": (
        "sku,title,price\nL-1,Lamp,5.00\nＬ-１,Lamp,6.00\n",
        ("Ｌ-１", "sku", "Ｌ-１"),
    ),
}


@pytest.mark.parametrize(("file", "named"), REFUSED.values(), ids=REFUSED)
async def test_what_cannot_be_known_is_refused_by_name_and_nothing_is_written(
    api: Api, file: str, named: tuple[str, str, str]
) -> None:
    before = await api.store.version()
    seen = await imported(api, file, currency="EUR")
    assert (seen["status"], seen["failure"]["code"]) == ("refused", "rows_refused")
    (problem,) = seen["problems"]
    assert (problem["sku"], problem["column"], problem["value"]) == named
    assert problem["line"] == file.count("\n")
    assert problem["problem"]
    assert problem["fix"]
    assert await api.store.version() == before


async def test_a_sku_of_the_shop_is_found_however_it_is_written(api: Api) -> None:
    done = await imported(api, "sku,price\nsh-blk ,31.00\nＳＨ-ＷＨＴ,32.00\n", currency="USD")
    assert (done["status"], done["rows"]["updated"]) == ("applied", 2)
    prices = [(v.sku, str(v.price.amount)) for v in (await api.stored()).variants]
    assert prices == [("SH-BLK", "31.00"), ("SH-WHT", "32.00")]


async def test_a_formula_is_text_and_not_live_when_it_is_exported(api: Api) -> None:
    formula = "=cmd|' /C calc'!A0"
    await imported(api, f"{HEAD}L-1,{formula},5.00,EUR\n")
    assert (await api.stored("L-1")).texts["en"].title == formula
    file = await api.reader.get("/catalog/export", params={"format": "csv"})
    cells = [c for row in csv.reader(io.StringIO(file.text.lstrip("\ufeff"))) for c in row]
    assert f"'{formula}" in cells
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    again = await imported(api, file.content)
    assert (again["rows"]["unchanged"], again["rows"]["updated"]) == (3, 0)


@pytest.mark.parametrize("pack", [gzip.compress, zipped])
async def test_a_file_that_would_unpack_without_end_is_given_up(api: Api, pack: Any) -> None:
    bomb = pack(HEAD.encode() + b"0" * (300 * 1024 * 1024))
    assert len(bomb) < 1024 * 1024
    seen = await imported(api, bomb)
    assert (seen["status"], seen["failure"]["code"]) == ("failed", "too_large"), seen["failure"]
    assert set(await api.store.versions()) == {"shirt"}


ROWS = "".join(f'H-{n},"Hat ""{n}"" wide",5.00,EUR\n' for n in range(40))
WHOLE = (HEAD + ROWS).encode()
LIST = "[" + ",".join(f'{{"sku": "H-{n}", "title": "Hat", "price": "5 EUR"}}' for n in range(40))
CUT = {
    "inside quotes": WHOLE[:-12],
    "inside a row": WHOLE[:-9],
    "a list": LIST.encode()[:-12],
    "gzip": gzip.compress(WHOLE)[:-40],
    "zip": zipped(WHOLE)[:-40],
}


@pytest.mark.parametrize("data", CUT.values(), ids=CUT)
async def test_a_file_cut_in_the_middle_changes_nothing_and_says_where(
    api: Api, data: bytes
) -> None:
    seen = await imported(api, data)
    assert seen["status"] in ("refused", "failed")
    (said,) = [p["problem"] for p in seen["problems"]] or [seen["failure"]["message"]]
    assert said
    assert set(await api.store.versions()) == {"shirt"}
