"""The dense leg beside others, on the same vectors: `python -m benchmarks.search_peers`.

LangChain's FAISS retriever and LanceDB in its embedded mode, each as its documentation sets it up,
search the same made vectors (`benchmarks/made_vectors.py`) for the same questions, in one process,
one question after another, in an order drawn anew for each round, so that none always goes first.
LanceDB is measured as it comes, comparing all, and with its own index. Recall is of the ten
nearest. The peers are no part of the project; they are installed beside it:

    pip install langchain-community lancedb

Prints JSON last; times in milliseconds unless they end in `_s`.
"""

import argparse
import importlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.made_vectors import DIMENSION, Made, made
from benchmarks.report import machine, percentile
from benchmarks.search_scale import nearest
from pipeline.encoder import Vectors
from pipeline.searching.live_index import LiveIndex, built

K = 10
ARMS = ("hotshelf", "langchain_faiss", "lancedb", "lancedb_indexed")
PEERS = {"langchain_community.vectorstores": "langchain-community", "lancedb": "lancedb"}
Search = Callable[[int], Sequence[str]]
"""The ids found for a question, by its number."""


@dataclass(slots=True)
class Arm:
    """One way to search, how long it took to be ready, and what its searches took."""

    search: Search
    build_s: float
    taken: list[float] = field(default_factory=list)
    right: int = 0


def ours(vectors: Made, ids: Sequence[str]) -> Search:
    """As the gateway does it."""
    index = LiveIndex(built(ids, vectors.products))
    return lambda number: [id_ for id_, _ in index.search(vectors.questions[number], K)]


def langchain(vectors: Made, ids: Sequence[str]) -> Search:
    """`FAISS.from_embeddings(...).as_retriever()`, its embeddings made before."""
    community = _peer("langchain_community.vectorstores", "langchain-community")
    embeddings = _peer("langchain_core.embeddings", "langchain-core")

    class Given(embeddings.Embeddings):  # type: ignore[misc, name-defined]
        """Questions are called by their numbers."""

        def embed_query(self, text: str) -> list[float]:
            row: list[float] = vectors.questions[int(text)].tolist()
            return row

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [self.embed_query(text) for text in texts]

    pairs = zip(ids, vectors.products.tolist(), strict=True)
    store = community.FAISS.from_embeddings(pairs, Given())
    retriever = store.as_retriever(search_kwargs={"k": K})
    return lambda number: [found.page_content for found in retriever.invoke(str(number))]


def lance(vectors: Made, ids: Sequence[str], folder: str, *, index: bool) -> Search:
    """A table on disk, opened in this process; with `index`, its IVF_HNSW_SQ."""
    database = _peer("lancedb", "lancedb").connect(folder)
    rows = _arrow(ids, vectors.products)
    table = database.create_table("indexed" if index else "plain", rows)
    if index:
        table.create_index(metric="cosine", vector_column_name="vector", index_type="IVF_HNSW_SQ")

    def search(number: int) -> list[str]:
        asked = table.search(vectors.questions[number]).distance_type("cosine")
        return [str(row["id"]) for row in asked.select(["id", "_distance"]).limit(K).to_list()]

    return search


def _arrow(ids: Sequence[str], rows: Vectors) -> Any:
    arrow = _peer("pyarrow", "pyarrow")
    flat = arrow.array(rows.reshape(-1))
    column = arrow.FixedSizeListArray.from_arrays(flat, rows.shape[1])
    return arrow.table({"id": arrow.array(ids), "vector": column})


def _peer(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        sys.exit(f"{module} is not installed; it is measured beside us: pip install {package}")


def ready(name: str, prepare: Callable[[], Search]) -> Arm:
    """`prepare`, timed."""
    began = time.perf_counter()
    search = prepare()
    took = time.perf_counter() - began
    print(f"{name}: ready in {took:.1f} s", flush=True)
    return Arm(search, took)


def measure(arms: Mapping[str, Arm], truth: Sequence[set[int]], rounds: int) -> None:
    """Every arm answers every question `rounds` times, in blocks of fifty; after a warm-up."""
    draw = random.Random(1)
    for arm in arms.values():
        for number in range(20):
            arm.search(number)
    blocks = [
        (name, range(at, min(at + 50, len(truth))))
        for name in arms
        for at in range(0, len(truth), 50)
        for _ in range(rounds)
    ]
    draw.shuffle(blocks)
    for name, block in blocks:
        _block(arms[name], block, truth)


def _block(arm: Arm, block: range, truth: Sequence[set[int]]) -> None:
    for number in block:
        began = time.perf_counter()
        found = arm.search(number)
        arm.taken.append((time.perf_counter() - began) * 1000)
        arm.right += len(truth[number] & {int(id_) for id_ in found})


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="benchmarks.search_peers", description=__doc__)
    parser.add_argument("--products", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=ARMS)
    given = parser.parse_args()
    for module, package in PEERS.items():
        _peer(module, package)
    vectors = made(given.products, given.questions)
    ids = [str(number) for number in range(given.products)]
    truth = nearest(vectors.products, vectors.questions, K)
    with tempfile.TemporaryDirectory() as folder:
        prepared: dict[str, Callable[[], Search]] = {
            "hotshelf": lambda: ours(vectors, ids),
            "langchain_faiss": lambda: langchain(vectors, ids),
            "lancedb": lambda: lance(vectors, ids, folder, index=False),
            "lancedb_indexed": lambda: lance(vectors, ids, folder, index=True),
        }
        arms = {name: ready(name, prepared[name]) for name in given.arms}
        measure(arms, truth, given.rounds)
    report = {name: _figures(arm) for name, arm in arms.items()}
    shape = {"products": given.products, "dimension": DIMENSION, "k": K}
    print(json.dumps({**shape, "arms": report, "machine": machine()}))


def _figures(arm: Arm) -> dict[str, float]:
    return {
        **{f"p{round(100 * at)}": round(percentile(arm.taken, at), 2) for at in (0.5, 0.99)},
        "recall@10": round(arm.right / K / len(arm.taken), 4),
        "build_s": round(arm.build_s, 1),
    }


if __name__ == "__main__":
    main()
