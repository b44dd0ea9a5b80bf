"""Searching while the catalogue changes: `python -m benchmarks.search_under_change`.

Some clients search a made shop, each with a pause between two searches, as a gateway does: encode,
both legs, the records of what was found, on one event loop. Quiet and busy stretches alternate; in
a busy one, changes come at a fixed pace: a third are prices, a third texts, a third products taken
out and put back. Each is applied as a gateway applies what the change feed brings.

A found record is wrong if its product is gone at that moment, if it is not the newest one that was
applied, or if its price is not that of its revision; and a product whose text was made searchable
long enough ago has to be found first by its own words. Vectors are made, as
`benchmarks/made_vectors.py` says, so that nothing here measures an encoder. Prints JSON last; times
in milliseconds.
"""

import argparse
import asyncio
import json
import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from benchmarks.made_vectors import DIMENSION, made
from benchmarks.report import machine, percentile
from catalog.product import Money, Product, Text, Variant
from pipeline.encoder import Encoder, Vectors
from pipeline.records import Records
from pipeline.refresh import Refresher
from pipeline.retriever import Hit, Retriever, hydrate

KINDS = (
    *("kettle", "lamp", "vase", "chair", "table", "mirror"),
    *("clock", "basket", "blanket", "pillow", "shelf", "stool"),
)
_FOUND = 10
_MOVED = 0.01
_NUMBER = re.compile(r"model(\d+)")


class MadeModel:
    """A product's place by its number, moved a little by each edition and by each question."""

    name, dimension = "made", DIMENSION

    def __init__(self, products: int) -> None:
        self._places = made(products, 1).products

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        return np.array([self._encode(text) for text in texts], dtype=np.float32)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        return self.encode_query(texts)

    def _encode(self, text: str) -> Vectors:
        number = int(_NUMBER.findall(text)[0])
        moved = np.random.default_rng(len(text)).standard_normal(DIMENSION, dtype=np.float32)
        place = self._places[number] + _MOVED * moved
        unit: Vectors = place / np.linalg.norm(place)
        return unit


@dataclass(slots=True)
class Shop:
    """What was applied last, to hold what is found against."""

    products: int
    records: Records = field(default_factory=Records)
    revisions: dict[str, int] = field(default_factory=dict)
    texts: dict[str, int] = field(default_factory=dict)
    version: int = 1

    def product(self, id_: str, revision: int, text: int) -> Product:
        """The record of one revision: its price says which it is."""
        name = f"{KINDS[int(id_) % len(KINDS)]} model{id_} edition{text}"
        price = Money(Decimal(revision) / 100, "USD")
        return Product(id_, "en", {"en": Text(name)}, (Variant(f"SKU-{id_}", price),))

    def fill(self) -> None:
        """Every product in its first revision."""
        ids = [str(number) for number in range(self.products)]
        self.revisions, self.texts = dict.fromkeys(ids, 1), dict.fromkeys(ids, 1)
        self.records.replace([self.product(id_, 1, 1) for id_ in ids], 1)

    def change(self, draw: random.Random, refresher: Refresher, number: int) -> None:
        """One change, by turns of a price, of a text, and of whether there is such a product."""
        id_ = str(draw.randrange(self.products))
        self.version += 1
        if number % 3 == 2 and id_ in self.revisions:
            del self.revisions[id_]
            refresher.apply([], [id_], self.version)
            return
        self.texts[id_] += number % 3 == 1
        self.revisions[id_] = self.version
        refresher.apply([self.product(id_, self.version, self.texts[id_])], [], self.version)

    def wrong(self, found: Sequence[Product]) -> list[str]:
        """What is wrong with records that were found at this moment."""
        told = []
        for record in found:
            revision = self.revisions.get(record.id)
            if revision is None:
                told.append(f"{record.id} is gone")
            elif record != self.product(record.id, revision, self.texts[record.id]):
                told.append(f"{record.id} is not as revision {revision} has it")
        if len({record.id for record in found}) < len(found):
            told.append("a product was found twice")
        return told


@dataclass(slots=True)
class Tally:
    """Milliseconds of searches, quiet and busy, and whatever went wrong."""

    quiet: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    not_first: int = 0
    changes: int = 0


