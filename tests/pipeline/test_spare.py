"""Trimming by time: what goes first, what stays, and that what was computed is reused later."""

from dataclasses import replace

import pytest

from catalog.product import Product
from pipeline.prompt import Prompt, PromptBuilder, PromptConfig, Spare
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.reuse.ledger import Ledger
from tests.pipeline.shop import lamp, question, shirt, sources
from tests.pipeline.talk import Talk, kinds, starts_with, tent

BLOCK = 32
ASKED = "How much is it, is there a warranty, and what is its power?"


@pytest.fixture(scope="module")
def builder(tokenizer: Tokenizer) -> PromptBuilder:
    return PromptBuilder(tokenizer)


@pytest.fixture
def ledger(builder: PromptBuilder) -> Ledger:
    """An engine that has computed the heads."""
    ledger = Ledger(BLOCK)
    for head in builder.heads().values():
        ledger.add(head)
    return ledger


def built(
    builder: PromptBuilder, ledger: Ledger, tokens: int, *products: Product, text: str = ASKED
) -> Prompt:
    """A prompt for which there is time for so many uncached tokens."""
    spare = Spare(tokens, ledger.reusable)
    return builder.build(question(text, products[0]), sources(*products), (), spare)


def uncached(prompt: Prompt, ledger: Ledger) -> int:
    return len(prompt.token_ids) - ledger.reusable(prompt.token_ids)


def test_nothing_goes_where_there_is_time(builder: PromptBuilder, ledger: Ledger) -> None:
    whole = builder.build(question(ASKED, lamp()), sources(lamp(), shirt()), ())
    assert built(builder, ledger, 2000, lamp(), shirt()) == whole


def test_products_that_are_not_cached_go_first(builder: PromptBuilder, ledger: Ledger) -> None:
    whole = built(builder, ledger, 2000, lamp(), shirt())
    prompt = built(builder, ledger, uncached(whole, ledger) - 1, lamp(), shirt())
    assert {key for _, key in kinds(prompt) if key} == {"LAMP"}
    assert prompt.parts[-1].ids == whole.parts[-1].ids
    assert prompt.trimmed == len(whole.token_ids) - len(prompt.token_ids)


def test_products_that_are_cached_stay(builder: PromptBuilder, ledger: Ledger) -> None:
    products = (lamp(), tent(20))
    whole = built(builder, ledger, 2000, *products)
    ledger.add(whole.token_ids)
    prompt = built(builder, ledger, 1, *products, text="How much is it, is there a warranty?")
    assert {key for _, key in kinds(prompt) if key} == {"LAMP", "TENT"}


def test_then_facts_beyond_the_first(
    builder: PromptBuilder, ledger: Ledger, tokenizer: Tokenizer
) -> None:
    asked = "How much is it in black?"
    whole = built(builder, ledger, 2000, shirt(), text=asked)
    prompt = built(builder, ledger, uncached(whole, ledger) - 1, shirt(), text=asked)
    assert prompt.parts[:-1] == whole.parts[:-1]
    texts = [tokenizer.decode(made.parts[-1].ids) for made in (whole, prompt)]
    assert all("Black is in stock" in text and asked in text for text in texts)
    assert ["$45.50" in text for text in texts] == [True, False]


def test_then_the_end_of_a_block_where_a_block_of_the_cache_ends(
    builder: PromptBuilder, ledger: Ledger, tokenizer: Tokenizer
) -> None:
    whole = built(builder, ledger, 2000, tent(20))
    prompt = built(builder, ledger, uncached(whole, ledger) - 100, tent(20))
    assert uncached(prompt, ledger) <= uncached(whole, ledger) - 100
    assert [part.kind for part in prompt.parts] == [part.kind for part in whole.parts]
    ledger.add(prompt.token_ids)
    same = ledger.reusable(whole.token_ids)
    assert same > len(builder.heads()["en"]) + BLOCK
    assert same == len(_common(prompt.token_ids, whole.token_ids)) // BLOCK * BLOCK
    closing = len(tokenizer.encode("\n"))
    head_and_block = len(prompt.parts[0].ids) + len(prompt.parts[1].ids)
    assert (head_and_block - closing) % BLOCK == 0


def test_what_must_stay_stays_where_there_is_no_time_at_all(
    builder: PromptBuilder, ledger: Ledger, tokenizer: Tokenizer
) -> None:
    prompt = built(builder, ledger, 0, tent(20), shirt())
    text = tokenizer.decode(prompt.token_ids)
    assert ASKED in text
    assert "Price now: $80.00" in text
    assert "Product: Reading Lamp\n" in text
    assert "Record: " in text
    assert len(prompt.parts[1].ids) < 2 * BLOCK + 2


def test_a_block_that_is_cached_is_not_cut(builder: PromptBuilder, ledger: Ledger) -> None:
    ledger.add(builder.prefix(tent(20), "en"))
    whole = built(builder, ledger, 2000, tent(20))
    assert built(builder, ledger, 1, tent(20)).parts[:-1] == whole.parts[:-1]


def test_a_transcript_is_not_cut_for_want_of_time(builder: PromptBuilder, ledger: Ledger) -> None:
    talk = Talk(builder)
    talk.ask("How much is it?", lamp())
    spare = Spare(0, ledger.reusable)
    prompt = builder.build(question(ASKED, lamp()), sources(lamp()), talk.turns, spare)
    assert starts_with(prompt.token_ids, talk.prompts[0].token_ids)


def test_a_block_that_is_too_long_ends_where_a_block_of_the_cache_ends(
    builder: PromptBuilder,
) -> None:
    head, product, *_ = builder.build(question("?", tent()), sources(tent(80)), ()).parts
    assert product.kind == "product"
    assert (len(head.ids) + len(product.ids)) % BLOCK == 0
    assert 256 - BLOCK < len(product.ids) <= 256


@pytest.mark.parametrize("emoji", ["👩‍👩‍👧", "명", "𓀀"])
def test_a_seam_never_parts_a_character(tokenizer: Tokenizer, emoji: str) -> None:
    builder = PromptBuilder(tokenizer, PromptConfig(max_block_tokens=100))
    product = replace(lamp(description=emoji * 400))
    head, block, *_ = builder.build(question("?", product), sources(product), ()).parts
    assert len(block.ids) <= 100
    assert "\ufffd" not in tokenizer.decode(block.ids)
    assert head.ids == builder.heads()["en"]


def _common(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    end = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    return one[:end]
