"""Which passages of a product are put beside a question: several rankers on judged passages.

    python -m benchmarks.passages --questions passages.jsonl --catalog catalog.json

Each line of the questions has a `query`, its product's `sku` and `passages`, judged 2 (answers),
1 (helps) or 0. Passages that a ranker finds alike stay in the record's order, not in the file's,
which may tell the judgement. Nothing was tuned on the half called B (a seeded split). `told` is
the share of questions with a right passage among the facts that the prompt would really hold.
`--encoder NAME` (more than once) adds rankers by meaning. Prints JSON last.
"""

import argparse
import json
import math
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.catalog_files import products_of
from benchmarks.report import percentile
from catalog.product import LOCALES, Product
from pipeline.encoder import EmbeddingModel
from pipeline.facts import passages
from pipeline.facts.candidates import is_long
from pipeline.facts.fitting import FactFinder
from pipeline.facts.passages import PassageRanker
from pipeline.lexicon.analysis import standard_analyser
from pipeline.lexicon.sentences import sentences
from pipeline.lexicon.words import Words
from pipeline.prompting.rendering import TEMPLATES
from pipeline.searching.embedding_models import load_embedding_model
from serving.text import detect_locale

K1, B = 1.2, 0.75
MEANING = 0.5
"""What a similarity counts for beside the words; the best of several, on half A."""
_ATTRIBUTE = re.compile(r"([a-z0-9_]+): (\{.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Judged:
    """A question about a product, its passages in the record's order, and their labels."""

    query: str
    product: Product
    passages: tuple[str, ...]
    labels: tuple[int, ...]
    is_seen: bool

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(name, text) of each passage; only an attribute has a name."""
        return [_pair(passage) for passage in self.passages]


Ranker = Callable[[Judged], Sequence[float]]
"""A score for each passage of a question."""


def judged(rows: Sequence[Mapping[str, Any]], products: Mapping[str, Product]) -> list[Judged]:
    """The lines of a question file."""
    ids = [str(row["id"]) for row in rows]
    random.Random(7).shuffle(ids)
    seen = frozenset(ids[: len(ids) // 2])
    found = []
    for row in rows:
        product = products[str(row["sku"])]
        places = _places(product)
        ordered = sorted(row["passages"], key=lambda p: places(p["text"]))
        texts = tuple(p["text"] for p in ordered)
        labels = tuple(int(p["label"]) for p in ordered)
        found.append(Judged(row["query"], product, texts, labels, str(row["id"]) in seen))
    return found


def _places(product: Product) -> Callable[[str], tuple[int, int]]:
    """Where a passage stands in its record: attributes first, then the texts."""
    text = product.text(product.locale)
    names = {f"{name}: {value}": place for place, (name, value) in enumerate(text.attributes)}
    return lambda passage: (names.get(passage, len(names)), text.description.find(passage))


def _pair(passage: str) -> tuple[str, str]:
    match = _ATTRIBUTE.fullmatch(passage)
    return (match[1], match[2]) if match else ("", passage)


def bm25(products: Sequence[Product]) -> Ranker:
    """BM25 among the passages of a product, each word as rare as it is in the whole catalogue."""
    analyser = standard_analyser()
    documents = [analyser.document(passage) for p in products for passage in _record(p)]
    count, rows = Counter(word for d in documents for word in set(d)), len(documents)
    mean = sum(map(len, documents)) / rows

    def rank(asked: Judged) -> list[float]:
        terms = analyser.question(asked.query)
        return [score(terms, analyser.document(passage)) for passage in asked.passages]

    def score(terms: Mapping[str, float], document: Sequence[str]) -> float:
        found, norm = Counter(document), K1 * (1 - B + B * len(document) / mean)
        return sum(
            weight
            * math.log(1 + (rows - count[word] + 0.5) / (count[word] + 0.5))
            * (found[word] * (K1 + 1) / (found[word] + norm))
            for word, weight in terms.items()
            if word in found
        )

    return rank


def _record(product: Product) -> list[str]:
    text = product.text(product.locale)
    return [f"{n} {v}" for n, v in text.attributes] + sentences(text.description)


def by_words(ranker: PassageRanker) -> Ranker:
    """The product's own ranker."""

    def rank(asked: Judged) -> list[float]:
        titles = [text.title for text in asked.product.texts.values()]
        return ranker.scores(asked.query, titles, asked.pairs)

    return rank


def by_meaning(model: EmbeddingModel, questions: Sequence[Judged]) -> Ranker:
    """Similarity of vectors; those of the passages are made beforehand."""
    texts = sorted({passage for question in questions for passage in question.passages})
    began = time.perf_counter()
    vectors = dict(zip(texts, model.encode_document(texts), strict=True))
    seconds = time.perf_counter() - began
    print(f"{model.name}: {len(texts)} passages encoded beforehand in {seconds:.0f} s", flush=True)

    def rank(asked: Judged) -> list[float]:
        query = model.encode_query([asked.query])[0]
        return [float(query @ vectors[passage]) for passage in asked.passages]

    return rank


def both(words: Ranker, meaning: Ranker) -> Ranker:
    """A weighted sum."""
    return lambda asked: list(np.add(words(asked), MEANING * np.array(meaning(asked))))


def order(scores: Sequence[float]) -> list[int]:
    """Places, the best first; equals stay as they are."""
    return sorted(range(len(scores)), key=lambda place: -scores[place])


def figures(questions: Sequence[Judged], orders: Sequence[Sequence[int]]) -> dict[str, float]:
    """hit@1 and hit@3 by passages that answer, and that at least help; nDCG."""
    lists = [[q.labels[at] for at in o] for q, o in zip(questions, orders, strict=True)]
    found = {
        f"hit@{depth}{'' if least == 2 else '_helps'}": _mean(
            [max(labels[:depth]) >= least for labels in lists if max(labels) >= least]
        )
        for least in (2, 1)
        for depth in (1, 3)
    }
    gains = [_dcg(labels) / _dcg(sorted(labels)[::-1]) for labels in lists if any(labels)]
    return found | {"ndcg": _mean(gains)}


def _dcg(labels: Sequence[int]) -> float:
    return sum((2.0**label - 1) / math.log2(at + 2) for at, label in enumerate(labels))


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 3) if values else 0.0


