"""Kinds that the shop does not sell, judged by how near the best products are."""

from collections.abc import AsyncIterator

import pytest

from pipeline.encoder import Encoder
from pipeline.lexicon.cues import load_cues
from pipeline.prompting.rendering import TEMPLATES
from pipeline.records import Records
from pipeline.retriever import Retriever
from pipeline.searching.carried import Carried, CarriedConfig
from pipeline.searching.fusion import Candidate
from tests.pipeline.fakes import LetterModel, product

SHOP = (
    product("1", "Patio Umbrella with Sun Shade"),
    product("2", "Garden Chair"),
    product("3", "Steel Kettle 2 L"),
    product("4", "全棉四件套"),
)


@pytest.fixture
async def retriever() -> AsyncIterator[Retriever]:
    encoder, records = Encoder(LetterModel()), Records()
    records.replace(SHOP, 1)
    retriever = Retriever(encoder, records)
    await retriever.rebuild()
    yield retriever
    await encoder.close()


def unsold(
    retriever: Retriever, text: str, dense: float, found: str = "1", **config: float
) -> str | None:
    judge = Carried(retriever, load_cues(TEMPLATES), CarriedConfig(**config))
    return judge.unsold(text, (Candidate(found, 1.0, dense, None),))


@pytest.mark.parametrize(
    ("text", "dense"),
    [
        ("angle irons", 0.65),
        ("do you sell angle irons?", 0.65),
        ("10 inch angle iron", 0.73),
        ("any drywall knives", 0.7),
        ("patio heater parts", 0.7),
    ],
)
def test_a_kind_that_nothing_is_near_to_is_not_sold(
    retriever: Retriever, text: str, dense: float
) -> None:
    assert unsold(retriever, text, dense) == text


@pytest.mark.parametrize(
    ("text", "dense"),
    [
        ("sun shade", 0.6),  # named by a title, whatever the distance
        ("angle irons", 0.8),  # near in meaning: it may go by another name here
        ("does it rust in the rain?", 0.5),
        ("will this keep out the sun in the afternoon", 0.5),
        ("is the wood treated against frost and insects", 0.5),
    ],
)
def test_what_may_be_sold_or_asks_for_no_kind_is_not_judged(
    retriever: Retriever, text: str, dense: float
) -> None:
    assert unsold(retriever, text, dense) is None


def test_chinese_is_judged_by_words(retriever: Retriever) -> None:
    assert unsold(retriever, "挖掘机装石斗", 0.87, "4") == "挖掘机装石斗"
    assert unsold(retriever, "有全棉的四件套吗", 0.87, "4") is None
    assert unsold(retriever, "它会掉色吗", 0.5, "4") is None


def test_with_an_encoder_of_other_cosines_only_words_count(retriever: Retriever) -> None:
    assert unsold(retriever, "angle irons", 0.3, near=0.0, far=0.0) is None
    judge = Carried(retriever, load_cues(TEMPLATES))
    assert judge.unsold("angle irons", ()) is None


def test_misspelt_heads_count_as_named(retriever: Retriever) -> None:
    assert unsold(retriever, "steel ketle", 0.73, "3") is None
    assert retriever.coverage("steel ketle", ["3"]).head
    assert retriever.coverage("steel kettle", ["3"]).share == 1.0
    assert not retriever.coverage("kettle stand", ["3"]).head
    assert retriever.coverage("kettle for a stand", ["3"]).head


def test_what_the_shop_knows_by_another_name_is_not_judged(retriever: Retriever) -> None:
    assert unsold(retriever, "angle irons", 0.6) == "angle irons"
    retriever.use_synonyms([("angle iron", "garden chair")])
    assert unsold(retriever, "angle irons", 0.6) is None
    retriever.use_synonyms([])
