"""Product texts of made words, for sizes of which no catalogue is at hand.

Words are drawn by Zipf's law, as they occur in any language: a few are in every third text, most
in a handful. A title has 8 words and a description 40; a question has 3 words of some product's
title and 3 of its description.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np

from pipeline.lexicon.analysis import Terms
from pipeline.searching.lexical import Row

_WORDS = 50_000
_TITLE, _BODY, _ASKED = 8, 40, 3


def made_rows(size: int, questions: int, seed: int = 1) -> tuple[dict[str, list[Row]], list[Terms]]:
    """Rows of `size` products by id, and the words of `questions`."""
    draw = np.random.default_rng(seed)
    words = _words()
    share = 1 / np.arange(1, _WORDS + 1)
    drawn = draw.choice(_WORDS, size=(size, _TITLE + _BODY), p=share / share.sum())
    texts = [[words[number] for number in row] for row in drawn.tolist()]
    rows = {str(number): [_row(text)] for number, text in enumerate(texts)}
    chosen = draw.integers(size, size=questions)
    return rows, [_asked(texts[number]) for number in chosen]


def _words() -> Sequence[str]:
    syllables = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
    made = ("".join(parts) for parts in product(syllables, repeat=3))
    return [word for word, _ in zip(made, range(_WORDS), strict=False)]


def _row(text: Sequence[str]) -> Row:
    title, body = text[:_TITLE], text[_TITLE:]
    lengths = {"title": len(title), "body": len(body)}
    return Row({"title": Counter(title), "body": Counter(body)}, lengths)


def _asked(text: Sequence[str]) -> Terms:
    return dict.fromkeys((*text[:_ASKED], *text[_TITLE : _TITLE + _ASKED]), 1.0)
