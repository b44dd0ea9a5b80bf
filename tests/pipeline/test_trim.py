"""What does not fit goes in order, and never leaves half a character."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.prompting.tokenizer import Tokenizer, scrub
from pipeline.prompting.trim import ELLIPSIS, Block, block_of, clip, clip_middle, fit

EMOJI = "👩‍👩‍👧🇩🇪👍🏽🤾🏽‍♂️𓀀❤️1️⃣é"
MIXED = st.text(
    st.one_of(st.sampled_from([*EMOJI, "\u200d", "\ufe0f", "\n"]), st.characters(codec=None)),
    max_size=120,
)


def block(length: int) -> Block:
    return Block(tuple(range(1, length + 1)), b"\1" * length, (0,))


@settings(max_examples=50, deadline=None)
@given(MIXED, st.integers(0, 150))
def test_a_cut_text_is_a_beginning_within_the_limit(
    tokenizer: Tokenizer, text: str, limit: int
) -> None:
    kept = clip(tokenizer, text, limit)
    assert scrub(text).startswith(kept)
    assert len(tokenizer.encode(kept)) <= limit


@settings(max_examples=50, deadline=None)
@given(MIXED, st.integers(1, 150))
def test_a_cut_block_is_a_beginning_and_its_closing(
    tokenizer: Tokenizer, text: str, limit: int
) -> None:
    whole = scrub(text) + "\n"
    kept = tokenizer.decode(block_of(tokenizer, whole).cut(limit))
    assert kept in ("", whole) or whole.startswith(kept.removesuffix("\n"))
    assert len(block_of(tokenizer, whole).cut(limit)) <= limit


def test_an_emoji_is_kept_whole_or_not_at_all(tokenizer: Tokenizer) -> None:
    clusters = ["a", "👩‍👩‍👧", "b", "👍🏽", "c", "🇩🇪", "d", "𓀀", "e", "1️⃣", "f", "e\u0301", "g"]
    wholes = {"".join(clusters[:end]) for end in range(len(clusters) + 1)}
    length = len(tokenizer.encode("".join(clusters)))
    assert {clip(tokenizer, "".join(clusters), limit) for limit in range(length + 1)} <= wholes


@settings(max_examples=50, deadline=None)
@given(MIXED, st.integers(4, 60))
def test_a_long_message_keeps_its_beginning_and_its_end(
    tokenizer: Tokenizer, text: str, limit: int
) -> None:
    whole = scrub(text)
    kept, cut = clip_middle(tokenizer, text, limit)
    if cut == 0:
        assert kept == whole
        return
    head, tail = kept.split(ELLIPSIS, 1) if text.count(ELLIPSIS) == 0 else ("", "")
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert len(tokenizer.encode(head)) + len(tokenizer.encode(tail)) <= limit + 2


def test_forty_thousand_characters_are_cut_in_their_middle(tokenizer: Tokenizer) -> None:
    text = "Does it " + "really 真的 👍🏽 " * 4000 + "come in black?"
    kept, cut = clip_middle(tokenizer, text[:40_000], 100)
    assert kept.startswith("Does it really")
    assert cut > 1000
    assert "\ufffd" not in kept


def test_oldest_turns_go_first() -> None:
    fitted = fit(25, [10, 10, 10], [block(5)], [0])
    assert (fitted.first_turn, fitted.trimmed) == (1, 10)
    assert fitted.blocks == (block(5).ids,)


def test_extra_products_go_before_the_first_one_is_cut() -> None:
    fitted = fit(25, [10], [block(20), block(20)], [0, 3])
    assert fitted.first_turn == 1
    assert fitted.blocks == (block(20).ids,)
    assert fitted.trimmed == 33


def test_a_long_product_text_is_cut_last_and_stays_closed() -> None:
    fitted = fit(12, [10], [block(20), block(20)], [0, 3])
    assert fitted.blocks == ((*range(1, 12), 0),)
    assert fitted.trimmed == 10 + 23 + 8


def test_what_fits_is_left_alone() -> None:
    fitted = fit(48, [10], [block(20), block(15)], [0, 3])
    assert (fitted.first_turn, fitted.trimmed, len(fitted.blocks)) == (0, 0, 2)


@settings(max_examples=50, deadline=None)
@given(
    st.integers(0, 200),
    st.lists(st.integers(1, 40), max_size=6),
    st.lists(st.integers(2, 60), min_size=1, max_size=3),
)
def test_what_is_left_fits(budget: int, turns: list[int], sizes: list[int]) -> None:
    fitted = fit(budget, turns, [block(size) for size in sizes], [0, *[2] * (len(sizes) - 1)])
    left = sum(turns[fitted.first_turn :]) + sum(map(len, fitted.blocks))
    left += 2 * (len(fitted.blocks) - 1)
    assert left <= budget
    assert left + fitted.trimmed == sum(turns) + sum(sizes) + 2 * (len(sizes) - 1)
