"""Measures, however they are written."""

import pytest

from pipeline.lexicon.units import measured


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("三十公分的锅", "30cm"),
        ("一米八的床", "1.8m"),
        ("1米5的床", "1.5m"),
        ("两百克的茶", "200g"),
        ("十二升", "12l"),
        ("240gsm tee", "240gsm"),
        ("240 g/m2 jersey", "240gsm"),
        ("180克/平方米", "180gsm"),
        ('14" laptop', "14in"),
    ],
)
def test_measures_however_they_are_written(text: str, measure: str) -> None:
    assert measured(text)[1] == [measure]


def test_a_number_that_measures_nothing_stays_as_it_is() -> None:
    assert measured("三个人") == ("三个人", [])
