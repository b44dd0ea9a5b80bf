"""What operators and their tools ask: is it up, is it ready, how is it doing."""

import asyncio
from collections.abc import Awaitable
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from redis.asyncio import Redis
from redis.exceptions import RedisError

from pipeline.engine import EngineError
from serving.routes.common import authorised, services_of
from serving.services import Services
from serving.wire import JsonResponse

router = APIRouter()

HERE = {
    "POST /chat": "ask a question, read server-sent events",
    "POST /chat/warm": "a product's page was opened: a question may come",
    "POST /v1/chat/completions": "the same in OpenAI's format",
    "GET /v1/models": "the model that answers",
    "GET /metrics": "figures for Prometheus",
    "GET /healthz": "whether the process is up",
    "GET /readyz": "whether it can answer",
    "GET /openapi.json": "all of it, for machines",
}


@router.get("/")
async def index() -> Response:
    """What is here."""
    return JsonResponse({"name": "hotshelf", "version": _version(), "here": HERE})


@router.get("/healthz")
async def healthz() -> Response:
    """Whether the process is up; it asks nobody else."""
    return JsonResponse({"status": "ok"})


@router.get("/readyz")
async def readyz(request: Request) -> Response:
    """Whether a question would be answered now; 503 names what stands in the way.

    It also says how much of the hot shelf is warm, which is no condition.
    """
    services = services_of(request)
    timeout = services.http.ready_timeout_s
    engine, redis = await asyncio.gather(
        _trouble(services.engine.check(), timeout),
        _trouble(_ping(services.redis), timeout),
    )
    catalogue = None if len(services.records) else "no product is loaded"
    found = {"engine": engine, "redis": redis, "catalogue": catalogue}
    troubles = {part: trouble for part, trouble in found.items() if trouble is not None}
    if not troubles:
        return JsonResponse({"status": "ready", "shelf": asdict(services.shelf.status())})
    message = "; ".join(f"{part}: {trouble}" for part, trouble in troubles.items())
    error = {"code": "not_ready", "message": message, "not_ready": troubles}
    return JsonResponse({"status": "not_ready", "error": error}, 503, {"Retry-After": "5"})


async def _ping(redis: Redis) -> None:
    await redis.ping()


async def _trouble(check: Awaitable[object], timeout_s: float) -> str | None:
    """What keeps `check` from passing in time, or None."""
    try:
        async with asyncio.timeout(timeout_s):
            await check
    except (EngineError, RedisError, OSError) as error:
        return str(error) or f"no answer within {timeout_s:g} s"
    return None


@router.get("/metrics")
async def metrics(services: Annotated[Services, Depends(authorised)]) -> Response:
    """Prometheus' text format."""
    return Response(services.metrics.exposition(), media_type=CONTENT_TYPE_PLAIN_0_0_4)


def _version() -> str:
    try:
        return version("hotshelf")
    except PackageNotFoundError:
        return "not installed"
