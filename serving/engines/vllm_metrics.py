"""What a vLLM server tells of its load and its prefix cache at `GET /metrics`."""

from collections.abc import Iterable

from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from pipeline.engine import EngineStats

_RUNNING = "vllm:num_requests_running"
_WAITING = "vllm:num_requests_waiting"
_USAGE = "vllm:kv_cache_usage_perc"
_CACHE = "vllm:cache_config_info"


def read_stats(text: str) -> EngineStats:
    """Its stats; None what `text` does not tell. Engines behind one server are added up, and each
    of them has a cache of its own. Raises `ValueError` if it is not Prometheus' format."""
    found: dict[str, list[Sample]] = {name: [] for name in (_RUNNING, _WAITING, _USAGE, _CACHE)}
    for family in text_string_to_metric_families(text):
        if family.name in found:
            found[family.name] += family.samples
    caches = [sample.labels for sample in found[_CACHE]]
    usage = [sample.value for sample in found[_USAGE]]
    return EngineStats(
        running=_total(found[_RUNNING]),
        waiting=_total(found[_WAITING]),
        kv_usage=max(usage, default=None),
        block_tokens=_least(_whole(labels.get("block_size")) for labels in caches),
        cache_tokens=_least(map(_cache_tokens, caches)),
    )


def _total(samples: list[Sample]) -> int | None:
    return round(sum(sample.value for sample in samples)) if samples else None


def _cache_tokens(labels: dict[str, str]) -> int | None:
    told = _whole(labels.get("kv_cache_size_tokens"))
    size, blocks = _whole(labels.get("block_size")), _whole(labels.get("num_gpu_blocks"))
    return told or (size * blocks if size and blocks else None)


def _whole(value: str | None) -> int | None:
    return int(value) if value is not None and value.isdecimal() else None


def _least(values: Iterable[int | None]) -> int | None:
    return min((value for value in values if value), default=None)
