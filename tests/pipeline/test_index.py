"""Exact nearest vectors, whatever the size asked for."""

import numpy as np
import pytest

from pipeline.index import VectorIndex, gpu_count


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
