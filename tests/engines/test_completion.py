"""What a server says of its cache goes into sums and counters: nonsense must not."""

import json

import pytest

from serving.engines.completion import Completion

SENT = 10


TOLD: tuple[tuple[object, int | None], ...] = (
    (3, 3),
    (0, 0),
    (-5, None),
    ("7", None),
    (1.5, None),
    ([], None),
    (True, None),
)


@pytest.mark.parametrize(("told", "cached"), TOLD, ids=repr)
def test_what_is_cached_is_a_count_or_not_told(told: object, cached: int | None) -> None:
    usage = {"prompt_tokens": SENT, "prompt_tokens_details": {"cached_tokens": told}}
    chunk = Completion(SENT).read(json.dumps({"choices": [{"text": "Yes"}], "usage": usage}))
    assert chunk is not None
    assert chunk.cached_tokens == cached
