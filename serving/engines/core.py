"""vLLM's engine core, a process of its own: starting it, giving up its start, hearing its load."""

import asyncio
import multiprocessing
import os
from dataclasses import fields
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

from pipeline.engine import EngineStats
from serving.engines.profile import (
    KEEP_ALL_BLOCKS,
    VllmConfig,
    engine_arguments,
    set_environment,
)


class Load:
    """What the scheduler said of itself after its last step; vLLM calls it a stat logger."""

    def __init__(self) -> None:
        self.stats = EngineStats(running=0, waiting=0, kv_usage=0.0)

    def record(self, scheduler_stats: Any, *_: Any, **__: Any) -> None:
        """Called after every step, and after the empty one that follows an abort."""
        if scheduler_stats is not None:
            self.stats = EngineStats(
                scheduler_stats.num_running_reqs,
                scheduler_stats.num_waiting_reqs + scheduler_stats.num_skipped_waiting_reqs,
                scheduler_stats.kv_cache_usage,
            )

    def log(self) -> None:
        """Nothing is written anywhere."""

    log_engine_initialized = log

    def record_sleep_state(self, *_: Any) -> None:
        """It never sleeps."""


async def start(config: VllmConfig, load: Load) -> Any:
    """An `AsyncLLM` whose engine core has its model; seconds to minutes, off the event loop.

    Raises what vLLM raises. When cancelled, no process is left behind.
    """
    set_environment(config)
    os.environ.setdefault("VLLM_RPC_BASE_PATH", _sockets().name)
    others = {process.pid for process in multiprocessing.active_children()}
    making = asyncio.ensure_future(asyncio.to_thread(_make, config, load))
    try:
        return await asyncio.shield(making)
    except asyncio.CancelledError:
        making.add_done_callback(_discard)
        _stop_starting(others)
        raise


async def stop(llm: Any) -> None:
    """End its processes and close its sockets; seconds."""
    await asyncio.to_thread(llm.shutdown)
    await asyncio.sleep(0)  # the sockets belong to this loop, where vLLM has them closed next
    llm.engine_core.resources.ctx.destroy(linger=0)


@cache
def _sockets() -> TemporaryDirectory[str]:
    """Where vLLM puts its sockets, which it leaves behind; ours goes when this process does."""
    return TemporaryDirectory(prefix="hotshelf-", ignore_cleanup_errors=True)


def _make(config: VllmConfig, load: Load) -> Any:
    from vllm import AsyncEngineArgs
    from vllm.v1.engine.async_llm import AsyncLLM

    arguments = engine_arguments(config)
    if KEEP_ALL_BLOCKS not in {field.name for field in fields(AsyncEngineArgs)}:
        del arguments[KEEP_ALL_BLOCKS]
    return AsyncLLM.from_engine_args(AsyncEngineArgs(**arguments), stat_loggers=[lambda *_: load])


def _stop_starting(others: set[int | None]) -> None:
    """End the engine core that is loading its model; nothing else tells it that nobody waits.

    `others` are the processes that were there before: another engine's core goes on.
    """
    for process in multiprocessing.active_children():
        if process.pid not in others and process.name.startswith("EngineCore"):
            process.terminate()


def _discard(making: "asyncio.Future[Any]") -> None:
    if not making.cancelled() and making.exception() is None:
        making.result().shutdown()
