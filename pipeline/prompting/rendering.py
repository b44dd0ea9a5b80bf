"""The templates: every text around a question, in every language, from `templates/<locale>`.

Product texts and questions are data. Jinja never compiles them, and whatever a template prints is
flattened to one line first, so that no text can end its block, begin a line that reads like a
shopper's, or hide behind characters that nobody sees.
"""

import unicodedata
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from catalog.product import LOCALES, Locale, Money, Product
from pipeline.facts.candidates import Fact
from pipeline.facts.offers import Live, Row
from pipeline.facts.options import OptionReader
from pipeline.lexicon.words import Words

Clock = Callable[[], datetime]

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"

_HIDDEN = frozenset("\u00ad\u061c\u180e\u200b\u200e\u200f\u2060\ufeff")
"""Soft hyphen, zero-width space and their like; the joiners stay, since emoji need them."""


def flatten(value: object) -> str:
    """`value` as one line of plain text.

    Line breaks and tabs become a space, runs of spaces one; control characters, bidirectional
    overrides, invisible tags and lone surrogates go. Raises `TypeError` for None.
    """
    if value is None:
        raise TypeError("a template printed nothing where a text belongs")
    text = str(value)
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return " ".join("".join(map(_visible, text)).split())


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Zs", "Zl", "Zp") or character in "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85":
        return " "
    if category in ("Cc", "Cs", "Cn") or character in _HIDDEN:
        return ""
    point = ord(character)
    bidi = 0x202A <= point <= 0x202E or 0x2066 <= point <= 0x2069
    tag = 0xE0000 <= point <= 0xE007F
    return "" if bidi or tag else character


def local_time() -> datetime:
    """Now, with this machine's time zone."""
    return datetime.now().astimezone()


class Renderer:
    """Renders the parts of a prompt in one locale. Raises `jinja2.TemplateError` at once if one
    of the templates is missing or broken.

    Only the question's template is given the time, `now`: anywhere before it, the prompts of one
    minute would share nothing with those of the next (`pipeline/prompting/lint.py`).
    """

    def __init__(
        self,
        locale: Locale,
        words: Words,
        options: OptionReader,
        folder: Path,
        transcript: bool,
        clock: Clock = local_time,
    ) -> None:
        self._locale = locale
        self._options = options
        self._clock = clock
        environment = ImmutableSandboxedEnvironment(
            loader=FileSystemLoader(folder / locale),
            undefined=StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            finalize=flatten,
        )
        speakers = words.speakers if transcript else {"customer": "", "assistant": ""}
        environment.globals["transcript"] = transcript
        environment.globals["customer"] = speakers["customer"]
        environment.globals["assistant"] = speakers["assistant"]
        names = ("policy", "product", "live", "facts", "question", "history", "list", "bounds")
        self._templates = {name: environment.get_template(f"{name}.j2") for name in names}

    def policy(self) -> str:
        """The static head: the same for every request of the locale."""
        return self._render("policy")

    def product(self, product: Product) -> str:
        """The stable block: slow facts only."""
        text = product.text(self._locale)
        return self._render(
            "product",
            title=text.title,
            brand=product.brand,
            category=text.category,
            attributes=text.attributes,
            options=[
                (
                    self._options.name(product, name, self._locale),
                    [self._options.say(product, value, self._locale) for value in values],
                )
                for name, values in product.options.items()
            ],
            description=text.description,
        )

    def live(self, product: Product, live: Live, several: bool) -> str:
        """Prices and stock; with the title where `several` products are in the prompt."""
        title = product.text(self._locale).title if several else ""
        return self._render("live", title=title, offers=live.offers, stock=live.stock)

    def facts(self, facts: Sequence[Fact]) -> str:
        """The fitting facts on one line; empty if there are none."""
        return flatten(self._render("facts", facts=facts))

    def question(self, question: str, facts: str, known: bool) -> str:
        """The question beside its facts; `known` is whether a product is in the prompt at all."""
        now = self._clock()
        return self._render("question", question=question, facts=facts, known=known, now=now)

    def history(self, question: str) -> str:
        """A question of an earlier turn."""
        return self._render("history", question=question)

    def listing(self, rows: Sequence[Row], lead: str) -> str:
        """Several products on one line; `lead` is what their order means, or empty."""
        return flatten(self._render("list", rows=rows, lead=lead))

    def bounds(self, low: Money | None, high: Money | None) -> str:
        """A price asked for, in words."""
        return flatten(self._render("bounds", low=low, high=high))

    def _render(self, name: str, **values: Any) -> str:
        return self._templates[name].render(values)


def renderers(
    lexicons: dict[Locale, Words], options: OptionReader, folder: Path, transcript: bool
) -> dict[Locale, Renderer]:
    """One for each locale."""
    return {
        locale: Renderer(locale, lexicons[locale], options, folder, transcript)
        for locale in LOCALES
    }
