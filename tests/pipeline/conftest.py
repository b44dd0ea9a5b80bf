"""The real tokenizer of the bundled model, read once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from catalog.product import LOCALES, Locale
from pipeline.facts.fitting import FactFinder
from pipeline.lexicon.words import Words
from pipeline.prompting.rendering import TEMPLATES
from pipeline.prompting.tokenizer import Message, Tokenizer
from tests.pipeline.chat_templates import Instruct


@pytest.fixture(scope="session")
def tokenizer(model_dir: Path) -> Tokenizer:
    """Gemma 3's: 262,144 pieces, byte fallback, no chat template."""
    return Tokenizer.load(model_dir)


@pytest.fixture(scope="session")
def lexicons() -> dict[Locale, Words]:
    """The words of both languages, as shipped."""
    return {locale: Words.load(TEMPLATES, locale) for locale in LOCALES}


@pytest.fixture(scope="session")
def finder(lexicons: dict[Locale, Words]) -> FactFinder:
    """Chooses facts with the words as shipped."""
    return FactFinder(lexicons)


@pytest.fixture(scope="session")
def loaded(model_dir: Path) -> Any:
    from transformers import AutoTokenizer

    made = AutoTokenizer.from_pretrained(str(model_dir))
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    return made


@pytest.fixture(scope="session")
def instruct(loaded: Any) -> Instruct:
    """Gemma's tokenizer with a chat template of its own."""

    def make(template: str) -> Tokenizer:
        def render_chat(messages: Sequence[Message]) -> str:
            return str(
                loaded.apply_chat_template(
                    list(messages),
                    chat_template=template,
                    tokenize=False,
                    add_generation_prompt=True,
                )
            )

        return Tokenizer(
            loaded.backend_tokenizer,
            bos_id=loaded.bos_token_id,
            eos_ids=(loaded.eos_token_id,),
            render_chat=render_chat,
        )

    return make
