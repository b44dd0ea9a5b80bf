"""Which colours and sizes a question names, in either language.

A shop's own words for a value count first, then the colours and sizes of the lexicons; "blue"
finds navy, and a colour that the product does not have is found too, to say so.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from catalog.product import Locale, Product
from pipeline.lexicon.words import Words, framed, shape

Lexicons = Mapping[Locale, Words]
_METRES_AND = re.compile(r" (\d) 米 (\d)(?: |$)")
_METRES = re.compile(r" (\d+(?:\.\d+)?) (?:米|m |meter |metr )")
_MEASURE = re.compile(r"\d+(?:\.\d+)?[a-z]+")
_LONG_NAME = 4
_NUMBER = re.compile(r" (\d+(?:\.\d+)?)(?= )")


@dataclass(frozen=True, slots=True)
class Wish:
    """One value that a question names, and the product's values that match it, if any.

    `said` is the value in the shopper's language.
    """

    option: str
    said: str
    values: tuple[str, ...]


class OptionReader:
    """Reads the options of products and questions with the words of every language."""

    def __init__(self, lexicons: Lexicons) -> None:
        self._lexicons = lexicons
        self._words = tuple(lexicons.values())
        self._shades = {shade: of for words in self._words for shade, of in words.shades.items()}
        self._color_names = {
            name for w in self._words for t in w.topics if t.name == "color" for name in t.names
        }
        self._size_names = {name for words in self._words for name in words.size_names}
        self._colors_in = lru_cache(maxsize=4096)(self._find_colors)

    def wishes(self, question: str, product: Product, locale: Locale) -> tuple[Wish, ...]:
        """The option values named in `question`, which is `framed` and without the title."""
        text = _without(_measured(question), (idiom for w in self._words for idiom in w.idioms))
        found: list[Wish] = []
        for name, value, spelling in _spellings(product):
            number = spelling.strip()
            if spelling in text and not (number.isdigit() and self._is_amount(number, text)):
                text = text.replace(spelling, "  ")
                found.append(self._wish(product, name, (value,), value, locale))
        for name in product.options:
            if self.is_color(product, name):
                found += self._colors(text, product, name, locale)
            elif self.is_size(product, name):
                found += self._sizes(text, product, name, locale)
        order = list(product.options)
        distinct = {(w.option, w.values or (w.said,)): w for w in found}
        return tuple(sorted(distinct.values(), key=lambda wish: order.index(wish.option)))

    def is_color(self, product: Product, name: str) -> bool:
        """Whether the option `name` is a colour."""
        if self._color_names & _names(product, name):
            return True
        values = product.options[name]
        known = sum(bool(self._canonical_colors(product, value)) for value in values)
        return known * 2 > len(values)

    def names_color(self, name: str) -> bool:
        """Whether an attribute called `name` tells colours."""
        return shape(name) in self._color_names

    def is_size(self, product: Product, name: str) -> bool:
        """Whether the option `name` is a size."""
        if self._size_names & _names(product, name):
            return True
        values = product.options[name]
        known = sum(bool(self._canonical_size(value)) for value in values)
        return known * 2 > len(values)

    def name(self, product: Product, option: str, locale: Locale) -> str:
        """The option's name in the shopper's language, if the shop or the lexicon can say it."""
        label = product.label(option, locale)
        if label != option or product.locale == locale:
            return label
        labels = self._lexicons[locale].labels
        if self.is_color(product, option):
            return labels["color"]
        return labels["size"] if self.is_size(product, option) else option

    def say(self, product: Product, value: str, locale: Locale) -> str:
        """A value in the shopper's language, if the shop or the lexicon can say it."""
        label = product.label(value, locale)
        if label != value or product.locale == locale:
            return label
        known = (words.colors.get(shape(value)) for words in self._words)
        color = next((color for color in known if color is not None), "")
        return self._lexicons[locale].color_names.get(color, value)

    def colors_of(self, text: str) -> frozenset[str]:
        """The canonical colours that any text names."""
        return self._colors_in(text)

    def is_shade(self, color: str, of: str) -> bool:
        """Whether `color` is `of`, or a shade of it: navy is blue."""
        return of in (color, self._shades.get(color))

    def _wish(
        self, product: Product, name: str, values: tuple[str, ...], said: str, locale: Locale
    ) -> Wish:
        """A wish that is said as the product says its matching values, or as `said`."""
        return Wish(name, " / ".join(self.say(product, v, locale) for v in values) or said, values)

    def _colors(self, text: str, product: Product, name: str, locale: Locale) -> list[Wish]:
        found = []
        for words in self._words:
            for word, color in words.colors.items():
                if len(word) > 1 and word in text:
                    text = text.replace(word, "  ")
                    said = self._lexicons[locale].color_names.get(color, color)
                    values = self._of_color(product, name, color)
                    found.append(self._wish(product, name, values, said, locale))
        return found

    def _of_color(self, product: Product, name: str, color: str) -> tuple[str, ...]:
        return tuple(
            value
            for value in product.options[name]
            if any(
                color in (own, self._shades.get(own))
                for own in self._canonical_colors(product, value)
            )
        )

    def _canonical_colors(self, product: Product, value: str) -> frozenset[str]:
        """The colours in a value such as "navy stripe" or "白/黑"."""
        spellings = {value, *(product.label(value, locale) for locale in product.texts)}
        return self._colors_in(" ".join(sorted(spellings)))

    def _find_colors(self, text: str) -> frozenset[str]:
        spelled = framed(text)
        found = set()
        for words in self._words:
            for word, color in words.colors.items():
                if word in spelled:
                    spelled = spelled.replace(word, "  ")
                    found.add(color)
        return frozenset(found)

    def _sizes(self, text: str, product: Product, name: str, locale: Locale) -> list[Wish]:
        options = product.options[name]
        found = []
        for words in self._words:
            for word, size in words.sizes.items():
                if word in text:
                    text = text.replace(word, "  ")
                    values = tuple(v for v in options if self._canonical_size(v) == size)
                    found.append(self._wish(product, name, values, size, locale))
        if any(value.isdigit() for value in options):
            numbers = dict.fromkeys(_NUMBER.findall(text))
            asked = (n for n in numbers if n not in options and self._is_size_number(n, text))
            found += [Wish(name, number, ()) for number in asked]
        return found

    def _canonical_size(self, value: str) -> str | None:
        if value.isdigit():
            return value
        spellings = (shape(value), shape(f"{value}码"))
        sizes = (words.sizes.get(s) for words in self._words for s in spellings)
        return next((size for size in sizes if size is not None), None)

    def _is_amount(self, number: str, text: str) -> bool:
        """Whether `number` counts something else: days, money, degrees."""
        return any(f" {number} {unit.strip()}" in text for w in self._words for unit in w.amounts)

    def _is_size_number(self, number: str, text: str) -> bool:
        """Whether `number` is said to be a size: "size 40", "40码"."""
        return any(
            f" {unit.strip()} {number} " in text or f"{unit.strip()} {number} " in text
            for words in self._words
            for unit in words.units_before
        ) or any(
            f" {number} {unit.strip()}" in text
            for words in self._words
            for unit in words.units_after
        )


