"""The real tokenizer of the bundled model, read once."""

from pathlib import Path

import pytest

from catalog.product import LOCALES, Locale
from pipeline.facts.fitting import FactFinder
from pipeline.lexicon.words import Words
from pipeline.prompting.rendering import TEMPLATES
from pipeline.prompting.tokenizer import Tokenizer


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
