"""What differs between a CPU and a GPU, in one place: vLLM's arguments and its environment.

Eager mode, a small fixed KV cache, OpenMP threads and the choice of float32 belong to the CPU
alone. On a GPU vLLM keeps its own defaults (CUDA graphs, compilation, memory by utilisation).
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

GIB = 1 << 30
Device = Literal["cpu", "gpu"]

BLOCK_TOKENS: dict[Device, int] = {"cpu": 32, "gpu": 16}
"""In the prefix cache: on a GPU vLLM's own choice, on a CPU the least it takes."""
_NATIVE_BFLOAT16 = frozenset({"avx512_bf16", "amx_bf16", "bf16"})
"""Processor flags, x86's and ARM's. Without one, oneDNN has no bfloat16 matrix product and
prefill falls back to a path four times as slow as float32."""

KEEP_ALL_BLOCKS = "prefix_cache_retention_interval"
"""By default vLLM keeps of sliding-window layers (Gemma 3) the blocks at a prompt's end alone, and
each answer would cost the next turn a block. None keeps them all; older ones know no such argument
and do."""


@dataclass(frozen=True, slots=True)
class VllmConfig:
    """The in-process engine. None leaves a value to the profile of `device`.

    `model` is a folder or a Hugging Face id. `cpu_cores` are the cores of the matrix products
    as vLLM writes them ("0-3", "0,2"). An answer is given up after `silence_s` without a token.
    """

    model: str
    device: Device = "cpu"
    max_model_len: int | None = None
    block_size: int | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    kv_cache_gib: float | None = None
    cpu_cores: str | None = None
    gpu_memory_utilization: float = 0.9
    silence_s: float = 60.0


def engine_arguments(config: VllmConfig) -> dict[str, Any]:
    """Keyword arguments of `vllm.AsyncEngineArgs`.

    Every block is retained: by default vLLM keeps, of layers with a sliding window (Gemma's), only
    what the same prompt could reuse, so that prompts which part earlier, and answers, are lost.
    """
    arguments: dict[str, Any] = {
        "model": config.model,
        "scheduling_policy": "priority",
        "enable_prefix_caching": True,
        KEEP_ALL_BLOCKS: None,
        "disable_log_stats": True,
        "use_tqdm_on_load": False,
        **(_cpu(config) if config.device == "cpu" else _gpu(config)),
    }
    given = {
        "max_model_len": config.max_model_len,
        "block_size": config.block_size,
        "max_num_seqs": config.max_num_seqs,
        "max_num_batched_tokens": config.max_num_batched_tokens,
    }
    return arguments | {name: value for name, value in given.items() if value is not None}


def _cpu(config: VllmConfig) -> dict[str, Any]:
    return {
        "dtype": "auto" if native_bfloat16() else "float32",
        "enforce_eager": True,
        "max_model_len": 2048,
        "block_size": BLOCK_TOKENS["cpu"],
        "max_num_seqs": 24,
        "max_num_batched_tokens": 512,
        "kv_cache_memory_bytes": int((config.kv_cache_gib or 1.0) * GIB),
    }


def _gpu(config: VllmConfig) -> dict[str, Any]:
    """-1 lets vLLM find the longest context that the memory holds; small steps keep TTFT short."""
    memory = (
        {"gpu_memory_utilization": config.gpu_memory_utilization}
        if config.kv_cache_gib is None
        else {"kv_cache_memory_bytes": int(config.kv_cache_gib * GIB)}
    )
    return {
        "max_model_len": -1,
        "max_num_seqs": 256,
        "max_num_batched_tokens": 2048,
        **memory,
    }


def environment(config: VllmConfig) -> dict[str, str]:
    """Variables that vLLM and its processes read; to be set before vLLM is imported.

    Its processes are spawned, never forked out of a process that has threads. Nothing is
    reported to anyone, and a model that is a folder needs no network.
    """
    variables = {
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_WORKER_MULTIPROC_METHOD": "spawn",
        "VLLM_LOGGING_LEVEL": "ERROR",
        "VLLM_LOGGING_STREAM": "ext://sys.stderr",
        "TOKENIZERS_PARALLELISM": "false",
    }
    if Path(config.model).is_dir():
        variables["HF_HUB_OFFLINE"] = "1"
    if config.device == "cpu":
        variables["VLLM_CPU_OMP_THREADS_BIND"] = config.cpu_cores or _cores()
    return variables


def set_environment(config: VllmConfig) -> None:
    """Set what `environment` says; what the operator has set already stays."""
    for name, value in environment(config).items():
        os.environ.setdefault(name, value)


def _cores() -> str:
    """The cores of the matrix products: all of two, else all but the one that vLLM leaves free.

    Of two cores, keeping one free halves the speed and gains nothing: the gateway needs little.
    """
    usable = sorted(os.sched_getaffinity(0))
    return ",".join(map(str, usable)) if len(usable) <= 2 else "auto"


def native_bfloat16(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether this processor multiplies bfloat16 itself; False where it does not say."""
    try:
        text = cpuinfo.read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return not _NATIVE_BFLOAT16.isdisjoint(text.split())
