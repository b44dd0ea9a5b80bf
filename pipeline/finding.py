"""A finder with all its parts, made of the words in a folder of templates."""

from pathlib import Path

from catalog.product import LOCALES
from pipeline.finder import Finder
from pipeline.lexicon.cues import load_cues
from pipeline.lexicon.words import Words
from pipeline.records import Records
from pipeline.retriever import Retriever
from pipeline.searching.carried import Carried, CarriedConfig
from pipeline.searching.embedding_models import DEFAULT_ENCODER
from pipeline.understanding.intents import IntentReader


async def make_finder(
    templates: Path, records: Records, retriever: Retriever, products: int = 3
) -> Finder:
    """One that has read `records` and follows it. Raises `OSError`, `KeyError` or `ValueError`."""
    as_shipped = retriever.encoder.model.name == DEFAULT_ENCODER
    distances = CarriedConfig() if as_shipped else CarriedConfig(near=0.0, far=0.0)
    finder = Finder.load(
        templates,
        records,
        retriever,
        {locale: Words.load(templates, locale) for locale in LOCALES},
        intents=IntentReader.load(templates),
        judge=Carried(retriever, load_cues(templates), distances),
        products=products,
    )
    await finder.rebuild()
    return finder
