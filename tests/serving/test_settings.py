"""Settings: read from both places, and refused in words that say what would be right."""

from inspect import signature
from pathlib import Path

import pytest

from pipeline.chat import ChatConfig
from pipeline.finding import make_finder
from pipeline.prompt import PromptConfig
from pipeline.retriever import RetrieverConfig
from serving.admission import AdmissionConfig
from serving.body import BodyConfig
from serving.schemas import Limits
from serving.sessions import SessionConfig
from serving.settings import Settings, SettingsError, load_settings
from serving.settings_text import markdown
from serving.sse import StreamConfig

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no env file lies about."""
    monkeypatch.chdir(tmp_path)


def refusal() -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings()
    return str(caught.value)


def test_the_environment_wins_over_the_env_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("HOTSHELF_PORT=9001\nHOTSHELF_QUEUE=7\nREDIS_URL=redis://here:1/2\n")
    monkeypatch.setenv("HOTSHELF_PORT", "9002")
    settings = load_settings()
    assert (settings.port, settings.queue) == (9002, 7)
    assert settings.redis_url == "redis://here:1/2"


def test_a_named_env_file_is_read_instead_of_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("HOTSHELF_PORT=9001\n")
    Path("other.env").write_text("HOTSHELF_QUEUE=7\n")
    monkeypatch.setenv("HOTSHELF_ENV_FILE", "other.env")
    settings = load_settings()
    assert (settings.port, settings.queue) == (8000, 7)


def test_a_named_env_file_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTSHELF_ENV_FILE", "nowhere.env")
    assert refusal() == "HOTSHELF_ENV_FILE is 'nowhere.env': there is no such file"


def test_an_env_file_that_is_no_text_is_refused() -> None:
    Path(".env").write_bytes(b"HOTSHELF_PORT=\xff\xfe\n")
    assert refusal().startswith("the env file .env cannot be read: ")


@pytest.mark.parametrize(
    ("variable", "value", "right"),
    [
        ("HOTSHELF_PORT", "eighty", "a whole number from 0 to 65535"),
        ("HOTSHELF_PORT", "65536", "a whole number from 0 to 65535"),
        ("HOTSHELF_WORKERS", "0", "a whole number of at least 1"),
        ("HOTSHELF_QUEUE_WAIT_S", "inf", "a number above 0"),
        ("HOTSHELF_DEVICE", "tpu", "one of cpu, gpu"),
        ("HOTSHELF_ENGINE_URL", "localhost:8001", "a URL such as http://127.0.0.1:8001"),
        ("REDIS_URL", "localhost", "a URL such as redis://127.0.0.1:6379/0"),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, right: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert refusal() == f"{variable} is {value!r}: it must be {right}"


def test_every_wrong_value_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTSHELF_PORT", "x")
    monkeypatch.setenv("HOTSHELF_QUEUE", "y")
    assert [line.split()[0] for line in refusal().splitlines()] == [
        "HOTSHELF_PORT",
        "HOTSHELF_QUEUE",
    ]


def test_an_unknown_name_is_refused_with_the_nearest_right_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOTSHELF_PROT", "8000")
    assert refusal() == "HOTSHELF_PROT is not a setting: did you mean HOTSHELF_PORT?"


def test_an_unknown_name_in_the_env_file_is_refused_too() -> None:
    Path(".env").write_text("HOTSHELF_XYZZY=1\n")
    assert refusal().startswith("HOTSHELF_XYZZY is not a setting")


def test_a_password_in_a_wrong_url_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "http://me:hunter2@example.test")
    assert "hunter2" not in refusal()


def test_keys_are_split_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTSHELF_API_KEYS", "first-key, second-key ,")
    settings = load_settings()
    assert [key.get_secret_value() for key in settings.api_keys] == ["first-key", "second-key"]
    assert "first-key" not in repr(settings)


def test_a_host_that_others_reach_needs_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTSHELF_HOST", "0.0.0.0")
    assert "set HOTSHELF_API_KEYS" in refusal()
    monkeypatch.setenv("HOTSHELF_API_KEYS", "key")
    assert load_settings().host == "0.0.0.0"


def test_several_processes_need_an_engine_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTSHELF_WORKERS", "2")
    assert "needs HOTSHELF_ENGINE_URL" in refusal()
    monkeypatch.setenv("HOTSHELF_ENGINE_URL", "http://127.0.0.1:8001")
    assert load_settings().workers == 2


def test_defaults_are_the_components_own() -> None:
    settings = load_settings()
    assert SessionConfig() == SessionConfig(
        settings.session_ttl_s, settings.store_timeout_s, settings.session_max_turns
    )
    assert AdmissionConfig() == AdmissionConfig(
        settings.permits, settings.queue, settings.queue_wait_s
    )
    assert ChatConfig() == ChatConfig(settings.prompt_products, settings.max_tokens)
    assert RetrieverConfig() == RetrieverConfig(settings.device)
    found = signature(make_finder).parameters["products"].default
    assert found == settings.search_products
    assert PromptConfig().max_prompt_tokens == settings.max_prompt_tokens
    assert Limits().message_chars == settings.max_message_chars
    assert Limits().answer_tokens == settings.max_answer_tokens
    assert BodyConfig().max_bytes == settings.max_body_bytes
    assert StreamConfig().heartbeat_s == settings.heartbeat_s


def test_the_page_of_settings_is_current() -> None:
    page = (ROOT / "docs" / "settings.md").read_text()
    assert page == markdown(Settings.model_fields), "run `make docs`"
