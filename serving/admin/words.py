"""What the pages say, in English and Chinese."""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from starlette.requests import Request

from catalog.product import LOCALES, Locale

LANGUAGE_COOKIE = "hotshelf_language"


@lru_cache(maxsize=1)
def words() -> Mapping[str, Mapping[Locale, str]]:
    """Every phrase by its key, in each language."""
    source = files("serving.admin").joinpath("words.toml").read_text(encoding="utf-8")
    lists = tomllib.loads(source)
    return {key: dict(zip(LOCALES, said, strict=True)) for key, said in lists.items()}


def say(locale: Locale, key: str, **values: object) -> str:
    """A phrase; `values` stand in its braces. Raises `KeyError` for one that is not there."""
    return words()[key][locale].format(**values)


def language_of(request: Request) -> Locale:
    """What was chosen just now, or before, or what the browser prefers; English otherwise."""
    chosen = (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE))
    for locale in LOCALES:
        if chosen[0] == locale or (chosen[0] not in LOCALES and chosen[1] == locale):
            return locale
    return _preferred(request.headers.get("accept-language", ""))


def _preferred(header: str) -> Locale:
    """The best of Accept-Language (RFC 9110, 12.5.4) that there is here."""
    best: tuple[float, Locale] = (0.0, "en")
    for entry in header.split(","):
        tag, _, parameter = entry.partition(";")
        quality = _quality(parameter)
        for locale in LOCALES:
            if tag.strip().lower().split("-")[0] == locale and quality > best[0]:
                best = (quality, locale)
    return best[1]


def _quality(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    try:
        return float(value) if name == "q" else 1.0
    except ValueError:
        return 0.0
