"""Searching while the catalogue changes: never a wrong id, never one that is gone."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Event

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.encoder import Vectors
from pipeline.searching.live_index import LiveIndex, built

DIMENSION = 16


def unit(rows: int, seed: int) -> Vectors:
    vectors = np.random.default_rng(seed).normal(size=(rows, DIMENSION)).astype(np.float32)
    unit_vectors: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit_vectors


def indexed(vectors: Vectors, merge_at: int = 512, approximate_at: int = 5_000) -> LiveIndex:
    base = built([str(i) for i in range(len(vectors))], vectors, "cpu", approximate_at)
    return LiveIndex(base, "cpu", merge_at, approximate_at)


def ids(found: list[tuple[str, float]]) -> list[str]:
    return [id_ for id_, _ in found]


def test_removing_one_then_the_next_leaves_the_right_ids() -> None:
    vectors = unit(5, 0)
    index = indexed(vectors)
    index.change({}, ["1"])
    index.change({}, ["2"])
    assert sorted(ids(index.search(vectors[1], 5))) == ["0", "3", "4"]
    for kept in (0, 3, 4):
        assert ids(index.search(vectors[kept], 1)) == [str(kept)]


def test_a_changed_product_is_found_by_its_new_text_and_not_by_its_old_one() -> None:
    vectors, new = unit(20, 0), unit(1, 99)
    index = indexed(vectors)
    index.change({"7": new})
    best = index.search(new[0], 1)[0]
    assert best[0] == "7"
    assert best[1] > 0.999
    assert index.search(vectors[7], 1)[0][1] < 0.999


def test_many_tombstones_do_not_hide_what_stands() -> None:
    vectors = unit(200, 0)
    index = indexed(vectors, merge_at=10_000)
    index.change({}, [str(i) for i in range(199)])
    assert ids(index.search(vectors[0], 5)) == ["199"]


async def test_changes_that_come_during_a_merge_are_kept() -> None:
    vectors, first, second = unit(10, 0), unit(3, 1), unit(1, 2)
    index = indexed(vectors, merge_at=3)
    index.change({"a": first[:1], "b": first[1:2], "c": first[2:]})
    index.change({"d": second}, ["b", "4"])
    await index.merged()
    assert ids(index.search(first[0], 1)) == ["a"]
    assert ids(index.search(second[0], 1)) == ["d"]
    everything = ids(index.search(first[1], 50))
    assert sorted(everything) == sorted(["a", "c", "d", *(str(i) for i in range(10) if i != 4)])


Change = tuple[int, int | None]


@settings(max_examples=60, deadline=None)
@given(
    changes=st.lists(
        st.tuples(st.integers(0, 12), st.one_of(st.none(), st.integers(100, 200))), max_size=40
    ),
    merge_at=st.integers(1, 20),
    approximate_at=st.sampled_from([1, 7, 5_000]),
)
def test_any_history_of_changes_finds_what_an_index_built_afresh_finds(
    changes: list[Change], merge_at: int, approximate_at: int
) -> None:
    asyncio.run(_compare(changes, merge_at, approximate_at))


async def _compare(changes: list[Change], merge_at: int, approximate_at: int) -> None:
    start = unit(8, 0)
    index = indexed(start, merge_at, approximate_at)
    truth = {str(i): start[i : i + 1] for i in range(8)}
    for number, seed in changes:
        id_ = str(number)
        if seed is None:
            truth.pop(id_, None)
            index.change({}, [id_])
        else:
            truth[id_] = unit(1, seed)
            index.change({id_: truth[id_]})
        if number % 3 == 0:
            await asyncio.sleep(0)
        question = unit(1, number)[0]
        expected = {i: float((v @ question).max()) for i, v in truth.items()}
        found = dict(index.search(question, 50))
        assert found.keys() == expected.keys()
        assert all(abs(found[i] - expected[i]) < 1e-5 for i in found)
    await index.merged()
    assert sorted(ids(index.search(unit(1, 1)[0], 50))) == sorted(truth)


async def test_a_fork_changes_alone_and_never_merges() -> None:
    vectors, new = unit(5, 0), unit(1, 99)
    index = indexed(vectors, merge_at=2)
    index.change({"a": unit(1, 50)})
    fork = index.fork()
    fork.change({"b": new}, ["1", "2", "3"])
    await fork.merged()
    assert ids(fork.search(new[0], 1)) == ["b"]
    assert sorted(ids(fork.search(vectors[1], 9))) == ["0", "4", "a", "b"]
    assert sorted(ids(index.search(vectors[1], 9))) == ["0", "1", "2", "3", "4", "a"]
    index.change({}, ["0", "4"])
    await index.merged()
    assert sorted(ids(fork.search(vectors[1], 9))) == ["0", "4", "a", "b"]


async def test_searches_during_changes_see_a_product_by_its_old_or_its_new_vector() -> None:
    """Failure seen elsewhere: a search while rows come and go gave wrong ids, or crashed."""
    vectors = unit(400, 0)
    index = indexed(vectors, merge_at=20, approximate_at=100)
    stop, draw = Event(), np.random.default_rng(2)

    def search(seed: int) -> int:
        count, questions = 0, unit(50, seed)
        while not stop.is_set():
            found = index.search(questions[count % 50], 400)
            assert len({id_ for id_, _ in found}) == len(found) == 400
            assert all(before >= after for (_, before), (_, after) in pairwise(found))
            count += 1
        return count

    with ThreadPoolExecutor(4) as threads:
        searches = [threads.submit(search, seed) for seed in range(10, 14)]
        try:
            for number in range(300):
                index.change({str(draw.integers(400)): unit(1, 1_000 + number)})
                await asyncio.sleep(0.001)
        finally:
            stop.set()
        await index.merged()
    assert all(found.result() > 0 for found in searches)


async def test_an_approximate_index_takes_changes_and_is_built_afresh_in_time() -> None:
    vectors = unit(300, 0)
    index = indexed(vectors, merge_at=10, approximate_at=100)
    for number in range(200):
        index.change({f"new {number}": unit(1, 500 + number)}, [str(number)])
        await index.merged()
    assert len(index.search(vectors[0], 1_000)) == 300
    for number in (0, 77, 199):
        assert ids(index.search(unit(1, 500 + number)[0], 1)) == [f"new {number}"]
        assert str(number) not in ids(index.search(vectors[number], 300))
    assert ids(index.search(vectors[250], 1)) == ["250"]
    assert index.scores(vectors[250], ["250", "0", "new 3"]).keys() == {"250", "new 3"}
