"""Exact nearest vectors, whatever the size asked for."""

import logging

import faiss
import numpy as np
import pytest

from pipeline.searching.index import VectorIndex, gpu_count, on_device, usable


def unit(
    rows: int, dimension: int = 8, seed: int = 0
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    vectors = np.random.default_rng(seed).normal(size=(rows, dimension)).astype(np.float32)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)  # type: ignore[no-any-return]


def test_the_nearest_come_first_with_their_cosine() -> None:
    vectors = unit(50)
    index = VectorIndex([f"p{i}" for i in range(50)], vectors)
    expected = np.argsort(-(vectors @ vectors[7]))[:5]
    found = index.search(vectors[7], 5)
    assert [id_ for id_, _ in found] == [f"p{i}" for i in expected]
    assert found[0][1] == pytest.approx(1.0, abs=1e-5)


def test_a_product_in_two_languages_is_found_once() -> None:
    vectors = unit(6)
    index = VectorIndex(["a", "b", "c", "a", "b", "c"], vectors)
    found = index.search(vectors[0], 3)
    assert sorted(id_ for id_, _ in found) == ["a", "b", "c"]
    assert found[0][0] == "a"
    assert found[0][1] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("size", [0, 1, 3])
def test_asking_for_more_than_there_is_gives_what_there_is(size: int) -> None:
    index = VectorIndex([str(i) for i in range(size)], unit(size))
    assert len(index.search(unit(1)[0], 10)) == size == len(index)


def test_ids_that_do_not_fit_the_vectors_are_refused() -> None:
    with pytest.raises(ValueError, match="2 ids"):
        VectorIndex(["a", "b"], unit(3))


def test_a_large_index_in_cells_finds_what_comparing_all_would_find() -> None:
    kinds = unit(40, 32, seed=3)
    own = unit(4_000, 32, seed=4)
    vectors = kinds[np.arange(4_000) % 40] + own
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = [str(i) for i in range(4_000)]
    exact, cells = VectorIndex(ids, vectors), VectorIndex(ids, vectors, approximate=True)
    assert exact.exact
    assert not cells.exact
    same = 0
    for vector in vectors[:100] + 0.3 * own[100:200]:
        best = exact.search(vector, 10)
        found = cells.search(vector, 10)
        same += len({i for i, _ in best} & {i for i, _ in found})
        assert found == sorted(found, key=lambda pair: -pair[1])
    assert same >= 950


@pytest.mark.parametrize("approximate", [False, True])
def test_more_than_the_nearest_cells_hold_may_be_asked_for(approximate: bool) -> None:
    vectors = unit(3_000, 16)
    index = VectorIndex([str(i) for i in range(3_000)], vectors, approximate=approximate)
    assert len({id_ for id_, _ in index.search(vectors[0], 5_000)}) == 3_000


def test_without_a_gpu_the_cpu_is_used_whatever_faiss_is_installed() -> None:
    """faiss-gpu imports on a machine without a GPU, and then counts none."""
    vectors = unit(4)
    assert gpu_count() >= 0
    assert on_device(vectors, "cpu") is vectors
    assert VectorIndex(list("abcd"), vectors, "cpu").search(vectors[2], 1)[0][0] == "c"


def test_where_there_is_no_gpu_the_log_says_that_the_cpu_is_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("pipeline.searching.index.gpu_count", lambda: 0)
    with caplog.at_level(logging.WARNING):
        assert usable("cpu") == "cpu"
        assert caplog.text == ""
        assert usable("gpu") == "cpu"
    assert "on the CPU" in caplog.text
    monkeypatch.setattr("pipeline.searching.index.gpu_count", lambda: 1)
    assert usable("gpu") == "gpu"


class GpuApi:
    """The part of faiss-gpu's interface that is used, to be held against what is called."""

    class GpuClonerOptions:
        useFloat16 = False  # noqa: N815  as FAISS spells it

    class StandardGpuResources:
        pass

    def __init__(self) -> None:
        self.moved: tuple[object, int, object, bool] | None = None

    def index_cpu_to_gpu(
        self, resources: object, device: int, index: object, options: GpuClonerOptions
    ) -> object:
        self.moved = (resources, device, index, options.useFloat16)
        return index


def test_an_index_is_moved_to_the_first_gpu_in_half_precision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api, index = GpuApi(), object()
    monkeypatch.setattr("pipeline.searching.index.faiss", api)
    assert on_device(index, "gpu") is index
    assert api.moved is not None
    assert isinstance(api.moved[0], GpuApi.StandardGpuResources)
    assert api.moved[1:] == (0, index, True)


@pytest.mark.gpu
@pytest.mark.skipif(
    not hasattr(faiss, "GpuClonerOptions"), reason="faiss-cpu is installed, which has no GPU part"
)
def test_the_installed_faiss_has_what_the_gpu_path_calls() -> None:
    assert hasattr(faiss.GpuClonerOptions(), "useFloat16")
    for name in ("StandardGpuResources", "index_cpu_to_gpu", "get_num_gpus"):
        assert callable(getattr(faiss, name))


@pytest.mark.gpu
@pytest.mark.skipif(gpu_count() == 0, reason="no GPU that this FAISS can use")
def test_the_gpu_finds_what_the_cpu_finds() -> None:
    vectors = unit(500, 64)
    ids = [str(i) for i in range(500)]
    on_cpu, on_gpu = VectorIndex(ids, vectors), VectorIndex(ids, vectors, "gpu")
    for vector in unit(20, 64, seed=1):
        cpu = [id_ for id_, _ in on_cpu.search(vector, 5)]
        gpu = [id_ for id_, _ in on_gpu.search(vector, 5)]
        assert cpu[0] == gpu[0]
        assert len(set(cpu) & set(gpu)) >= 4
