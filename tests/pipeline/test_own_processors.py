"""Threads of one computation get a processor each, and nobody else's thread is moved."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from pipeline.own_processors import on_own_processors


class Team:
    """Threads that wait, as OpenMP's do between two computations."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self._end = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self, size: int) -> None:
        """Start `size` threads; each has said who it is when this returns."""
        ready = threading.Barrier(size + 1)

        def member() -> None:
            self.ids.append(threading.get_native_id())
            ready.wait()
            self._end.wait()

        self._threads = [threading.Thread(target=member) for _ in range(size)]
        for thread in self._threads:
            thread.start()
        ready.wait()

    def end(self) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()


def bound(size: int) -> tuple[set[int], list[set[int]]]:
    """Processors of the calling thread and of a team of `size` that it starts."""
    team = Team()

    def run() -> tuple[set[int], list[set[int]]]:
        on_own_processors(lambda: team.start(size))
        return os.sched_getaffinity(0), [os.sched_getaffinity(tid) for tid in team.ids]

    with ThreadPoolExecutor(1) as pool:
        try:
            return pool.submit(run).result()
        finally:
            team.end()


@pytest.fixture
def processors() -> set[int]:
    found = os.sched_getaffinity(0)
    assert len(found) > 1, "a machine of one processor has nothing to share out"
    return found


def test_each_thread_gets_a_processor_of_its_own(processors: set[int]) -> None:
    caller, members = bound(len(processors) - 1)
    assert len(caller) == 1
    assert all(len(member) == 1 for member in members)
    assert set().union(caller, *members) == processors


def test_too_many_threads_stay_where_the_system_puts_them(processors: set[int]) -> None:
    caller, members = bound(len(processors))
    assert caller == processors
    assert all(member == processors for member in members)


def test_other_threads_are_not_moved(processors: set[int]) -> None:
    other = Team()
    other.start(1)
    try:
        bound(1)
        assert [os.sched_getaffinity(tid) for tid in other.ids] == [processors]
        assert os.sched_getaffinity(0) == processors
    finally:
        other.end()
