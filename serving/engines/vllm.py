"""vLLM in this process: prompts as token ids in, text and the engine core's own times out.

The engine core and its workers are processes of their own; what runs here is tokenising,
detokenising and one task that hands outputs to the streams. Their clock is CLOCK_MONOTONIC, as
`time.monotonic` is, so times need no conversion.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from pipeline.engine import (
    Chunk,
    EngineError,
    EngineStats,
    EngineTimes,
    FinishReason,
    GenerationRequest,
)
from serving.engines import core
from serving.engines.profile import VllmConfig
from serving.engines.stream import until_silent, without_cut_character

__all__ = ["VllmConfig", "VllmEngine"]

_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "abort": "abort",
    "repetition": "stop",
}
_PROBE_S = 10.0


class VllmEngine:
    """`AsyncLLM` behind the engine contract. One event loop; `llm` is open to tests."""

    name = "vllm"

    def __init__(self, config: VllmConfig) -> None:
        self.config = config
        self.llm: Any = None
        self._load = core.Load()
        self._requests: set[str] = set()
        self._fell_silent = False

    async def start(self) -> None:
        """Load the model and have it say one token; seconds to minutes."""
        if self.llm is None:
            try:
                self.llm = await core.start(self.config, self._load)
            except ImportError as error:
                raise EngineError(
                    "engine_failed",
                    f"vLLM is not installed here ({error}): "
                    f"run `pip install '.[{self.config.device}]'`, or set HOTSHELF_ENGINE_URL",
                ) from error
            except Exception as error:
                raise _as_engine_error(error) from error
        await self._probe(self.config.silence_s)

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        """Stream text as it is made; an output without text is not a chunk, unless it is the last.

        A character that is not whole yet is held back, and dropped where the answer ends in it.
        """
        outputs = self._outputs(request)
        completion_tokens, times = 0, None
        held: list[int] = []
        try:
            async with aclosing(until_silent(outputs, self.config.silence_s)) as stream:
                async for output in stream:
                    self._fell_silent = False
                    times = times or _times(output.metrics)
                    said = output.outputs[0]
                    completion_tokens += len(said.token_ids)
                    held += said.token_ids
                    if said.text or output.finished:
                        yield Chunk(
                            said.text,
                            completion_tokens,
                            len(output.prompt_token_ids),
                            output.num_cached_tokens,
                            times,
                            _finish(said.finish_reason) if output.finished else None,
                            tuple(held),
                        )
                        held.clear()
        except EngineError as error:
            self._fell_silent = self._fell_silent or error.code == "engine_silent"
            raise
        except Exception as error:
            raise _as_engine_error(error) from error

    async def _outputs(self, request: GenerationRequest) -> AsyncGenerator[Any, None]:
        """vLLM's own outputs; ending it aborts the request in the engine core."""
        if self.llm is None:
            raise EngineError("engine_failed", "the engine is not running")
        from vllm import SamplingParams
        from vllm.inputs import tokens_input
        from vllm.sampling_params import RequestOutputKind

        ids = without_cut_character(request.token_ids, self.llm.get_tokenizer().decode)
        parameters = SamplingParams(
            max_tokens=request.max_tokens,
            min_tokens=1,
            temperature=request.temperature,
            stop=list(request.stop),
            stop_token_ids=list(request.stop_token_ids),
            output_kind=RequestOutputKind.DELTA,
        )
        prompt = tokens_input(list(ids), cache_salt=request.cache_salt)
        stream = self.llm.generate(
            prompt, parameters, request.request_id, priority=request.priority
        )
        self._requests.add(request.request_id)
        try:
            async with aclosing(stream):
                async for output in stream:
                    yield output
        finally:
            self._requests.discard(request.request_id)

    async def check(self) -> None:
        """Raise `EngineError` if the engine core is gone; after a silence, ask it for a token."""
        if self.llm is None or self.llm.errored:
            raise EngineError("engine_failed", "the engine is not running")
        if self._fell_silent:
            await self._probe(_PROBE_S)

    async def _probe(self, seconds: float) -> None:
        """One token from it within `seconds`, or `EngineError`."""
        first = getattr(self.llm.model_config.hf_config, "bos_token_id", None)
        request = GenerationRequest("probe", (first if isinstance(first, int) else 0,), 1)
        async with aclosing(until_silent(self.generate(request), seconds)) as stream:
            async for _ in stream:
                pass

    async def stats(self) -> EngineStats:
        """The scheduler's own counts after its last step."""
        cache = None if self.llm is None else self.llm.vllm_config.cache_config
        return replace(
            self._load.stats,
            block_tokens=cache and cache.block_size,
            cache_tokens=cache and cache.kv_cache_size_tokens,
        )

    async def close(self) -> None:
        """End what still streams (as aborted), then the engine's processes."""
        llm, self.llm = self.llm, None
        if llm is None:
            return
        if self._requests and not llm.errored:
            await llm.abort(list(self._requests))
        await core.stop(llm)
        llm.shutdown = _nothing  # vLLM would call it again when the interpreter has ended


def _nothing(*_: Any, **__: Any) -> None:
    """Nothing is left to end."""


def _times(metrics: Any) -> EngineTimes | None:
    """A copy: vLLM goes on changing its own."""
    return metrics and EngineTimes(metrics.scheduled_ts, metrics.first_token_ts)


def _finish(reason: str | None) -> FinishReason:
    if reason not in _FINISH:
        raise EngineError("engine_failed", f"the engine ended the answer with {reason!r}")
    return _FINISH[reason]


def _as_engine_error(error: Exception) -> EngineError:
    """vLLM says by a status when it only has too much to do."""
    busy = getattr(error, "http_status", None) == HTTPStatus.SERVICE_UNAVAILABLE
    text = " ".join(str(error).split()) or type(error).__name__
    return EngineError("engine_busy" if busy else "engine_failed", text)
