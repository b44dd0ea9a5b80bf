"""What is counted, once for each request, whatever happened to it."""

import asyncio
from dataclasses import replace

import httpx
import pytest

from pipeline.timing import STAGES
from pipeline.types import Done, Failure, Timing, Token, TokenCounts
from serving.admission import Admission, AdmissionConfig
from serving.metrics import OUTCOMES, ROUTES, Metrics
from serving.services import Services
from tests.serving.fakes import DONE, SOURCES, Step, WrittenChat, whole_answer
from tests.serving.server import post, serving, until

ASK = {"message": "Is it?"}
FAILED = (SOURCES, Token("a"), Failure("engine_failed", "x"), Done("s1", "error", 7))


def counted(metrics: Metrics) -> dict[tuple[str, str], float]:
    """Requests by route and outcome, those that occurred."""
    found = {
        (route, outcome): metrics.registry.get_sample_value(
            "hotshelf_requests_total", {"route": route, "outcome": outcome}
        )
        for route in ROUTES
        for outcome in OUTCOMES
    }
    return {labels: count for labels, count in found.items() if count}


def value(metrics: Metrics, name: str, **labels: str) -> float:
    found = metrics.registry.get_sample_value(name, labels)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("steps", "outcome"),
    [
        (whole_answer("Yes"), "answered"),
        ((SOURCES, Token("a"), Done("s1", "length", 7)), "answered"),
        ((SOURCES, Done("s1", "not_carried", 7)), "not_carried"),
        ((SOURCES, Token("a"), Done("s1", "abort", 7)), "aborted"),
        (FAILED, "error"),
        ((SOURCES, RuntimeError("a bug")), "error"),
    ],
)
@pytest.mark.parametrize(
    ("path", "body", "route"),
    [
        ("/chat", ASK, "chat"),
        ("/v1/chat/completions", {"prompt": "Is it?", "stream": True}, "openai"),
        ("/v1/chat/completions", {"prompt": "Is it?"}, "openai"),
    ],
)
async def test_each_request_is_counted_once_by_its_outcome(
    services: Services, steps: tuple[Step, ...], outcome: str, path: str, body: object, route: str
) -> None:
    async with serving(replace(services, chat=WrittenChat(*steps))) as port:
        async with httpx.AsyncClient() as client:
            await client.post(f"http://127.0.0.1:{port}{path}", json=body)
        await until(lambda: bool(counted(services.metrics)))
    assert counted(services.metrics) == {(route, outcome): 1}
    assert value(services.metrics, "hotshelf_in_flight") == 0


async def test_refused_invalid_and_aborted_requests_are_counted_too(services: Services) -> None:
    admission = Admission(AdmissionConfig(permits=1, queue=0))
    chat = WrittenChat(SOURCES, Token("a"), asyncio.Event())
    services = replace(services, admission=admission, chat=chat)
    async with serving(services) as port, post(port, "/chat", ASK) as reply:
        async with post(port, "/chat", ASK) as refused:
            assert refused.status == 503
        async with post(port, "/chat", {}) as invalid:
            assert invalid.status == 422
        await until(lambda: len(counted(services.metrics)) == 2)
        assert value(services.metrics, "hotshelf_in_flight") == 1
        reply.reset()
        await until(lambda: len(counted(services.metrics)) == 3)
    outcomes = ("refused", "invalid", "aborted")
    assert counted(services.metrics) == {("chat", outcome): 1 for outcome in outcomes}
    assert value(services.metrics, "hotshelf_in_flight") == 0
    assert value(services.metrics, "hotshelf_request_seconds_count") == 1


async def test_times_and_tokens_are_recorded(services: Services) -> None:
    timing = Timing("a1", TokenCounts(prompt=100, cached=70, trimmed=0, completion=3))
    chat = WrittenChat(SOURCES, Token("a"), Token("b"), Token("c"), timing, DONE)
    services = replace(services, chat=chat)
    async with serving(services) as port, post(port, "/chat", ASK) as reply:
        await reply.rest()
        await until(lambda: bool(counted(services.metrics)))
    metrics = services.metrics
    assert value(metrics, "hotshelf_prompt_tokens_total", source="cached") == 70
    assert value(metrics, "hotshelf_prompt_tokens_total", source="computed") == 30
    assert value(metrics, "hotshelf_inter_token_seconds_count") == 2
    assert value(metrics, "hotshelf_time_to_first_token_seconds_count") == 1
    assert value(metrics, "hotshelf_request_seconds_count") == 1
    stages = {s: value(metrics, "hotshelf_stage_seconds_count", stage=s) for s in STAGES}
    assert stages == {s: float(s in ("admit", "flush")) for s in STAGES}
    ttft = value(metrics, "hotshelf_time_to_first_token_seconds_sum")
    total = sum(value(metrics, "hotshelf_stage_seconds_sum", stage=s) for s in STAGES)
    assert total == pytest.approx(ttft)


async def test_label_values_are_there_from_the_start_and_none_is_added(
    services: Services,
) -> None:
    def series() -> set[tuple[str, ...]]:
        return {
            (sample.name, *sorted(sample.labels.values()))
            for family in services.metrics.registry.collect()
            for sample in family.samples
        }

    before = series()
    async with (
        serving(services) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        for n in range(20):
            await client.get(f"/{n}")
            await client.post("/chat", json={**ASK, "session_id": f"s{n}"})
            await client.request("PURGE", "/chat")
    assert series() == before


async def test_the_exposition_is_prometheus_text(client: httpx.AsyncClient) -> None:
    reply = await client.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'hotshelf_stage_seconds_bucket{le="0.001",stage="prefill"} 0.0' in reply.text
