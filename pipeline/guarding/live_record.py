"""What the products of one prompt cost and whether they can be had: what an answer is held to."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product as combinations

from catalog.product import Availability, Product, Variant
from pipeline.facts.candidates import Fact
from pipeline.facts.choices import matching
from pipeline.facts.fitting import FactFinder
from pipeline.facts.offers import live_facts
from pipeline.facts.options import OptionReader, Wish
from pipeline.guarding.amounts import Amount, is_true
from pipeline.guarding.claim_words import Status
from pipeline.guarding.claims import plain
from pipeline.lexicon.sentences import sentences
from pipeline.lexicon.words import framed
from pipeline.prompting.rendering import Renderer
from pipeline.types import Question

Chosen = dict[str, tuple[Wish, ...]]
"""The values that are meant, by option."""
_STATUS: Mapping[Status, Availability] = {"preorder": "preorder", "backorder": "backorder"}


@dataclass(frozen=True)
class LiveRecord:
    """The records in a prompt, the page's product first, seen by its question."""

    question: Question
    products: tuple[Product, ...]
    finder: FactFinder
    renderer: Renderer

    def spellings(self) -> tuple[str, ...]:
        """The option values of the products as any language writes them, folded."""
        return tuple(
            sorted(
                {
                    plain(spelling)
                    for product in self.products
                    for values in product.options.values()
                    for value in values
                    for spelling in (value, *(product.label(value, at) for at in product.texts))
                    if spelling.strip()
                }
            )
        )

    def named(self, sentence: str) -> tuple[Product, ...]:
        """The products that `sentence` names by their titles, or else all of them."""
        named = tuple(p for p in self.products if any(t in sentence for t in _titles(p)))
        return named or self.products

    def chosen(self, product: Product, text: str) -> Chosen:
        """The option values that folded `text` names."""
        for title in _titles(product):
            text = text.replace(title, " ")
        chosen: Chosen = {}
        for wish in self._options.wishes(framed(text), product, self.question.locale):
            chosen[wish.option] = (*chosen.get(wish.option, ()), wish)
        return chosen

    def asked(self, product: Product) -> Chosen:
        """The option values that the question names, or else those of the variant looked at."""
        return self._asked[product.id]

    def foreign_color(self, product: Product, text: str) -> bool:
        """Whether `text` names a colour that neither the options nor the texts know."""
        if any(self._options.is_color(product, name) for name in product.options):
            return False
        for title in _titles(product):
            text = text.replace(title, " ")
        return bool(self._options.colors_of(text) - self._own_colors(product))

    def cost(self, product: Product, amount: Amount, chosen: Chosen) -> bool:
        """Whether `amount` is right of every combination chosen, or of the variant asked for."""
        asked = {o: ws for o, ws in self.asked(product).items() if all(w.values for w in ws)}
        groups = list(_groups(product, {**asked, **chosen}, self.question.sku))
        if not chosen and not any(groups):
            groups = [product.variants]
        return all(is_true(amount, variants) for variants in groups)

    def stocked(
        self, product: Product, status: Status, chosen: Chosen, *, all_of_them: bool = False
    ) -> bool:
        """Whether every combination chosen is as `status` says; `all_of_them`: each variant."""
        groups = self._groups(product, chosen)
        if status == "out":
            return not any(variant.available for group in groups for variant in group)
        wanted = _STATUS.get(status, "in_stock")
        of = all if all_of_them else any
        return all(group and of(v.availability == wanted for v in group) for group in groups)

    def left(self, product: Product, count: int, chosen: Chosen) -> bool:
        """Whether so many are left of each combination chosen."""
        return all(
            sum(v.stock or 0 for v in group) == count or any(v.stock == count for v in group[:1])
            for group in self._groups(product, chosen)
            if group
        )

    def sentence(self, kind: str, product: Product) -> str:
        """The record's own sentence about the price or stock that the question means."""
        if product is not self.products[0]:
            live = live_facts(product, product.variants, self.question.locale, self._options)
            return " ".join(self.renderer.live(product, live, several=True).split())
        wanted = ("price",) if kind == "amount" else ("choice", "stock")
        fitting = [fact for fact in self._fitting if fact.kind in wanted]
        gap = "" if self.question.locale == "zh" else " "
        return gap.join(self.renderer.facts([fact]).strip() for fact in fitting) or self._made(kind)

    @cached_property
    def live_sentences(self) -> frozenset[str]:
        """What the prompt says of prices and stock, sentence by sentence, `bare`."""
        locale = self.question.locale
        told = [self.renderer.facts([f]) for f in self._fitting if f.kind != "detail"]
        for product in self.products:
            live = live_facts(product, product.variants, locale, self._options)
            told += self.renderer.live(product, live, len(self.products) > 1).splitlines()
        return frozenset(bare(part) for text in told for part in (text, *sentences(text)))

    @cached_property
    def told_sentences(self) -> frozenset[str]:
        """The other facts beside the question, which come from the product's texts, `bare`."""
        told = [self.renderer.facts([f]) for f in self._fitting if f.kind == "detail"]
        return frozenset(bare(part) for text in told for part in (text, *sentences(text)))

    @property
    def _options(self) -> OptionReader:
        return self.finder.options

    @cached_property
    def _fitting(self) -> tuple[Fact, ...]:
        asked = self.question
        if not self.products:
            return ()
        return self.finder.beside(asked.text, self.products[0], asked.locale, asked.sku)

    @cached_property
    def _asked(self) -> dict[str, Chosen]:
        text = plain(self.question.text)
        return {p.id: self.chosen(p, text) or self._looked_at(p) for p in self.products}

    def _looked_at(self, product: Product) -> Chosen:
        return {
            option: (Wish(option, value, (value,)),)
            for variant in product.variants
            if variant.sku == self.question.sku
            for option, value in variant.options
        }

    def _made(self, kind: str) -> str:
        """A price or stock sentence of the variants asked for, where no fitting fact is one."""
        product, locale = self.products[0], self.question.locale
        variants = [v for group in self._groups(product, {}) for v in group] or product.variants
        unique = list({variant.sku: variant for variant in variants}.values())
        live = live_facts(product, unique, locale, self._options)
        names: tuple[str, ...] = ()
        if len(unique) == 1 < len(product.variants):
            names = tuple(self._options.say(product, v, locale) for _, v in unique[0].options)
        fact = Fact("price" if kind == "amount" else "stock", asked=names, live=live)
        return self.renderer.facts([fact]).strip()

    def _groups(self, product: Product, chosen: Chosen) -> list[Sequence[Variant]]:
        return list(_groups(product, {**self.asked(product), **chosen}, self.question.sku))

    def _own_colors(self, product: Product) -> frozenset[str]:
        told = (
            " ".join((text.title, text.description, *(v for _, v in text.attributes)))
            for text in product.texts.values()
        )
        return frozenset(color for text in told for color in self._options.colors_of(text))


def _groups(product: Product, meant: Chosen, sku: str | None) -> Iterator[Sequence[Variant]]:
    """The variants of each combination of the values meant; of the page's SKU where none is."""
    if not meant:
        looked_at = [variant for variant in product.variants if variant.sku == sku]
        yield looked_at or product.variants
        return
    for row in combinations(*meant.values()):
        yield matching(product.variants, {wish.option: wish.values for wish in row})


def bare(sentence: str) -> str:
    """A sentence as it is compared: without width, case, and what stands at its ends."""
    return " ".join(plain(sentence).split()).strip(" .。;；")


def _titles(product: Product) -> list[str]:
    return [plain(text.title) for text in product.texts.values() if text.title.strip()]
