"""What is read of a vLLM server's own figures."""

import httpx2 as httpx
import pytest

from pipeline.engine import EngineStats
from serving.engines.openai import OpenAIConfig, OpenAIEngine
from serving.engines.vllm_metrics import read_stats

TEXT = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 2.0
vllm:num_requests_running{engine="1",model_name="m"} 1.0
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="m"} 4.0
# TYPE vllm:num_requests_waiting_by_reason gauge
vllm:num_requests_waiting_by_reason{engine="0",model_name="m",reason="capacity"} 9.0
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
# TYPE vllm:cache_config_info gauge
vllm:cache_config_info{block_size="32",engine="0",num_gpu_blocks="1000",CACHE} 1.0
"""


@pytest.mark.parametrize(
    ("more", "tokens"),
    [
        ('kv_cache_size_tokens="None"', 32_000),
        ('kv_cache_size_tokens="31000"', 31_000),
    ],
)
def test_load_and_cache_are_read(more: str, tokens: int) -> None:
    assert read_stats(TEXT.replace("CACHE", more)) == EngineStats(3, 4, 0.25, 32, tokens)


def test_what_is_not_told_is_unknown() -> None:
    assert read_stats("# TYPE up gauge\nup 1\n") == EngineStats()


@pytest.mark.parametrize(
    ("status", "text"),
    [(200, "up 1\n"), (200, "<html>{"), (404, "")],
)
async def test_a_server_that_does_not_tell_is_not_asked_again_soon(status: int, text: str) -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/models":
            return httpx.Response(200, json={"data": [{"id": "m", "owned_by": "vllm"}]})
        seen.append(request.url.path)
        return httpx.Response(status, text=text)

    engine = OpenAIEngine(OpenAIConfig("http://engine/v1"), httpx.MockTransport(answer))
    await engine.start()
    assert [await engine.stats() for _ in range(3)] == [EngineStats()] * 3
    assert seen == ["/metrics"]
    await engine.close()
