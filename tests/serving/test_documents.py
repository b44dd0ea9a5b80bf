"""The pages made from the code say what the code says."""

from pathlib import Path

import pytest

from serving.documents import PAGES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_current(name: str) -> None:
    assert (DOCS / f"{name}.md").read_text() == PAGES[name](), "run `make docs`"
