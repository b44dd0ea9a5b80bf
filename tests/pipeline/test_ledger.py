"""What the ledger knows to be computed: full blocks, and where a prompt leaves what it shares."""

from hypothesis import given
from hypothesis import strategies as st

from pipeline.engine import GenerationRequest
from pipeline.reuse.ledger import Ledger
from serving.engines.scripted import ScriptedConfig, ScriptedEngine

IDS = st.lists(st.integers(0, 2), max_size=20)


def ledger(*prompts: list[int], size: int = 4, capacity: int = 100) -> Ledger:
    made = Ledger(size, capacity)
    for ids in prompts:
        made.add(ids)
    return made


def test_full_blocks_alone_are_reusable_and_never_a_prompts_last_token() -> None:
    known = ledger([1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert known.reusable([1, 2, 3, 4, 5, 6, 7, 8, 9, 9]) == 8
    assert known.reusable([1, 2, 3, 4, 5, 6, 7, 8]) == 4
    assert known.reusable([1, 2, 3]) == 0
    assert known.reusable([2, 2, 3, 4, 5]) == 0
    assert known.reusable([]) == 0


def test_the_seam_is_what_was_computed_in_no_block_that_is_shared() -> None:
    known = ledger([1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert known.seam([1, 2, 3, 4, 5, 6, 0, 0, 0]) == 2
    assert known.seam([1, 2, 3, 4, 5, 6, 7, 8, 9, 0]) == 1
    assert known.seam([1, 2, 3, 4, 5, 6, 7, 8]) == 4
    assert known.seam([1, 2, 0, 0, 0]) == 2
    assert known.seam([0, 0]) == 0


def test_warm_is_what_has_every_full_block_computed() -> None:
    known = ledger([1, 2, 3, 4, 5, 6])
    assert known.is_warm([1, 2, 3, 4])
    assert known.is_warm([1, 2, 3, 4, 7])
    assert not known.is_warm([1, 2, 3, 4, 5, 6, 7, 8])
    assert known.is_warm([9])


def test_the_block_used_longest_ago_goes_first() -> None:
    known = ledger([1, 1, 1, 1], [2, 2, 2, 2], capacity=3)
    known.add([1, 1, 1, 1])
    known.add([3, 3, 3, 3])
    assert known.is_warm([1, 1, 1, 1])
    assert not known.is_warm([2, 2, 2, 2])


def test_computed_counts_what_was_not_cached() -> None:
    known = ledger([1, 2, 3, 4, 5])
    known.add([1, 2, 3, 4, 6], cached=4)
    assert known.computed == 6
    known.clear()
    assert known.reusable([1, 2, 3, 4, 5]) == 0


@given(st.lists(IDS, max_size=8))
async def test_it_expects_what_an_engine_with_a_prefix_cache_reuses(
    prompts: list[list[int]],
) -> None:
    engine, known = ScriptedEngine(ScriptedConfig(text="ok", block_size=4)), Ledger(4)
    for ids in filter(None, prompts):
        expected = known.reusable(ids)
        request = GenerationRequest("1", tuple(ids), 1)
        chunks = [chunk async for chunk in engine.generate(request)]
        assert chunks[0].cached_tokens == expected
        known.add(ids)
