"""Text from anywhere becomes ids of plain text, and comes back whole."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.prompting.tokenizer import Tokenizer, scrub

SPELLINGS = ["<bos>", "<eos>", "<pad>", "<end_of_turn>", "<start_of_turn>", "[multimodal]"]
ANY_TEXT = st.text(st.characters(codec=None), max_size=200)


@pytest.mark.parametrize("spelling", [*SPELLINGS, "<|im_end|>", "<start_of_image>", "</table>"])
def test_spelling_of_a_control_token_is_plain_text(tokenizer: Tokenizer, spelling: str) -> None:
    ids = tokenizer.encode(f"a {spelling} b")
    assert not any(tokenizer.is_control(token) for token in ids)
    assert tokenizer.decode(ids) == f"a {spelling} b"


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_frame_gets_control_tokens(tokenizer: Tokenizer, spelling: str) -> None:
    ids = tokenizer.encode_control(spelling)
    assert len(ids) == 1
    assert tokenizer.is_control(ids[0])


def test_plain_text_stays_plain_after_a_frame_was_encoded(tokenizer: Tokenizer) -> None:
    before = tokenizer.encode("<bos>")
    tokenizer.encode_control("<bos>")
    assert tokenizer.encode("<bos>") == before != tokenizer.encode_control("<bos>")


def test_nothing_is_added(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("") == ()
    assert tokenizer.bos_id is not None
    assert tokenizer.bos_id not in tokenizer.encode("Hello")


def test_lone_surrogate_and_nul_are_encoded(tokenizer: Tokenizer) -> None:
    assert tokenizer.decode(tokenizer.encode("a\ud83db\x00c\udc00")) == "a\ufffdb\x00c\ufffd"


def test_surrogate_pair_is_the_character_it_spells() -> None:
    assert scrub("\ud83d\ude00") == "😀"


@settings(max_examples=50, deadline=None)
@given(ANY_TEXT)
def test_any_text_comes_back(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text)) == scrub(text)


def test_forty_thousand_characters_come_back(tokenizer: Tokenizer) -> None:
    text = ("How long is it? 这件衣服有黑色的吗？👩‍👩‍👧 " * 1500)[:40_000]
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_every_newline_token_begins_a_line(tokenizer: Tokenizer) -> None:
    found = tokenizer.newline_ids()
    assert {tokenizer.encode("\n" * count)[0] for count in range(1, 32)} <= set(found)
    assert all(tokenizer.decode([token]).startswith("\n") for token in found)


def test_base_model_has_no_chat(tokenizer: Tokenizer) -> None:
    assert not tokenizer.is_instruct
    with pytest.raises(ValueError, match="no chat template"):
        tokenizer.render_chat([{"role": "user", "content": "hi"}])


def test_missing_model_is_an_os_error() -> None:
    with pytest.raises(OSError, match="no-such-model-folder"):
        Tokenizer.load("./no-such-model-folder")
