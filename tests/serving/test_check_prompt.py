"""`hotshelf check prompt` as a person or CI runs it."""

import shutil
from pathlib import Path

from pipeline.prompting.rendering import TEMPLATES
from tests.serving.command import hotshelf


def test_the_templates_that_come_with_it_pass(tmp_path: Path, model_dir: Path) -> None:
    run = hotshelf(tmp_path, "check", "prompt", "--model", str(model_dir))
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    assert [line.split(":")[0] for line in run.stdout.splitlines()] == ["en", "zh"]


def test_a_clock_at_the_head_fails_and_is_named(tmp_path: Path, model_dir: Path) -> None:
    templates = shutil.copytree(TEMPLATES, tmp_path / "ours")
    policy = templates / "en" / "policy.j2"
    policy.write_text("It is {{ now }}.\n" + policy.read_text())
    settings = {"HOTSHELF_MODEL": str(model_dir)}
    run = hotshelf(tmp_path, "check", "prompt", "--templates", "ours", **settings)
    assert run.returncode == 1
    (line,) = run.stderr.splitlines()
    assert line.startswith("ours/en/policy.j2:1: error: byte 9 ")
    assert "tokens of reuse lost" in line


def test_a_short_head_is_said_and_passes(tmp_path: Path, model_dir: Path) -> None:
    settings = {"HOTSHELF_MODEL": str(model_dir), "HOTSHELF_BLOCK_SIZE": "512"}
    run = hotshelf(tmp_path, "check", "prompt", **settings)
    assert run.returncode == 0
    assert run.stdout.count("warning: the head has") == 2
    assert "less than one block of the cache (512)" in run.stdout


def test_a_folder_that_is_none(tmp_path: Path, model_dir: Path) -> None:
    run = hotshelf(
        tmp_path, "check", "prompt", "--templates", "none", HOTSHELF_MODEL=str(model_dir)
    )
    assert run.returncode == 1
    assert "no folder 'none'" in run.stderr
    assert "Traceback" not in run.stderr
