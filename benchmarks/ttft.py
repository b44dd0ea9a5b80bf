"""What does Hotshelf add to the time to first token of the engine it stands before?

One vLLM API server serves both arms: ours (retrieval, prompt, gateway; by engine URL) and the
bare engine, given the very token ids that ours sends. Before each arm the prefix cache is reset
and the static heads are warmed. Arms alternate: the order of the second round is reversed. Each
round asks its own draw of questions, so that a vector is remembered only where a shopper repeats
a question.

    python -m benchmarks.ttft [--model FOLDER] [--questions 40] [--concurrency 1 4] [--on-page]
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx

from benchmarks.capture import Captured, capture
from benchmarks.client import Answer, ask_chat, ask_engine
from benchmarks.report import machine, percentile, save, summary, table
from benchmarks.servers import hotshelf_server, vllm_server
from benchmarks.workload import ShopperQuestion, questions
from catalog.demo import demo_products
from pipeline.timing import STAGES

MAX_TOKENS = 16
SEED = 20261130
ROUNDS = 2

Ask = Callable[[httpx.AsyncClient, int], Awaitable[Answer]]


class Bench:
    """Both arms over one engine."""

    def __init__(
        self, engine: str, ours: str, asked: Sequence[ShopperQuestion], captured: Captured
    ) -> None:
        """`asked` are all questions there will be, of which each round takes its part."""
        self._engine = engine
        self._ours = ours
        self._asked = asked
        self._captured = captured
        self.arms: dict[str, Ask] = {"bare": self._ask_bare, "hotshelf": self._ask_ours}

    async def _ask_bare(self, client: httpx.AsyncClient, number: int) -> Answer:
        request = self._captured.requests[number]
        return await ask_engine(client, self._engine, self._body(request.token_ids, MAX_TOKENS))

    async def _ask_ours(self, client: httpx.AsyncClient, number: int) -> Answer:
        asked = self._asked[number]
        body: dict[str, Any] = {"message": asked.message, "locale": asked.locale}
        if asked.product_id is not None:
            body["sku"] = asked.product_id
        return await ask_chat(client, self._ours, body)

    def _body(self, token_ids: Sequence[int], max_tokens: int) -> dict[str, Any]:
        return {
            "model": "model",
            "prompt": list(token_ids),
            "max_tokens": max_tokens,
            "temperature": 0.0,
            "stop_token_ids": list(self._captured.requests[0].stop_token_ids),
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    async def prepare(self, client: httpx.AsyncClient) -> None:
        """An empty prefix cache, then the heads in it: the same for every arm."""
        (await client.post(f"{self._engine}/reset_prefix_cache")).raise_for_status()
        for head in self._captured.heads.values():
            body = {**self._body(head, 1), "stream": False}
            del body["stream_options"]
            (await client.post(f"{self._engine}/v1/completions", json=body)).raise_for_status()

    async def run(self, arm: str, concurrency: int, numbers: range) -> list[Answer]:
        """These questions, at most `concurrency` at a time, in the same order for every arm."""
        limits = httpx.Limits(max_connections=concurrency)
        async with httpx.AsyncClient(timeout=120.0, limits=limits) as client:
            await self.prepare(client)
            places = asyncio.Semaphore(concurrency)

            async def one(number: int) -> Answer:
                async with places:
                    return await self.arms[arm](client, number)

            return await asyncio.gather(*map(one, numbers))


async def measure(bench: Bench, concurrency: int, rounds: Sequence[range]) -> dict[str, Any]:
    """Both arms in every round, each time in the other order."""
    answers: dict[str, list[Answer]] = {arm: [] for arm in bench.arms}
    order = list(bench.arms)
    for numbers in rounds:
        for arm in order:
            answers[arm] += await bench.run(arm, concurrency, numbers)
        order.reverse()
    check_alike(answers)
    return {
        "concurrency": concurrency,
        "ttft_ms": {arm: summary([a.ttft * 1e3 for a in got]) for arm, got in answers.items()},
        "stages_ms": stage_table(answers["hotshelf"]),
        "raw": {arm: [asdict(a) for a in got] for arm, got in answers.items()},
    }


def check_alike(answers: dict[str, list[Answer]]) -> None:
    """Raise RuntimeError unless both arms had prompts of the same lengths, in the same order."""
    lengths = {arm: [a.tokens.get("prompt") for a in got] for arm, got in answers.items()}
    if lengths["bare"] != lengths["hotshelf"]:
        raise RuntimeError("the arms were given different prompts: they cannot be compared")


def stage_table(answers: Sequence[Answer]) -> dict[str, dict[str, float]]:
    """p50 and p99 of each stage that ran, as the server's `timing` events tell them."""
    times = {s: [a.stages_ms[s] for a in answers if s in a.stages_ms] for s in STAGES}
    return {
        stage: {
            "n": len(t),
            "p50": round(percentile(t, 0.5), 2),
            "p99": round(percentile(t, 0.99), 2),
        }
        for stage, t in times.items()
        if t
    }


def shown(result: dict[str, Any]) -> str:
    """The tables of one concurrency, for people."""
    ttft = result["ttft_ms"]
    rows = [{"arm": arm, **figures} for arm, figures in ttft.items()]
    added = {p: round(ttft["hotshelf"][p] - ttft["bare"][p], 2) for p in ("p50", "p95", "p99")}
    stages = [{"stage": name, **figures} for name, figures in result["stages_ms"].items()]
    title = f"concurrency {result['concurrency']}: client TTFT, ms; added by Hotshelf: {added}"
    return f"\n{title}\n{table(rows)}\n\n{table(stages)}"


async def main(model: Path, count: int, levels: Sequence[int], on_page: bool) -> None:
    parts = [range(at, at + count) for at in range(0, count * (1 + ROUNDS * len(levels)), count)]
    needed = parts[-1].stop
    asked = questions(demo_products(), 2 * needed, SEED, on_page=on_page)
    captured = await capture(model, asked, MAX_TOKENS)
    reached = captured.asked[:needed]  # the others are answered without the engine
    if len(reached) < needed:
        raise RuntimeError(f"{len(reached)} questions reach the engine, {needed} are needed")
    with tempfile.TemporaryDirectory(prefix="hotshelf-bench-") as folder:
        logs = Path(folder)
        async with (
            vllm_server(model, logs / "vllm.log") as engine,
            hotshelf_server(
                logs / "hotshelf.log",
                engine_url=engine,
                model=str(model),
                data_dir=str(logs / "data"),
                max_tokens=str(MAX_TOKENS),
            ) as ours,
        ):
            bench = Bench(engine, ours, reached, captured)
            warming, *measured = parts
            for arm in bench.arms:
                await bench.run(arm, 1, warming)
            results = [
                await measure(bench, level, measured[at * ROUNDS : (at + 1) * ROUNDS])
                for at, level in enumerate(levels)
            ]
    report = {
        "command": f"python -m benchmarks.ttft --questions {count}" + " --on-page" * on_page,
        "machine": machine(),
        "seed": SEED,
        "max_tokens": MAX_TOKENS,
        "results": results,
    }
    for result in results:
        print(shown(result))
    print(f"\nraw data: {save('ttft-on-page' if on_page else 'ttft', report)}")
    print(json.dumps({r["concurrency"]: r["ttft_ms"] for r in results}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", type=Path, default=Path(".hotshelf/models/gemma-3-270m"))
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[1, 4])
    parser.add_argument(
        "--on-page", action="store_true", help="the product is known from the page: no retrieval"
    )
    chosen = parser.parse_args()
    asyncio.run(main(chosen.model, chosen.questions, chosen.concurrency, chosen.on_page))