class Run:
    """Clients and changes on one event loop."""

    def __init__(self, shop: Shop, retriever: Retriever, refresher: Refresher) -> None:
        self.shop, self.retriever, self.refresher = shop, retriever, refresher
        self.tally = Tally()
        self._busy = False
        self._over = False

    async def client(self, seed: int, pause_s: float) -> None:
        """Search until it is over."""
        draw = random.Random(seed)
        while not self._over:
            await asyncio.sleep(pause_s * draw.uniform(0.5, 1.5))
            id_ = str(draw.randrange(self.shop.products))
            settled = self.refresher.pending == 0
            await self._search(f"a {KINDS[int(id_) % len(KINDS)]} model{id_}", id_, settled)

    async def _search(self, question: str, id_: str, settled: bool) -> None:
        began, busy = time.perf_counter(), self._busy
        vector = await self.retriever.encode(question)
        found = self.retriever.candidates(question, vector, _FOUND)
        hits = [Hit(candidate.product_id, "search") for candidate in found]
        records = [source.product for source in hydrate(self.shop.records, hits)]
        taken = (time.perf_counter() - began) * 1000
        (self.tally.busy if busy else self.tally.quiet).append(taken)
        self.tally.wrong += self.shop.wrong(records)
        if settled and id_ in self.shop.revisions and records[0].id != id_:
            self.tally.not_first += 1

    async def changes(self, a_second: float, seconds: float) -> None:
        """Changes at a fixed pace, however long each takes."""
        draw, began = random.Random(self.tally.changes), time.perf_counter()
        for number in range(int(a_second * seconds)):
            await asyncio.sleep(max(0.0, began + number / a_second - time.perf_counter()))
            self.shop.change(draw, self.refresher, number)
            self.tally.changes += 1

    async def stretches(self, given: argparse.Namespace) -> None:
        """Quiet and busy by turns, each half of the time."""
        clients = [
            asyncio.create_task(self.client(seed, given.pause_ms / 1000))
            for seed in range(given.clients)
        ]
        length = given.seconds / given.turns
        for _ in range(given.turns):
            self._busy = False
            await asyncio.sleep(length)
            self._busy = True
            await self.changes(given.changes, length)
            await self.refresher.settled()
        self._over = True
        await asyncio.gather(*clients)


async def measure(given: argparse.Namespace) -> dict[str, Any]:
    """The whole run."""
    shop = Shop(given.products)
    shop.fill()
    encoder = Encoder(MadeModel(given.products))
    retriever = Retriever(encoder, shop.records)
    await retriever.rebuild()
    refresher = Refresher(shop.records, retriever)
    run = Run(shop, retriever, refresher)
    await run.stretches(given)
    await refresher.close()
    await encoder.close()
    tally = run.tally
    figures = {
        name: {
            "searches": len(taken),
            **{f"p{round(100 * at)}": round(percentile(taken, at), 2) for at in (0.5, 0.99)},
        }
        for name, taken in (("quiet", tally.quiet), ("busy", tally.busy))
    }
    for line in tally.wrong[:10]:
        print("wrong:", line)
    return {
        "products": given.products,
        "changes": tally.changes,
        **figures,
        "p99_busy_to_quiet": round(figures["busy"]["p99"] / figures["quiet"]["p99"], 2),
        "wrong": len(tally.wrong),
        "not_first": tally.not_first,
    }


def main() -> None:
    """The command. An exception of a search or a change ends it."""
    parser = argparse.ArgumentParser(prog="benchmarks.search_under_change", description=__doc__)
    parser.add_argument("--products", type=int, default=20_000)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--pause-ms", type=float, default=10.0, help="between two searches")
    parser.add_argument("--changes", type=float, default=200.0, help="a second, in busy stretches")
    parser.add_argument("--seconds", type=float, default=60.0, help="of busy stretches in all")
    parser.add_argument("--turns", type=int, default=6, help="quiet and busy stretches")
    given = parser.parse_args()
    report = asyncio.run(measure(given))
    print(json.dumps({**report, "machine": machine()}))


if __name__ == "__main__":
    main()
