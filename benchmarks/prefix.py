"""What do the prompt's layout and warming save? One workload, one engine, one run.

Real products and what shoppers really asked about them; conversations and changes are drawn from a
seed. Each arm answers the same questions on one engine, one at a time, from an empty prefix cache.
The clock runs from the question to its first text; searches are done beforehand for every arm.

    python -m benchmarks.prefix --catalog epqa_amazon_en.json --asked passages.jsonl questions.jsonl

Arms: naive (the clock first, ten whole descriptions), plain (three whole descriptions behind the
head, in the order of relevance), ours cold, ours with the shelf warmed, ours warmed (the shelf, and
a product's page when it opens), and the last without changes of prices.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.catalog_files import products_of
from benchmarks.prefix_engine import WatchedEngine
from benchmarks.prefix_layouts import ORDERS
from benchmarks.prefix_search import found_for
from benchmarks.prefix_shop import OURS, Answered, Bench, Shop
from benchmarks.prefix_workload import Ask, Change, Shoppers, Step, priced, real_questions
from benchmarks.report import machine, percentile, save, summary, table
from pipeline.prompting.tokenizer import Tokenizer
from serving.engines.vllm import VllmConfig, VllmEngine

SEED = 20261201


@dataclass(frozen=True, slots=True)
class Arm:
    """A way to lay out prompts, and what is warmed: the heads, the shelf, and pages that open."""

    name: str
    layout: str
    heads: bool = True
    shelf: int = 0
    pages: bool = False
    price_changes: bool = True


@dataclass(slots=True)
class Run:
    """What one arm did."""

    answers: list[Answered] = field(default_factory=list)
    prices_right: int = 0
    prices_asked: int = 0


def arms(shelf: int) -> list[Arm]:
    """Those that are compared."""
    return [
        Arm("naive", "naive", heads=False),
        Arm("plain", "plain"),
        Arm("ours cold", "ours"),
        Arm("ours, shelf warmed", "ours", shelf=shelf),
        Arm("ours warmed", "ours", shelf=shelf, pages=True),
        Arm("ours warmed, prices stay", "ours", shelf=shelf, pages=True, price_changes=False),
    ]


def layouts(shelf: int) -> list[Arm]:
    """Ways to lay out the same parts, the heads and the shelf warmed for each."""
    return [Arm(name, name, shelf=shelf) for name in (*OURS, *ORDERS)]


async def replay(shop: Shop, arm: Arm, steps: Sequence[Step], popular: Sequence[str]) -> Run:
    """All of `steps`, in order, from an empty prefix cache."""
    run = Run()
    await shop.engine.reset()
    if arm.heads:
        await shop.warm_heads()
    on_shelf = popular[: arm.shelf]
    for id_ in on_shelf:
        await shop.warm_page(id_)
    for step in steps:
        if isinstance(step, Change):
            await _change(shop, arm, step, on_shelf)
            continue
        if arm.pages and step.first:
            await shop.warm_page(step.product_id)
        answered = await shop.ask(step)
        run.answers.append(answered)
        if step.priced:
            run.prices_asked += 1
            run.prices_right += shop.price_of(step.product_id) in answered.text
    return run


async def _change(shop: Shop, arm: Arm, step: Change, on_shelf: Sequence[str]) -> None:
    """What changed is warmed again where it was on the shelf."""
    if step.kind == "text" or arm.price_changes:
        shop.change(step.product)
        if step.product.id in on_shelf:
            await shop.warm_page(step.product.id)


def figures(arm: Arm, run: Run, engine: WatchedEngine) -> dict[str, Any]:
    """One arm's row."""
    prompts = engine.prompts
    total, cached = sum(p.prompt for p in prompts), sum(p.cached for p in prompts)
    twice = sum(max(p.reusable - p.cached, 0) for p in prompts)
    ttft = summary([answer.ttft_ms for answer in run.answers])
    return {
        "arm": arm.name,
        **{f"ttft {name}": ttft[name] for name in ("p50", "p95", "p99")},
        "prompt p50": round(percentile([p.prompt for p in prompts], 0.5)),
        "uncached p50": round(percentile([p.prompt - p.cached for p in prompts], 0.5)),
        "cached": f"{cached / total:.1%}",
        "computed twice": twice,
        "warm-up tokens": engine.warmed,
        "prices right": f"{run.prices_right} of {run.prices_asked}",
    }


def judged(rows: Sequence[dict[str, Any]], allowed: float) -> dict[str, Any]:
    """What the rows come to."""
    by_name = {row["arm"]: row for row in rows}
    ours = by_name["ours warmed"]
    stay = by_name["ours warmed, prices stay"]
    return {
        "naive / ours warmed, p50": round(by_name["naive"]["ttft p50"] / ours["ttft p50"], 2),
        "plain / ours warmed, p50": round(by_name["plain"]["ttft p50"] / ours["ttft p50"], 2),
        "ours warmed, p95 / p50": round(ours["ttft p95"] / ours["ttft p50"], 2),
        "uncached allowed p50": allowed,
        "points of reuse that price changes cost": round(
            100 * (_share(stay["cached"]) - _share(ours["cached"])), 2
        ),
    }


def _share(told: str) -> float:
    return float(told.rstrip("%")) / 100


async def main(given: argparse.Namespace) -> None:
    catalogue = priced(products_of(str(given.catalog)), SEED)
    shoppers = Shoppers(catalogue, real_questions(given.asked), SEED)
    popular = shoppers.popular(given.shelf)
    steps = list(shoppers.steps(given.questions, given.questions // 12))
    asked = [step for step in steps if isinstance(step, Ask)]
    found = await found_for(catalogue, asked, given.vectors)
    engine = WatchedEngine(VllmEngine(VllmConfig(model=str(given.model))))
    await engine.start()
    bench = Bench(catalogue, found, engine, Tokenizer.load(given.model), given.max_tokens)
    try:
        rows, raw, allowed = [], {}, 0.0
        for arm in layouts(given.shelf) if given.layouts else arms(given.shelf):
            shop = bench.open(arm.layout)
            run = await replay(shop, arm, steps, popular)
            rows.append(figures(arm, run, engine))
            raw[arm.name] = [asdict(answer) for answer in run.answers]
            if arm.name == "ours warmed":
                allowed = percentile([answer.own for answer in run.answers], 0.5)
                allowed += engine.books.block_tokens
            print(rows[-1], flush=True)
    finally:
        await engine.close()
    told = {} if given.layouts else judged(rows, allowed)
    report = {"machine": machine(), "seed": SEED, "rows": rows, "judged": told, "raw": raw}
    path = save("layouts" if given.layouts else "prefix", report)
    print(f"\n{table(rows)}\n\nraw data: {path}\n{json.dumps(told)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--catalog", type=Path, required=True)
    parser.add_argument("--asked", type=Path, nargs="+", required=True)
    parser.add_argument("--model", type=Path, default=Path(".hotshelf/models/gemma-3-270m"))
    parser.add_argument(
        "--vectors", type=Path, default=Path(tempfile.gettempdir(), "prefix-vectors")
    )
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--shelf", type=int, default=100, help="products on the shelf")
    parser.add_argument("--max-tokens", type=int, default=24)
    parser.add_argument("--layouts", action="store_true", help="compare layouts instead of arms")
    asyncio.run(main(parser.parse_args()))
