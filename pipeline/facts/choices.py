"""What is true now of the options a shopper asked for, read from the variants' live facts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from catalog.product import Locale, Product, Variant
from pipeline.facts.asked import Asked
from pipeline.facts.options import OptionReader, Wish
from pipeline.lexicon.words import shape

Status = Literal["in_stock", "out_of_stock", "not_offered", "choices"]


@dataclass(frozen=True, slots=True)
class Choice:
    """The truth about one wish, or about which values there are.

    `asked` are the values named, as the shopper's language says them; none for "which are there".
    `option` names what `available` and `sold_out` list: the values that go with the ones asked
    for, or the alternatives to them.
    """

    asked: tuple[str, ...]
    status: Status
    option: str = ""
    available: tuple[str, ...] = ()
    sold_out: tuple[str, ...] = ()


class ChoiceReader:
    """Derives `Choice`s from a product's variants."""

    def __init__(self, options: OptionReader) -> None:
        self._options = options

    def choices(
        self, wishes: Sequence[Wish], product: Product, locale: Locale
    ) -> tuple[Choice, ...]:
        """What is true of every combination of the wished values."""
        missing = tuple(
            self._list((wish.said,), "not_offered", product, wish.option, {}, locale)
            for wish in wishes
            if not wish.values
        )
        combined: list[tuple[Wish, ...]] = [()]
        for option in dict.fromkeys(wish.option for wish in wishes):
            same = [wish for wish in wishes if wish.option == option and wish.values]
            combined = [(*row, wish) for row in combined for wish in same] if same else combined
        kept = () if missing and len(wishes) > 1 and combined == [()] else combined
        found = tuple(self._truth(row, product, locale) for row in kept if row)
        return missing + found

    def open(
        self, asked: Asked, wishes: Sequence[Wish], product: Product, locale: Locale
    ) -> Iterator[Choice]:
        """Which values an option has, when the question asks for the option and names none."""
        named = {wish.option for wish in wishes}
        for name in product.options:
            if name not in named and self._is_asked(asked, product, name, locale):
                yield self._list((), "choices", product, name, {}, locale)

    def _is_asked(self, asked: Asked, product: Product, name: str, locale: Locale) -> bool:
        if shape(self._options.name(product, name, locale)) in asked.text:
            return True
        if self._options.is_color(product, name):
            return "color" in asked.topics
        return "size" in asked.topics and self._options.is_size(product, name)

    def _truth(self, row: tuple[Wish, ...], product: Product, locale: Locale) -> Choice:
        asked = tuple(wish.said for wish in row)
        chosen = {wish.option: wish.values for wish in row}
        variants = matching(product.variants, chosen)
        rest = [name for name in product.options if name not in chosen]
        if any(variant.available for variant in variants):
            if not rest:
                return Choice(asked, "in_stock")
            return self._list(asked, "in_stock", product, rest[0], chosen, locale)
        status: Status = "out_of_stock" if variants else "not_offered"
        last = row[-1].option
        others = {name: values for name, values in chosen.items() if name != last}
        if others and not any(v.available for v in matching(product.variants, others)):
            last, others = row[0].option, {}
        return self._list(asked, status, product, last, others, locale)

    def _list(
        self,
        asked: tuple[str, ...],
        status: Status,
        product: Product,
        option: str,
        chosen: Mapping[str, Sequence[str]],
        locale: Locale,
    ) -> Choice:
        """The values of `option` among the variants that are as `chosen`."""
        stock: dict[str, bool] = {}
        for variant in matching(product.variants, chosen):
            value = dict(variant.options).get(option)
            if value is not None:
                stock[value] = stock.get(value, False) or variant.available
        names = {value: self._options.say(product, value, locale) for value in stock}
        return Choice(
            asked,
            status,
            self._options.name(product, option, locale),
            tuple(names[v] for v, has in stock.items() if has and names[v] not in asked),
            tuple(names[v] for v, has in stock.items() if not has and names[v] not in asked),
        )


def matching(variants: Sequence[Variant], chosen: Mapping[str, Sequence[str]]) -> list[Variant]:
    """The variants that have one of the chosen values in every chosen option."""
    return [
        variant
        for variant in variants
        if all(dict(variant.options).get(name) in values for name, values in chosen.items())
    ]


def meant(product: Product, wishes: Sequence[Wish], sku: str | None) -> Sequence[Variant]:
    """The variants that a question about price or stock means."""
    chosen: dict[str, list[str]] = {}
    for wish in wishes:
        chosen.setdefault(wish.option, []).extend(wish.values)
    if wished := {option: values for option, values in chosen.items() if values}:
        return matching(product.variants, wished) or product.variants
    return [variant for variant in product.variants if variant.sku == sku] or product.variants
