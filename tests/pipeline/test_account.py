"""What a prompt reused, and why the rest was computed: every token for one reason."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from pipeline.prompting.parts import Part
from pipeline.reuse.account import Books, Reuse
from pipeline.reuse.ledger import Ledger

HEAD = Part("head", (1, 2, 3, 4, 5))
SHIRT = Part("product", (11, 12, 13, 14, 15), "shirt")
PRICE = Part("live", (21, 22), "shirt")


def asked(*ids: int) -> Part:
    return Part("question", ids)


def send(books: Books, *parts: Part, cached: int | None) -> Reuse | None:
    account = books.open(parts)
    account.answered(cached)
    return account.reuse


def lost(reuse: Reuse | None) -> dict[str, int]:
    assert reuse is not None
    return {reason: count for reason, count in reuse.lost.items() if count}


def test_everything_is_new_at_first() -> None:
    reuse = send(Books(Ledger(4)), HEAD, SHIRT, asked(31, 32), cached=0)
    assert reuse is not None
    assert reuse.reusable == 0
    assert lost(reuse) == {"new": 12}


def test_what_is_shared_is_reused_but_for_the_seam() -> None:
    books = Books(Ledger(4))
    send(books, HEAD, SHIRT, asked(31, 32), cached=0)
    reuse = send(books, HEAD, SHIRT, asked(41, 42), cached=8)
    assert lost(reuse) == {"seam": 2, "new": 2}


def test_what_the_engine_gave_up_is_evicted() -> None:
    books = Books(Ledger(4))
    send(books, HEAD, SHIRT, asked(31, 32), cached=0)
    reuse = send(books, HEAD, SHIRT, asked(41, 42), cached=4)
    assert lost(reuse) == {"evicted": 4, "seam": 2, "new": 2}


def test_a_text_and_a_price_that_changed_are_told_as_changed() -> None:
    books = Books(Ledger(4))
    send(books, HEAD, SHIRT, PRICE, asked(31, 32), cached=0)
    text = Part("product", (91, 12, 13, 14, 15), "shirt")
    reuse = send(books, HEAD, text, PRICE, asked(31, 32), cached=4)
    assert lost(reuse) == {"seam": 1, "changed": 5, "moved": 2, "new": 2}
    price = Part("live", (99, 22), "shirt")
    reuse = send(books, HEAD, text, price, asked(31, 32), cached=8)
    assert lost(reuse) == {"seam": 2, "changed": 2, "new": 2}


def test_a_block_behind_something_else_was_moved() -> None:
    books = Books(Ledger(4))
    hat = Part("product", (51, 52, 53, 54), "hat")
    send(books, HEAD, SHIRT, asked(31), cached=0)
    reuse = send(books, HEAD, hat, SHIRT, asked(31), cached=4)
    assert lost(reuse) == {"seam": 1, "new": 5, "moved": 5}


def test_the_same_product_in_another_language_has_not_changed() -> None:
    books = Books(Ledger(4))
    send(books, HEAD, SHIRT, asked(31), cached=0)
    reuse = send(
        books, Part("head", (6, 7)), Part("product", (81, 82), "shirt"), asked(3), cached=0
    )
    assert lost(reuse) == {"new": 5}


def test_an_engine_that_had_more_than_is_known_here_was_asked_by_others() -> None:
    reuse = send(Books(Ledger(4)), HEAD, SHIRT, asked(31, 32), cached=8)
    assert reuse is not None
    assert reuse.reusable == 8
    assert lost(reuse) == {"new": 4}


def test_nothing_is_told_where_the_engine_does_not_tell() -> None:
    assert send(Books(Ledger(4)), HEAD, asked(1), cached=None) is None


def test_an_answer_is_reusable_but_for_its_last_token() -> None:
    books = Books(Ledger(4))
    account = books.open([HEAD, asked(31)])
    account.answered(0)
    account.ended((41, 42, 43))
    assert books.ledger.reusable((*HEAD.ids, 31, 41, 42, 43, 44)) == 8


IDS = st.lists(st.integers(0, 3), max_size=7).map(tuple)
PARTS = st.lists(
    st.one_of(
        st.builds(lambda ids, key: Part("product", ids, key), IDS, st.sampled_from("ab")),
        st.builds(lambda ids: Part("question", ids), IDS),
    ),
    min_size=1,
    max_size=5,
)


@given(st.lists(st.tuples(PARTS, st.integers(0, 10)), max_size=6))
def test_cached_and_lost_make_the_prompt(prompts: Sequence[tuple[list[Part], int]]) -> None:
    books = Books(Ledger(4))
    for parts, blocks in prompts:
        length = sum(len(part.ids) for part in parts)
        cached = min(4 * blocks, max(length - 1, 0) // 4 * 4)
        reuse = send(books, *parts, cached=cached)
        assert reuse is not None
        assert cached + sum(reuse.lost.values()) == length
        assert min(reuse.lost.values()) >= 0
