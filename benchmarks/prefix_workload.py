"""Shoppers' conversations over a catalogue, as one seeded series of questions and changes.

Products are as popular as Zipf's law says; several conversations go on at once, each about one
product, some turning to another one; in between prices and texts change, and whoever asks next
about a product whose price changed asks for it.
"""

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Literal

from benchmarks.workload import zipf_weights
from catalog.product import Money, Product, Text

PRICE = ("How much is it?", "What does it cost now?", "What is the price?")
COMMON = (
    *("Is it in stock?", "What is it made of?", "How big is it?", "Who makes it?"),
    *("How heavy is it?", "What colour is it?", "Does it come with a warranty?"),
)
OPEN = 8
"""Conversations that go on at once."""
TURNS = 3.0
"""Turns of a conversation, on average."""
_PRICED, _COMMON, _TURNS_AWAY = 0.25, 0.35, 0.1


@dataclass(frozen=True, slots=True)
class Ask:
    """A question of a conversation, on a product's page. `priced`: it asks for the price."""

    conversation: int
    product_id: str
    text: str
    priced: bool
    first: bool


@dataclass(frozen=True, slots=True)
class Change:
    """The catalogue changes: `product` is as it is from now on."""

    product: Product
    kind: Literal["price", "text"]


Step = Ask | Change


def priced(products: Sequence[Product], seed: int) -> tuple[Product, ...]:
    """`products` with a price each: the catalogue of real products has none."""
    draw = random.Random(seed)
    return tuple(at_price(product, draw) for product in products)


def at_price(product: Product, draw: random.Random) -> Product:
    """`product` at another price."""
    money = Money(Decimal(draw.randrange(300, 30000)) / 100, "USD")
    return replace(product, variants=tuple(replace(v, price=money) for v in product.variants))


def real_questions(files: Sequence[Path]) -> Mapping[str, Sequence[str]]:
    """What shoppers asked about each product, by its id."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found[row["sku"]].append(row.get("query") or row["question"])
    return found


class Shoppers:
    """Draws what happens. `asked`: real questions by product; others take a question from all."""

    def __init__(
        self, products: Sequence[Product], asked: Mapping[str, Sequence[str]], seed: int
    ) -> None:
        self._draw = random.Random(seed)
        self._products = {product.id: product for product in products}
        self._ranked = [product.id for product in products]
        self._draw.shuffle(self._ranked)
        self._weights = zipf_weights(len(self._ranked))
        self._asked = asked
        self._all = [text for texts in asked.values() for text in texts]
        self._due: set[str] = set()

    def popular(self, count: int) -> list[str]:
        """The products asked for most, the first above all."""
        return self._ranked[:count]

    def steps(self, questions: int, changes: int) -> Iterator[Step]:
        """`questions` questions, with `changes` changes spread among them."""
        at = set(self._draw.sample(range(1, questions), changes)) if changes else set[int]()
        going: list[tuple[int, str, bool]] = []
        begun = 0
        for number in range(questions):
            if number in at:
                yield self._change()
            while len(going) < OPEN:
                going.append((begun, self._product(), True))
                begun += 1
            conversation, id_, first = going.pop(self._draw.randrange(len(going)))
            if not first and self._draw.random() < _TURNS_AWAY:
                id_ = self._product()
            yield self._ask(conversation, id_, first)
            if self._draw.random() >= 1.0 / TURNS:
                going.append((conversation, id_, False))

    def _product(self) -> str:
        return self._draw.choices(self._ranked, self._weights)[0]

    def _ask(self, conversation: int, id_: str, first: bool) -> Ask:
        place = self._draw.random()
        if id_ in self._due or place < _PRICED:
            self._due.discard(id_)
            return Ask(conversation, id_, self._draw.choice(PRICE), True, first)
        if place < _PRICED + _COMMON:
            text = self._draw.choice(COMMON)
        else:
            text = self._draw.choice(self._asked.get(id_) or self._all)
        return Ask(conversation, id_, text, False, first)

    def _change(self) -> Change:
        """A price, or, one time in five, a text."""
        product = self._products[self._product()]
        kind: Literal["price", "text"] = "price" if self._draw.random() < 0.8 else "text"
        if kind == "price":
            product = at_price(product, self._draw)
            self._due.add(product.id)
        else:
            text = product.text(product.locale)
            said = f"Since lot {self._draw.randrange(1000)} it comes in a new box. "
            product = replace(product, texts={product.locale: _described(text, said)})
        self._products[product.id] = product
        return Change(product, kind)


def _described(text: Text, said: str) -> Text:
    return replace(text, description=said + text.description)
