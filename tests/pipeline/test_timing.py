"""The request's clock: consecutive stages that sum to the time to first token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.timing import STAGES, StageTimings


class Clock:
    """A clock that moves only when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_stages_are_consecutive_and_sum_to_the_ttft() -> None:
    clock = Clock()
    timings = StageTimings(clock)
    for stage in STAGES[:-1]:
        clock.now += 0.010
        timings.mark(stage)
    clock.now += 0.005
    timings.first_token()
    assert timings.ttft == pytest.approx(0.085)
    assert sum(timings.stages().values()) == pytest.approx(timings.ttft)


def test_a_stage_that_did_not_run_is_absent() -> None:
    clock = Clock()
    timings = StageTimings(clock)
    timings.mark("admit")
    timings.mark("hydrate")
    assert list(timings.stages()) == ["admit", "hydrate"]


def test_only_the_first_token_ends_the_ttft() -> None:
    clock = Clock()
    timings = StageTimings(clock)
    clock.now += 0.1
    timings.first_token()
    clock.now += 0.3
    timings.first_token()
    timings.finish()
    assert timings.ttft == pytest.approx(0.1)
    assert timings.decode == pytest.approx(0.3)


def test_no_token_means_no_ttft() -> None:
    timings = StageTimings(Clock())
    timings.finish()
    assert timings.ttft is None
    assert timings.decode is None


def test_over_budget_names_the_stages_in_order() -> None:
    clock = Clock()
    timings = StageTimings(clock)
    for stage in ("search", "render"):
        clock.now += 0.050
        timings.mark(stage)
    assert timings.over_budget({"render": 10.0, "search": 80.0}) == ["render"]


@given(
    waits=st.lists(st.floats(0, 5), min_size=3, max_size=3),
    claimed=st.floats(-10, 500),
    split=st.floats(-1, 20),
)
def test_no_claim_of_an_engine_breaks_the_sum(
    waits: list[float], claimed: float, split: float
) -> None:
    clock = Clock()
    timings = StageTimings(clock)
    clock.now += waits[0]
    timings.mark("render")
    clock.now += waits[1]
    timings.mark("queue", at=claimed)
    timings.mark("prefill")
    timings.split("prefill", "queue", split)
    clock.now += waits[2]
    timings.first_token()
    assert timings.ttft is not None
    assert sum(timings.stages().values()) == pytest.approx(timings.ttft)
    assert all(seconds >= 0 for seconds in timings.stages().values())
