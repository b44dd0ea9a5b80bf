"""The line through prefill times: what it learns, and that it says nothing too early."""

import pytest

from pipeline.reuse.pace import Pace


def taught(pairs: list[tuple[int, float]]) -> Pace:
    pace = Pace()
    for tokens, seconds in pairs:
        pace.observe(tokens, seconds)
    return pace


def test_it_says_nothing_before_it_has_seen_enough() -> None:
    pace = taught([(10 * n, 0.05 + 0.01 * n) for n in range(7)])
    assert pace.tokens(1.0) is None
    assert pace.seconds(10) is None


def test_it_says_nothing_of_prompts_that_were_all_alike() -> None:
    assert taught([(100, 0.1)] * 50).tokens(1.0) is None


def test_it_finds_the_line() -> None:
    pace = taught([(n, 0.05 + 0.001 * n) for n in range(0, 400, 20)])
    assert pace.seconds(100) == pytest.approx(0.15)
    assert pace.tokens(0.25) == pytest.approx(200, abs=1)
    assert pace.tokens(0.01) == 0


def test_a_machine_that_became_slower_is_followed() -> None:
    pace = taught([(n % 300, 0.05 + 0.0005 * (n % 300)) for n in range(0, 3000, 7)])
    for n in range(0, 3000, 7):
        pace.observe(n % 300, 0.1 + 0.001 * (n % 300))
    assert pace.seconds(200) == pytest.approx(0.3, rel=0.05)


def test_one_hiccup_moves_it_little() -> None:
    pace = taught([(n % 300, 0.05 + 0.001 * (n % 300)) for n in range(0, 3000, 7)])
    pace.observe(50, 60.0)
    assert pace.seconds(100) == pytest.approx(0.15, rel=0.2)


def test_more_tokens_never_take_less() -> None:
    assert taught([(n, 1.0 - 0.001 * n) for n in range(100)]).tokens(1.0) is None
