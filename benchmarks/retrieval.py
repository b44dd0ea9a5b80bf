"""Whether the right product is found: `python -m benchmarks.retrieval --catalog F --questions Q`.

Takes any catalogue that imports (and files without prices, read for measuring only; `demo` is the
demo shop) and a file of questions, one JSON object a line, with `relevant` product ids or a `sku`.
Questions are asked one after another, without a page and without a conversation, as a gateway
answers them by default. Prints JSON last.

nDCG's gains are 2^grade - 1 where a question has `graded` products, else 1 for a relevant one.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log2
from pathlib import Path
from typing import Any

from benchmarks.catalog_files import products_of
from benchmarks.report import percentile
from pipeline.encoder import EmbeddingModel, Encoder
from pipeline.finder import Finder
from pipeline.finding import make_finder
from pipeline.found import Found
from pipeline.prompting.rendering import TEMPLATES
from pipeline.records import Records
from pipeline.retriever import Retriever
from pipeline.searching.embedding_models import DEFAULT_ENCODER, load_embedding_model
from pipeline.searching.vector_cache import CachedVectors
from pipeline.timing import StageTimings
from pipeline.types import Question
from serving.text import detect_locale

DEPTH = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the product ids that answer it, with their gains; none, if the catalogue has
    no such product."""

    text: str
    relevant: frozenset[str]
    gains: Mapping[str, float]


@dataclass(slots=True)
class Tally:
    """What was measured, question by question; times in milliseconds."""

    asked: int = 0
    not_carried: int = 0
    other: int = 0
    ranks: list[int | None] = field(default_factory=list)
    ndcg: list[float] = field(default_factory=list)
    encode_ms: list[float] = field(default_factory=list)
    search_ms: list[float] = field(default_factory=list)
    missed: list[tuple[str, str]] = field(default_factory=list)

    def add(self, asked: Asked, found: Found, timings: StageTimings) -> None:
        """Count what was found for one question."""
        self.asked += 1
        self.not_carried += found.not_carried is not None
        self.other += found.intent is not None and not found.hits
        stages = timings.stages()
        self.encode_ms.append(stages.get("encode", 0.0) * 1000)
        self.search_ms.append(stages.get("search", 0.0) * 1000)
        if not asked.relevant:
            return
        ids = [hit.product_id for hit in found.hits]
        rank = next((i for i, id_ in enumerate(ids) if id_ in asked.relevant), None)
        self.ranks.append(rank)
        self.ndcg.append(ndcg(asked.gains, ids))
        if rank != 0:
            self.missed.append((asked.text, _instead(found, rank)))

    def hit(self, at: int) -> float | None:
        """The share of questions with a right product among the first `at`."""
        right = sum(rank is not None and rank < at for rank in self.ranks)
        return round(right / len(self.ranks), 3) if self.ranks else None

    def report(self) -> dict[str, Any]:
        """The figures, by the names under which they are compared."""
        return {
            "questions": self.asked,
            "with_a_right_product": len(self.ranks),
            **{f"hit@{at}": self.hit(at) for at in (1, 3, 10)},
            "ndcg@10": round(sum(self.ndcg) / len(self.ndcg), 3) if self.ndcg else None,
            "not_carried": round(self.not_carried / max(1, self.asked), 3),
            "not_about_a_product": round(self.other / max(1, self.asked), 3),
            "p50_ms": round(percentile(self.search_ms, 0.5), 2),
            "p99_ms": round(percentile(self.search_ms, 0.99), 2),
            "encode_p50_ms": round(percentile(self.encode_ms, 0.5), 2),
            "encode_p99_ms": round(percentile(self.encode_ms, 0.99), 2),
        }


def _instead(found: Found, rank: int | None) -> str:
    if found.not_carried is not None:
        return "not carried"
    if found.intent is not None and not found.hits:
        return found.intent
    return "not found" if rank is None else f"place {rank + 1}"


def ndcg(gains: Mapping[str, float], found: Sequence[str]) -> float:
    """Discounted gain of the first ten, as a share of the best that there could be."""
    best = sorted(gains.values(), reverse=True)[:DEPTH]
    ideal = sum(gain / log2(place + 2) for place, gain in enumerate(best))
    told = sum(gains.get(id_, 0.0) / log2(place + 2) for place, id_ in enumerate(found[:DEPTH]))
    return told / ideal if ideal else 0.0


def asked(row: Mapping[str, Any], records: Records) -> Asked:
    """A line of a question file."""
    text = str(row.get("query") or row["question"])
    named = row.get("relevant") or ([row["sku"]] if row.get("sku") else [])
    pages = (records.resolve(str(reference)) for reference in named)
    relevant = frozenset(product.id for product, _ in filter(None, pages))
    graded = row.get("graded") or {}
    gains = {id_: 2.0 ** float(grade) - 1 for id_, grade in graded.items()}
    return Asked(text, relevant, gains or dict.fromkeys(relevant, 1.0))


async def measure(finder: Finder, questions: Sequence[Asked]) -> Tally:
    """Ask every question once."""
    tally = Tally()
    for asked in questions:
        timings = StageTimings()
        question = Question(asked.text, detect_locale(asked.text), "benchmark")
        tally.add(asked, await finder.find(question, (), timings), timings)
    return tally


async def run(given: argparse.Namespace) -> Tally:
    """Read, encode (or remember), ask."""
    records = Records()
    records.replace(products_of(given.catalog), 1)
    model: EmbeddingModel = load_embedding_model(given.encoder, "cpu")
    cached = CachedVectors(model, given.cache / Path(given.catalog).stem) if given.cache else None
    encoder = Encoder(cached or model)
    retriever = Retriever(encoder, records)
    began = time.perf_counter()
    await retriever.rebuild()
    if cached is not None:
        cached.save()
    print(f"{len(records)} products read in {time.perf_counter() - began:.1f} s", flush=True)
    finder = await make_finder(TEMPLATES, records, retriever, DEPTH)
    tally = await measure(finder, [asked(row, records) for row in given.rows])
    await encoder.close()
    return tally


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="benchmarks.retrieval", description=__doc__)
    parser.add_argument("--catalog", required=True, help="a file, or `demo`")
    parser.add_argument("--questions", required=True, help="a file of JSON lines")
    parser.add_argument("--cache", type=Path, help="a folder that keeps vectors between runs")
    parser.add_argument("--encoder", default=DEFAULT_ENCODER, help="as HOTSHELF_ENCODER")
    parser.add_argument("--misses", action="store_true", help="show what was not found first")
    given = parser.parse_args()
    lines = Path(given.questions).read_text(encoding="utf-8").splitlines()
    given.rows = [json.loads(line) for line in lines if line.strip()]
    tally = asyncio.run(run(given))
    for text, instead in tally.missed if given.misses else ():
        print(f"{instead}: {text}")
    print(json.dumps(tally.report()))


if __name__ == "__main__":
    main()
