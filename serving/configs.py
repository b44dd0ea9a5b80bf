"""From the settings to the config of each component: the only place that knows both."""

from catalog.traffic import TrafficConfig
from pipeline.chat import ChatConfig
from pipeline.foreseeing.foresight import ForesightConfig
from pipeline.prompt import PromptConfig
from pipeline.retriever import RetrieverConfig
from pipeline.warming.warmer import WarmerConfig
from serving.access import AccessConfig
from serving.admission import AdmissionConfig
from serving.body import BodyConfig
from serving.catalog_services import CatalogConfig
from serving.engines.openai import OpenAIConfig
from serving.engines.profile import BLOCK_TOKENS, VllmConfig
from serving.engines.stream import Decode
from serving.schemas import Limits
from serving.services import HttpConfig
from serving.sessions import SessionConfig
from serving.settings import Settings
from serving.sse import StreamConfig
from serving.upload import UploadConfig
from serving.warm_limits import WarmLimitsConfig

_MIB = 1024 * 1024


def access(settings: Settings) -> AccessConfig:
    """Who may ask."""
    return AccessConfig(tuple(key.get_secret_value() for key in settings.api_keys))


def admission(settings: Settings) -> AdmissionConfig:
    """How many may ask at once."""
    return AdmissionConfig(settings.permits, settings.queue, settings.queue_wait_s)


def http(settings: Settings) -> HttpConfig:
    """How requests are read and streams are sent."""
    return HttpConfig(
        limits=Limits(
            message_chars=settings.max_message_chars, answer_tokens=settings.max_answer_tokens
        ),
        body=BodyConfig(max_bytes=settings.max_body_bytes),
        stream=StreamConfig(heartbeat_s=settings.heartbeat_s),
    )


def catalog(settings: Settings) -> CatalogConfig:
    """How the catalogue is changed."""
    limit = settings.max_import_mb * _MIB
    return CatalogConfig(upload=UploadConfig(settings.data_dir / "uploads", limit))


def sessions(settings: Settings) -> SessionConfig:
    """How long conversations are kept."""
    return SessionConfig(
        settings.session_ttl_s, settings.store_timeout_s, settings.session_max_turns
    )


def retriever(settings: Settings) -> RetrieverConfig:
    """How products are found."""
    return RetrieverConfig(settings.device)


def prompt(settings: Settings) -> PromptConfig:
    """How large a prompt may be."""
    return PromptConfig(
        max_prompt_tokens=settings.max_prompt_tokens,
        context_tokens=settings.max_model_len,
        answer_tokens=settings.max_tokens,
        max_products=settings.prompt_products,
        block_tokens=settings.block_size or BLOCK_TOKENS[settings.device],
    )


def chat(settings: Settings) -> ChatConfig:
    """How a question is answered."""
    return ChatConfig(settings.prompt_products, settings.max_tokens, settings.ttft_budget_ms)


def traffic(settings: Settings) -> TrafficConfig:
    """What comes onto the hot shelf."""
    return TrafficConfig(
        settings.shelf_products, settings.shelf_hysteresis, settings.shelf_half_life_s
    )


def warmer(settings: Settings) -> WarmerConfig:
    """How the shelf is kept warm; an engine elsewhere may be started anew unseen."""
    elsewhere = settings.engine_url is not None
    return WarmerConfig(settings.warm_piece_tokens, verify_s=30.0 if elsewhere else None)


def warm_limits(settings: Settings) -> WarmLimitsConfig:
    """How often pages may be warmed."""
    return WarmLimitsConfig(settings.warm_per_session, settings.warm_per_address)


def foresight(settings: Settings) -> ForesightConfig:
    """How answers are compared before an import."""
    return ForesightConfig(settings.prompt_products)


def vllm(settings: Settings, model: str) -> VllmConfig:
    """The engine of our own."""
    return VllmConfig(
        model=model,
        device=settings.device,
        max_model_len=settings.max_model_len,
        block_size=settings.block_size,
        max_num_seqs=settings.max_num_seqs,
        max_num_batched_tokens=settings.max_num_batched_tokens,
        kv_cache_gib=settings.kv_cache_gib,
        cpu_cores=settings.cpu_cores,
        gpu_memory_utilization=settings.gpu_memory_utilization,
        silence_s=settings.engine_silence_s,
    )


def openai(settings: Settings, url: str, decode: Decode) -> OpenAIConfig:
    """The engine elsewhere, at `url`."""
    key = settings.engine_key
    return OpenAIConfig(
        url=url,
        model=settings.engine_model,
        api_key=None if key is None else key.get_secret_value(),
        decode=decode,
        silence_s=settings.engine_silence_s,
    )
