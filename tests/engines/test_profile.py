"""What belongs to the CPU alone, and the environment that vLLM is given."""

import os
from pathlib import Path

import pytest

from serving.engines import profile
from serving.engines.profile import VllmConfig, engine_arguments, environment, native_bfloat16


def test_a_gpu_keeps_graphs_compilation_and_its_own_block_size() -> None:
    arguments = engine_arguments(VllmConfig("a/model", device="gpu"))
    assert not {"enforce_eager", "block_size", "dtype", "kv_cache_memory_bytes"} & set(arguments)
    assert arguments["scheduling_policy"] == "priority"
    assert not any(name.startswith("VLLM_CPU") for name in environment(VllmConfig("m", "gpu")))


def test_a_cpu_runs_eagerly_in_small_blocks_with_a_fixed_cache() -> None:
    arguments = engine_arguments(VllmConfig("a/model", kv_cache_gib=0.5))
    assert arguments["enforce_eager"] is True
    assert arguments["block_size"] == 32
    assert arguments["kv_cache_memory_bytes"] == 1 << 29


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_steps_and_batches_are_bounded_whatever_vllm_thinks(device: profile.Device) -> None:
    arguments = engine_arguments(VllmConfig("m", device))
    assert 0 < arguments["max_num_seqs"] <= arguments["max_num_batched_tokens"]


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_what_the_operator_gives_wins_over_the_profile(device: profile.Device) -> None:
    config = VllmConfig("m", device, max_model_len=512, block_size=64, max_num_seqs=3)
    arguments = engine_arguments(config)
    assert (arguments["max_model_len"], arguments["block_size"]) == (512, 64)
    assert arguments["max_num_seqs"] == 3


@pytest.mark.parametrize(("usable", "bound"), [({0}, "0"), ({0, 1}, "0,1"), ({0, 1, 2, 3}, "auto")])
def test_of_many_cores_vllm_leaves_one_free_and_of_two_none(
    monkeypatch: pytest.MonkeyPatch, usable: set[int], bound: str
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: usable)
    assert environment(VllmConfig("m"))["VLLM_CPU_OMP_THREADS_BIND"] == bound
    given = environment(VllmConfig("m", cpu_cores="1"))
    assert given["VLLM_CPU_OMP_THREADS_BIND"] == "1"


def test_a_folder_needs_no_network_and_nothing_is_reported(tmp_path: Path) -> None:
    assert environment(VllmConfig(str(tmp_path)))["HF_HUB_OFFLINE"] == "1"
    assert "HF_HUB_OFFLINE" not in environment(VllmConfig("some/model"))
    assert environment(VllmConfig("some/model"))["VLLM_NO_USAGE_STATS"] == "1"


def test_a_variable_of_the_operators_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in environment(VllmConfig("m")):
        monkeypatch.setenv(name, "theirs")
    profile.set_environment(VllmConfig("m"))
    assert os.environ["VLLM_LOGGING_LEVEL"] == "theirs"


@pytest.mark.parametrize(
    ("flags", "native"),
    [
        ("flags : fpu sse2 avx2 fma", False),
        ("flags : fpu avx512f avx512_bf16", True),
        ("flags : fpu amx_bf16", True),
        ("Features : fp asimd bf16", True),
        ("", False),
    ],
)
def test_bfloat16_is_chosen_where_the_processor_has_it(
    tmp_path: Path, flags: str, native: bool
) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor : 0\n{flags}\n")
    assert native_bfloat16(cpuinfo) is native


def test_a_machine_that_tells_nothing_has_no_bfloat16(tmp_path: Path) -> None:
    assert native_bfloat16(tmp_path / "missing") is False
