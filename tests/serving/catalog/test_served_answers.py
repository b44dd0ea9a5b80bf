"""`hotshelf serve` as a process, with its own encoder: a dry run says which answers change."""

from pathlib import Path

import pytest

from tests.serving.catalog.test_served import client_of, settings, token_of, until
from tests.serving.command import running

__all__ = ["settings"]
pytestmark = pytest.mark.timeout(300)

FILE = (
    "sku,title,price,currency,stock\nSH-WHT,Linen Shirt,34.00,USD,3\nHAT-1,Wool Hat,12.30,USD,4\n"
)


async def test_a_dry_run_shows_new_products_and_new_facts(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    async with running(tmp_path, **settings) as hotshelf:
        token = token_of(hotshelf)
        assert token is not None
        async with client_of(hotshelf, token) as client:
            for question in (
                {"question": "How much is the white one?", "sku": "shirt"},
                {"question": "Do you have a woollen hat?"},
            ):
                assert (await client.post("/catalog/questions", json=question)).status_code == 201
            sent = await client.post(
                "/catalog/imports", params={"dry_run": "true"}, content=FILE.encode()
            )
            path = sent.headers["location"]
            await until(client, path, "previewed")
            found = (await client.get(f"{path}/answers")).json()
    price, hat = found["changed"]
    assert "$34.00" in price["after"]["facts"][0]
    assert "$34.00" not in "".join(price["before"]["facts"])
    assert hat["before"]["products"] == []
    assert "do not sell" in hat["before"]["facts"][0]
    assert hat["after"]["products"][0] == {"id": "HAT-1", "title": "Wool Hat"}
