"""Templates to pages. Whatever a product says is shown: nothing is marked safe, ever."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from catalog.diff import FieldChange
from catalog.product import Locale, Product
from serving.admin.facts import facts_of
from serving.admin.reasons import file_reason, row_reason
from serving.admin.words import say, words

STATIC = ("admin.css", "admin.js", "admin.svg")


def instant(moment: datetime | float) -> str:
    """A moment, or seconds since 1970, to the second and in UTC."""
    when = moment if isinstance(moment, datetime) else datetime.fromtimestamp(moment, UTC)
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def place(change: FieldChange) -> str:
    """Where in a product a change is: the variant, the language, the attribute."""
    return " · ".join(part for part in (change.sku, change.locale, change.name) if part)


def said(value: object) -> str:
    """One thing that a question said, or several."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {v}" for k, v in value.items() if v not in (None, False))
    return str(value)


def title(product: Product, locale: Locale) -> str:
    """What a product is called."""
    return product.text(locale).title or product.id


def field_name(field: str, locale: Locale) -> str:
    """A field as people say it; as it is called where there is no word for it."""
    key = f"field_{field}"
    return say(locale, key) if key in words() else field


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("serving.admin"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["instant"] = instant
    environment.filters["place"] = place
    environment.filters["facts"] = facts_of
    environment.filters["said"] = said
    environment.filters["zip"] = zip
    environment.globals["static"] = {name: static_url(name) for name in STATIC}
    return environment


def render(template: str, locale: Locale, context: Mapping[str, object]) -> str:
    """A page. In it, `t(key)` is a phrase, `title(product)` and `field(name)` what things are.

    `row_reason(why)` and `file_reason(record)` say what is wrong with an import.
    """
    return (
        _environment()
        .get_template(template)
        .render(
            {
                **context,
                "locale": locale,
                "t": lambda key, **values: say(locale, key, **values),
                "title": lambda product: title(product, locale),
                "field": lambda name: field_name(name, locale),
                "row_reason": lambda why: row_reason(why, locale),
                "file_reason": lambda record: file_reason(record, locale),
            }
        )
    )


@lru_cache(maxsize=len(STATIC))
def static_bytes(name: str) -> bytes:
    """One of our own files. Raises `KeyError` for any other."""
    if name not in STATIC:
        raise KeyError(name)
    return files("serving").joinpath("static", name).read_bytes()


def static_url(name: str) -> str:
    """Its address, another one whenever it changes."""
    digest = hashlib.sha256(static_bytes(name)).hexdigest()[:12]
    return f"/static/{name}?v={digest}"
