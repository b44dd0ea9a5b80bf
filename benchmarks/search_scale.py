"""How long a search takes in small and in very large shops: `python -m benchmarks.search_scale`.

Vectors are made (`benchmarks/made_vectors.py` says how), since no catalogue of a million products
is at hand; they have the dimension of the default encoder. Questions are searched one after
another, each for as many products as retrieval looks at in each leg. Recall is how many of the ten
nearest, by comparing with every product, are among the ten that were found.

The lexical leg is measured at `--lexical` products whose texts are made of words as frequent as
words are (Zipf's law). Encoding does not depend on the catalogue: real questions about the demo
shop, each asked once, by the default encoder. Memory is what the process has grown by.

Prints JSON last; times in milliseconds unless they end in `_s`.
"""

import argparse
import asyncio
import gc
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import psutil

from benchmarks.made_vectors import DIMENSION, made
from benchmarks.made_words import made_rows
from benchmarks.report import machine, percentile
from benchmarks.workload import questions
from catalog.demo import demo_products
from pipeline.encoder import Encoder, Vectors
from pipeline.searching.embedding_models import DEFAULT_ENCODER, load_embedding_model
from pipeline.searching.fusion import FusionConfig
from pipeline.searching.lexical import LexicalStore
from pipeline.searching.live_index import LiveIndex, built
from pipeline.searching.live_lexical import LiveLexical

SIZES = (1_000, 100_000, 1_000_000)
DEPTH = FusionConfig().depth
_COMPARED = 50_000
"""Products that are compared at once for the truth."""


def timed(search: Callable[[int], object], count: int) -> dict[str, float]:
    """Milliseconds of `count` calls, after a tenth as many that do not count."""
    taken = []
    for number in range(-(count // 10), count):
        began = time.perf_counter()
        search(number % count)
        if number >= 0:
            taken.append((time.perf_counter() - began) * 1000)
    return {f"p{round(100 * at)}": round(percentile(taken, at), 2) for at in (0.5, 0.99)}


def nearest(products: Vectors, asked: Vectors, k: int) -> Sequence[set[int]]:
    """The `k` nearest products of each question, by comparing with all."""
    best: list[tuple[Vectors, Any]] = []
    for at in range(0, len(products), _COMPARED):
        scores = asked @ products[at : at + _COMPARED].T
        places = np.argpartition(-scores, min(k, scores.shape[1] - 1), axis=1)[:, :k]
        best.append((np.take_along_axis(scores, places, axis=1), places + at))
    scores, places = (np.concatenate(parts, axis=1) for parts in zip(*best, strict=True))
    first = np.argsort(-scores, axis=1)[:, :k]
    return [set(row) for row in np.take_along_axis(places, first, axis=1).tolist()]


def dense(size: int, count: int) -> dict[str, Any]:
    """The dense leg at `size` products."""
    vectors = made(size, count)
    truth = nearest(vectors.products, vectors.questions, 10)
    gc.collect()
    before, began = psutil.Process().memory_info().rss, time.perf_counter()
    base = built([str(number) for number in range(size)], vectors.products)
    took = time.perf_counter() - began
    grown = psutil.Process().memory_info().rss - before
    index = LiveIndex(base)
    figures = timed(lambda number: index.search(vectors.questions[number], DEPTH), count)
    right = 0
    for asked, near in zip(vectors.questions, truth, strict=True):
        right += len(near & {int(id_) for id_, _ in index.search(asked, DEPTH)[:10]})
    return {
        "products": size,
        "exact": base.exact,
        "search": figures,
        "recall@10": round(right / 10 / count, 4),
        "build_s": round(took, 1),
        "memory_mib": round(grown / 2**20),
    }


def lexical(size: int, count: int) -> dict[str, Any]:
    """The lexical leg at `size` products."""
    rows, asked = made_rows(size, count)
    gc.collect()
    before, began = psutil.Process().memory_info().rss, time.perf_counter()
    store = LexicalStore()
    store.learn(rows)
    index = LiveLexical(store, store.commit(rows))
    took = time.perf_counter() - began
    figures = timed(lambda number: index.search(index.known(asked[number]), DEPTH), count)
    grown = psutil.Process().memory_info().rss - before
    return {
        "products": size,
        "search": figures,
        "build_s": round(took, 1),
        "memory_mib": round(grown / 2**20),
    }


async def encode(count: int) -> dict[str, float]:
    """Questions that were never asked before, one after another."""
    encoder = Encoder(load_embedding_model(DEFAULT_ENCODER, "cpu"))
    asked = questions(demo_products(), 4 * count, seed=1, exponent=0.0)
    texts = list(dict.fromkeys(question.message for question in asked))[:count]
    taken = []
    for text in ["warm", "再热一次", *texts]:
        began = time.perf_counter()
        await encoder.query(text)
        taken.append((time.perf_counter() - began) * 1000)
    await encoder.close()
    return {f"p{round(100 * at)}": round(percentile(taken[2:], at), 2) for at in (0.5, 0.99)}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="benchmarks.search_scale", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="PRODUCTS")
    parser.add_argument("--lexical", type=int, default=100_000, metavar="PRODUCTS")
    parser.add_argument("--questions", type=int, default=500, help="for each figure")
    given = parser.parse_args()
    report: dict[str, Any] = {"dimension": DIMENSION, "depth": DEPTH, "dense": []}
    report["encode"] = asyncio.run(encode(given.questions))
    print("encode", report["encode"], flush=True)
    for size in given.sizes:
        report["dense"].append(dense(size, given.questions))
        print("dense", report["dense"][-1], flush=True)
    report["lexical"] = lexical(given.lexical, given.questions)
    print("lexical", report["lexical"], flush=True)
    print(json.dumps({**report, "machine": machine()}))


if __name__ == "__main__":
    main()