def measure(questions: Sequence[Judged], ranker: Ranker) -> dict[str, Any]:
    """The figures of one ranker over all questions and over each half, and its time."""
    orders, spent = [], []
    for question in questions:
        began = time.perf_counter()
        orders.append(order(ranker(question)))
        spent.append((time.perf_counter() - began) * 1000)
    halves = {"A": True, "B": False}
    parts = {
        half: [pair for pair in zip(questions, orders, strict=True) if pair[0].is_seen == seen]
        for half, seen in halves.items()
    }
    split = {half: figures([q for q, _ in p], [o for _, o in p]) for half, p in parts.items()}
    return figures(questions, orders) | {"p50_ms": round(percentile(spent, 0.5), 3)} | split


def told(questions: Sequence[Judged], finder: FactFinder) -> dict[str, float]:
    """What of the right passages is among the facts that the prompt holds, how many those are, and
    what choosing them takes."""
    right: dict[int, list[bool]] = {1: [], 2: []}
    number, spent = [], []
    for asked in questions:
        began = time.perf_counter()
        facts = finder.beside(asked.query, asked.product, detect_locale(asked.query))
        spent.append((time.perf_counter() - began) * 1000)
        values = [fact.value for fact in facts if fact.kind == "detail"]
        number.append(float(len(values)))
        best = max((asked.labels[at] for at in _told(asked, values)), default=0)
        for least, hits in right.items():
            if max(asked.labels) >= least:
                hits.append(best >= least)
    return {
        "questions": len(questions),
        "told": _mean(right[2]),
        "told_helps": _mean(right[1]),
        "facts": _mean(number),
        "p50_ms": round(percentile(spent, 0.5), 3) if spent else 0.0,
    }


def _told(asked: Judged, values: Sequence[str]) -> list[int]:
    """The places of the passages that are among `values`; a record's sentence may be a part of a
    passage, and the other way round."""
    return [
        at
        for at, (_, text) in enumerate(asked.pairs)
        if any(value in text or text in value for value in values)
    ]


def run(given: argparse.Namespace) -> dict[str, Any]:
    """Every ranker in turn."""
    products = {product.id: product for product in products_of(given.catalog)}
    lines = given.questions.read_text(encoding="utf-8").splitlines()
    questions = judged([json.loads(line) for line in lines if line.strip()], products)
    languages = [Words.load(TEMPLATES, locale) for locale in LOCALES]
    words = by_words(PassageRanker(languages))
    rankers: dict[str, Ranker] = {
        "record": lambda asked: [0.0] * len(asked.passages),
        "bm25": bm25(list(products.values())),
        "words": words,
        "words, known": words,
    }
    for name in given.encoder:
        rankers[name] = by_meaning(load_embedding_model(name, "cpu"), questions)
        rankers[f"words and {name}"] = both(words, rankers[name])
    passages.forget()
    results = {name: measure(questions, ranker) for name, ranker in rankers.items()}
    finder = FactFinder(dict(zip(LOCALES, languages, strict=True)))
    results["in the prompt"] = told(questions, finder)
    long = [asked for asked in questions if is_long(asked.product, asked.product.locale)]
    results["in the prompt, long records"] = told(long, finder)
    judged_2 = sum(2 in question.labels for question in questions)
    helped = sum(any(question.labels) for question in questions)
    return {"questions": len(questions), "answered": judged_2, "helped": helped} | results


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="benchmarks.passages", description=__doc__)
    parser.add_argument("--questions", required=True, type=Path, help="a file of JSON lines")
    parser.add_argument("--catalog", required=True, help="a file, or `demo`")
    parser.add_argument("--encoder", action="append", default=[], help="as HOTSHELF_ENCODER")
    results = run(parser.parse_args())
    for name, row in results.items():
        if isinstance(row, dict):
            print(f"{name:28}", *(f"{k} {v}" for k, v in row.items() if not isinstance(v, dict)))
    print(json.dumps(results))


if __name__ == "__main__":
    main()
