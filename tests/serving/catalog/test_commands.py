"""The catalogue's commands against a running server, as a merchandiser runs them."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from tests.serving.catalog.conftest import Api
from tests.serving.catalog.test_imports import MIXED, SOUND
from tests.serving.command import hotshelf


class Person:
    """Somebody at a terminal, in a folder, with a token in a file."""

    def __init__(self, api: Api, folder: Path) -> None:
        self._url, self.folder = api.url, folder
        token = api.importer.headers["authorization"].removeprefix("Bearer ")
        (folder / "token").write_text(token + "\n")

    def file(self, name: str, content: str) -> str:
        (self.folder / name).write_text(content, encoding="utf-8")
        return name

    async def runs(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        given = ("--url", self._url, "--token-file", "token")
        return await asyncio.to_thread(hotshelf, self.folder, *arguments, *given)

    async def does(self, *arguments: str, status: int = 0) -> str:
        """What it prints; it must end with `status`."""
        run = await self.runs(*arguments)
        assert run.returncode == status, run.stdout + run.stderr
        assert "Traceback" not in run.stderr
        return run.stdout + run.stderr


@pytest.fixture
def person(api: Api, tmp_path: Path) -> Person:
    return Person(api, tmp_path)


async def test_a_file_is_looked_at_applied_and_taken_back(api: Api, person: Person) -> None:
    name = person.file("shop.csv", SOUND.replace("Wool Hat", "[bold]Wool\x1b[31m Hat"))
    seen = await person.does("import", name, "--dry-run")
    assert "Detected: plain, UTF-8, delimiter ,, decimals: point, currency: USD, 2 rows" in seen
    assert "+ HAT-1  [bold]Wool" in seen
    assert "\x1b" not in seen
    assert await api.store.get("HAT-1") is None
    import_id = seen.partition("hotshelf apply ")[2].partition("`")[0]

    done = await person.does("apply", import_id)
    assert f"`hotshelf undo {import_id}` takes it back" in done
    assert await api.store.get("HAT-1") is not None
    again = await person.does("apply", import_id, status=1)
    assert "hotshelf: the import is applied" in again

    undone = await person.does("undo", import_id)
    assert "Undone as catalogue version" in undone
    assert await api.store.get("HAT-1") is None


async def test_a_dry_run_shows_each_field_before_and_after(api: Api, person: Person) -> None:
    await person.does("import", person.file("shop.csv", SOUND))
    changed = SOUND.replace("12.30", "11.00").replace("Straw Hat", "Sun Hat")
    seen = await person.does("import", person.file("new.csv", changed), "--dry-run")
    assert "HAT-1 price: 12.30 USD → 11.00 USD" in seen
    assert "en title: Straw Hat → Sun Hat" in seen


async def test_wrong_rows_are_told_and_kept_as_a_file(api: Api, person: Person) -> None:
    name = person.file("shop.csv", MIXED)
    refused = await person.does("import", name, status=1)
    assert "hotshelf: some rows are wrong" in refused
    assert await api.store.get("HAT-1") is None
    some = await person.does("import", name, "--mode", "partial", "--errors", "bad.csv", status=3)
    line = next(line for line in some.splitlines() if "abc" in line)
    assert line.split()[:4] == ["3", "HAT-2", "price", "abc"]
    assert "All 2 problems are in bad.csv" in some
    assert (person.folder / "bad.csv").read_bytes().startswith(b"\xef\xbb\xbfline,sku")
    assert await api.store.get("HAT-1") is not None


async def test_an_export_is_written_whole_or_not_at_all(api: Api, person: Person) -> None:
    assert await person.does("export", "all.jsonl") == ""
    assert (person.folder / "all.jsonl").read_text().count("\n") == 1
    piped = await person.does("export", "-", "--format", "json")
    assert piped.startswith("[")
    assert "give --format" in await person.does("export", "all.xls", status=2)
    await api.services.catalog.tokens.revoke("import")
    assert "not known" in await person.does("export", "all.jsonl", status=1)
    assert (person.folder / "all.jsonl").stat().st_size > 0
    assert {path.name for path in person.folder.iterdir()} == {"all.jsonl", "token"}


async def test_pins_and_history(api: Api, person: Person) -> None:
    await api.editor.patch("/catalog/variants/SH-BLK", json={"price": "12.34"})
    told = await person.does("history", "shirt")
    assert "SH-BLK price: 30.00 USD → 12.34 USD" in told
    assert "shown version: 7\nproducts: 1\n" in await person.does("status")
    assert "for good" in await person.does("pin", "shirt")
    assert "shirt" in await person.does("pin")
    await person.does("pin", "shirt", "--hours", "2")
    pin = await api.services.catalog.pins.get("shirt")
    assert pin is not None
    assert pin.until == pytest.approx(pin.since + 7200)
    assert "not pinned any more" in await person.does("pin", "shirt", "--remove")
    assert "there is no product 'shoe'" in await person.does("history", "shoe", status=1)


async def test_what_is_missing_is_said_in_a_line(person: Person, api: Api) -> None:
    alone = await asyncio.to_thread(hotshelf, person.folder, "pin", "--url", api.url)
    assert alone.returncode == 2
    assert alone.stderr.startswith("hotshelf: a token is needed: set HOTSHELF_TOKEN")
    nobody = await asyncio.to_thread(
        hotshelf, person.folder, "pin", HOTSHELF_TOKEN="x", HOTSHELF_PORT="1"
    )
    assert (nobody.returncode, len(nobody.stderr.splitlines())) == (1, 1)
    assert "no Hotshelf answers at http://127.0.0.1:1" in nobody.stderr
    await person.does("import", "nothing.csv", status=2)
    await person.does("undo", "0000", status=1)


async def test_the_token_may_come_from_the_environment_never_from_an_argument(
    person: Person, api: Api
) -> None:
    token = (person.folder / "token").read_text().strip()
    run = await asyncio.to_thread(
        hotshelf, person.folder, "pin", "--url", api.url, HOTSHELF_TOKEN=token
    )
    assert run.returncode == 0, run.stderr
    await person.does("pin", "--token", token, status=2)
