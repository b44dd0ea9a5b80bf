"""The lexical leg: right words, right ids, through every change."""

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event

from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.product import Product, Text
from pipeline.lexicon.analysis import standard_analyser
from pipeline.searching.lexical import LexicalStore, Row, lexical_rows
from pipeline.searching.live_lexical import LiveLexical
from tests.pipeline.fakes import product

ANALYSER = standard_analyser()


def rows(*products: Product) -> dict[str, tuple[Row, ...]]:
    return {p.id: lexical_rows(p, ANALYSER) for p in products}


def indexed(*products: Product, merge_at: int = 256) -> LiveLexical:
    store = LexicalStore()
    found = rows(*products)
    store.learn(found)
    return LiveLexical(store, store.commit(found), merge_at)


def ids(
    index: LiveLexical, question: str, k: int = 10, *, among: list[str] | None = None
) -> list[str]:
    terms = index.known(ANALYSER.question(question))
    return [id_ for id_, _ in index.search(terms, k, among)]


SHOP = (
    product("1", "Copper Kettle", zh="铜水壶"),
    product("2", "Steel Kettle 1.7 L"),
    product("3", "Bamboo Lamp", zh="竹灯"),
)


def test_a_product_is_found_by_its_words_in_any_of_its_languages_once() -> None:
    index = indexed(*SHOP)
    assert ids(index, "a copper kettle, please") == ["1", "2"]
    assert ids(index, "竹灯多少钱") == ["3"]
    assert ids(index, "kettle with 1.7 litres")[0] == "2"
    assert ids(index, "ketle")[0] in ("1", "2")


def test_a_word_in_the_title_says_more_than_one_in_the_description() -> None:
    told = replace(product("4", "Vase"), texts={"en": Text("Vase", "Goes with a bamboo lamp.")})
    assert ids(indexed(*SHOP, told), "lamp") == ["3", "4"]


def test_only_those_among_are_looked_at() -> None:
    index = indexed(*SHOP)
    assert ids(index, "kettle", among=["2", "3", "none"]) == ["2"]
    assert ids(index, "kettle", among=[]) == []
    index.change(rows(product("5", "Glass Kettle")))
    assert ids(index, "glass kettle", among=["5", "1"]) == ["5", "1"]


def test_nothing_is_found_where_nothing_is() -> None:
    assert ids(indexed(), "kettle") == []
    assert ids(indexed(*SHOP), "the") == []
    assert ids(indexed(*SHOP), "kettle", k=0) == []
    assert ids(indexed(SHOP[0]), "kettle", k=1_000) == ["1"]


def test_removing_one_then_the_next_leaves_the_right_ids() -> None:
    index = indexed(*SHOP)
    index.change({}, ["1"])
    index.change({}, ["2"])
    assert ids(index, "kettle copper steel bamboo lamp") == ["3"]


async def test_a_delta_scores_as_its_commit_does() -> None:
    index = indexed(*SHOP, merge_at=1)
    fresh = product("6", "Copper Lamp", zh="铜灯")
    fork = index.fork()
    fork.change(rows(fresh))
    index.change(rows(fresh))
    await index.merged()
    terms = ANALYSER.question("copper lamp 铜灯")
    before, after = dict(fork.search(terms, 10)), dict(index.search(terms, 10))
    assert before.keys() == after.keys() == {"1", "3", "6"}
    assert all(abs(before[id_] - after[id_]) < 0.5 * after[id_] for id_ in after)


async def test_a_fork_changes_alone() -> None:
    index = indexed(*SHOP, merge_at=1)
    fork = index.fork()
    fork.change(rows(product("7", "Jade Kettle")), ["1"])
    assert ids(fork, "kettle jade") == ["7", "2"]
    assert ids(index, "kettle jade") == ["1", "2"]
    index.change({}, ["2"])
    await index.merged()
    assert ids(fork, "kettle jade") == ["7", "2"]
    assert ids(index, "kettle") == ["1"]


NAMES = ("kettle", "lamp", "vase", "chair")


@settings(max_examples=40, deadline=None)
@given(
    changes=st.lists(
        st.tuples(st.integers(0, 9), st.one_of(st.none(), st.sampled_from(NAMES))), max_size=30
    ),
    merge_at=st.integers(1, 12),
)
def test_any_history_of_changes_finds_what_an_index_built_afresh_finds(
    changes: list[tuple[int, str | None]], merge_at: int
) -> None:
    asyncio.run(_compare(changes, merge_at))


async def _compare(changes: list[tuple[int, str | None]], merge_at: int) -> None:
    index = indexed(merge_at=merge_at)
    truth: dict[str, str] = {}
    for number, name in changes:
        id_ = str(number)
        if name is None:
            truth.pop(id_, None)
            index.change({}, [id_])
        else:
            truth[id_] = name
            index.change(rows(product(id_, f"{name} {number}")))
        if number % 3 == 0:
            await asyncio.sleep(0)
    for settled in (False, True):
        if settled:
            await index.merged()
        for name in NAMES:
            found = [id_ for id_, _ in index.search(ANALYSER.question(name), 50)]
            assert sorted(found) == sorted(id_ for id_, is_ in truth.items() if is_ == name)


async def test_searches_during_changes_see_a_product_by_its_old_or_its_new_name() -> None:
    index = indexed(*(product(str(i), f"kettle {NAMES[i % 4]}") for i in range(40)), merge_at=4)
    stop, draw = Event(), random.Random(1)

    def search() -> int:
        count = 0
        while not stop.is_set():
            found = [id_ for id_, _ in index.search(ANALYSER.question("kettle"), 100)]
            assert len(found) == len(set(found)) == 40
            count += 1
        return count

    with ThreadPoolExecutor(4) as threads:
        searches = [threads.submit(search) for _ in range(4)]
        for _ in range(120):
            id_ = str(draw.randrange(40))
            index.change(rows(product(id_, f"kettle {draw.choice(NAMES)}")))
            await asyncio.sleep(0.001)
        stop.set()
        await index.merged()
    assert all(found.result() > 0 for found in searches)
