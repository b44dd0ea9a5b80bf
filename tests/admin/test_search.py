"""The page that shows what a question finds and why."""

from typing import cast

from pipeline.found import Explanation, Found, NotCarried, Understood
from pipeline.retriever import Hit
from pipeline.searching.fusion import Candidate
from tests.admin.conftest import Admin
from tests.serving.fakes import WrittenFinder

HOSTILE = "<script>alert(1)</script>{{ 7 * 7 }}"


def finds(admin: Admin, found: Found) -> None:
    cast(WrittenFinder, admin.services.finder).found = found


async def test_a_question_is_explained(admin: Admin) -> None:
    reader = admin.people["read"]
    assert 'id="found"' not in (await reader.get("/admin/search")).text
    explain = Explanation(
        Understood(kind="shirt", colors=("black",)),
        among=1,
        candidates=(Candidate("shirt", 0.9, 0.8, 3.2),),
        winner="the only one that is black",
    )
    finds(admin, Found((Hit("shirt", "search", 0.8),), explain=explain))
    page = (await reader.get("/admin/search", q="black shirts")).text
    assert '<a href="/admin/product?id=shirt">Linen Shirt</a>' in page
    assert "found by search" in page
    assert "the only one that is black" in page
    assert "<dt>colors</dt><dd>black</dd>" in page
    assert "<td>0.900</td><td>0.800</td><td>3.20</td>" in page
    assert "encode" in page


async def test_whatever_was_asked_is_shown_and_nothing_of_it_runs(admin: Admin) -> None:
    finds(admin, Found(not_carried=NotCarried(HOSTILE, (HOSTILE,)), not_found=(HOSTILE,)))
    page = (await admin.people["read"].get("/admin/search", q=HOSTILE)).text
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;{{ 7 * 7 }}") == 4


async def test_only_those_who_are_signed_in_may_ask(admin: Admin) -> None:
    assert (await admin.stranger.get("/admin/search", q="shirt")).status_code == 303
