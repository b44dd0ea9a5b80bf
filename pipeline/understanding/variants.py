"""Which variant of a product a question means, after what was said of it before.

"Size S?" after "do you have it in emerald" is about emerald in S; "any colour but black" is about
one of the others.
"""

from collections.abc import Sequence

from catalog.product import Product, Variant
from pipeline.facts.choices import matching
from pipeline.facts.options import OptionReader
from pipeline.lexicon.words import framed
from pipeline.types import Question, Turn
from pipeline.understanding.reading import Reading

Chosen = dict[str, list[str]]


class VariantReader:
    """Tells the variant meant."""

    def __init__(self, options: OptionReader) -> None:
        self._options = options

    def meant(
        self, reading: Reading, question: Question, turns: Sequence[Turn], product: Product
    ) -> str | None:
        """Its SKU; None if the question leaves it open, or the product has no such variant."""
        asked = self._chosen(reading.rest, question, product)
        if refused := {color for r in reading.refusals for color in r.colors}:
            return self._other_than(refused, asked, product)
        if not asked:
            return None
        for name, values in self._said_before(question, turns, product).items():
            asked.setdefault(name, values)
        found = matching(product.variants, asked)
        return found[0].sku if len(found) == 1 else None

    def _chosen(self, text: str, question: Question, product: Product) -> Chosen:
        """The values that `text` names by their options."""
        chosen: Chosen = {}
        for wish in self._options.wishes(framed(text), product, question.locale):
            chosen.setdefault(wish.option, []).extend(wish.values)
        return chosen

    def _said_before(self, question: Question, turns: Sequence[Turn], product: Product) -> Chosen:
        """What was chosen of this product, the last said first, and on its page."""
        before: Chosen = {}
        for turn in reversed(turns):
            if product.id not in turn.product_ids[:1]:
                break
            for name, values in self._chosen(turn.question, question, product).items():
                if values:
                    before.setdefault(name, values)
        page = next((v for v in product.variants if v.sku == question.sku), None)
        for name, value in page.options if page is not None else ():
            before.setdefault(name, [value])
        return before

    def _other_than(self, refused: set[str], asked: Chosen, product: Product) -> str | None:
        """The first that is not of the colours refused, rather one that can be had."""
        among = matching(product.variants, asked)
        fitting = [v for v in among if not self._is_of(v, refused, product)]
        if len(fitting) == len(among):
            return None
        having = [variant for variant in fitting if variant.available]
        return next((variant.sku for variant in (*having, *fitting)), None)

    def _is_of(self, variant: Variant, colors: set[str], product: Product) -> bool:
        named = self._options.colors_of(" ; ".join(_spellings(variant, product)))
        return any(self._options.is_shade(own, color) for own in named for color in colors)


def _spellings(variant: Variant, product: Product) -> list[str]:
    """The variant's values in every language."""
    return [
        spelling
        for _, value in variant.options
        for spelling in (value, *(text.labels.get(value, "") for text in product.texts.values()))
    ]
