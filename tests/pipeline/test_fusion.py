"""Scores of two legs made one."""

import pytest

from pipeline.searching.fusion import fuse


def test_each_leg_counts_for_its_share_however_its_scores_are_scaled() -> None:
    dense = {"near": 0.90, "middle": 0.85, "far": 0.80}
    lexical = {"far": 12.0, "middle": 3.0}
    found = {c.product_id: c for c in fuse(dense, lexical, 0.3)}
    assert found["near"].score == pytest.approx(0.7)
    assert found["middle"].score == pytest.approx(0.35 + 0.3 * 0.25)
    assert found["far"].score == pytest.approx(0.3)
    assert [c.product_id for c in fuse(dense, lexical, 0.3)] == ["near", "middle", "far"]
    assert fuse(dense, lexical, 0.9)[0].product_id == "far"


def test_a_product_of_one_leg_alone_is_a_candidate_too() -> None:
    [words, meaning] = sorted(fuse({"a": 0.5}, {"b": 2.0}, 0.5), key=lambda c: c.dense or 0)
    assert (words.product_id, words.dense, words.lexical) == ("b", None, 2.0)
    assert (meaning.product_id, meaning.dense, meaning.lexical) == ("a", 0.5, None)


def test_words_say_little_where_even_the_best_product_shares_few_of_them() -> None:
    dense, lexical = {"near": 0.9, "far": 0.5}, {"far": 2.0}
    assert fuse(dense, lexical, 0.6)[0].product_id == "far"
    [first, second] = fuse(dense, lexical, 0.6, least=8.0)
    assert first.product_id == "near"
    assert second.score == pytest.approx(0.6 * 2 / 8)
    assert fuse(dense, {"far": 9.0}, 0.6, least=8.0)[0].score == pytest.approx(0.6)


def test_nothing_makes_nothing() -> None:
    assert fuse({}, {}, 0.3) == ()