def _names(product: Product, option: str) -> set[str]:
    return {shape(option), *(shape(product.label(option, locale)) for locale in product.texts)}


def _without(text: str, phrases: Iterable[str]) -> str:
    for phrase in phrases:
        text = text.replace(phrase, "  ")
    return text


def _spellings(product: Product) -> list[tuple[str, str, str]]:
    """(option, value, shaped spelling) in every language, the longest first."""
    rows = {
        (name, value, shape(spelling))
        for name, values in product.options.items()
        for value in values
        for spelling in (value, *(text.labels.get(value, "") for text in product.texts.values()))
    }
    rows |= {(*row, short) for row, short in _shortened(rows)}
    return sorted((row for row in rows if row[2].strip()), key=lambda r: (-len(r[2]), r))


def _shortened(rows: set[tuple[str, str, str]]) -> Iterator[tuple[tuple[str, str], str]]:
    """What tells a value from the others of its option when it is not said in full: its measure,
    or all but one character of a Chinese name."""
    parts: dict[tuple[str, str], set[str]] = {}
    for name, value, spelling in rows:
        tokens = spelling.split()
        short = {f" {t} " for t in tokens[:-1] if _MEASURE.fullmatch(t)}
        if len(tokens) == 1 and not spelling.isascii() and len(spelling) >= _LONG_NAME:
            short |= {spelling[:-1], spelling[1:]}
        parts.setdefault((name, value), set()).update(short)
    for (name, value), shorts in parts.items():
        others = [s for n, v, s in rows if n == name and v != value]
        yield from (((name, value), s) for s in shorts if not any(s in other for other in others))


def _measured(text: str) -> str:
    """A `framed` text with its metres as shops write them: 1米5 is 1.5m."""
    return _METRES.sub(r" \1m ", _METRES_AND.sub(r" \1.\2m ", text))
