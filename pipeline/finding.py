"""A finder with all its parts, made of the words in a folder of templates."""

from pathlib import Path

from catalog.product import LOCALES
from pipeline.carried import Carried, CarriedConfig
from pipeline.cues import load_cues
from pipeline.embedding_models import DEFAULT_ENCODER
from pipeline.finder import Finder
from pipeline.hotshelf import HotShelf
from pipeline.intents import IntentReader
from pipeline.retriever import Retriever
from pipeline.words import Words


async def make_finder(
    templates: Path, shelf: HotShelf, retriever: Retriever, products: int = 3
) -> Finder:
    """One that has read `shelf` and follows it. Raises `OSError`, `KeyError` or `ValueError`."""
    as_shipped = retriever.encoder.model.name == DEFAULT_ENCODER
    distances = CarriedConfig() if as_shipped else CarriedConfig(near=0.0, far=0.0)
    finder = Finder.load(
        templates,
        shelf,
        retriever,
        {locale: Words.load(templates, locale) for locale in LOCALES},
        intents=IntentReader.load(templates),
        judge=Carried(retriever, load_cues(templates), distances),
        products=products,
    )
    await finder.rebuild()
    return finder
