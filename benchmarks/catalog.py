"""What it costs to change the catalogue while shoppers ask: `python -m benchmarks.catalog`.

(a) 100,000 rows of a Shopify export: seconds and memory. (b) Two gateway processes over one Redis,
with an engine that answers at once: how soon a change is in the next answer, and what the changes
cost the shoppers. Prints JSON last.
"""

import argparse
import asyncio
import json
import tempfile
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from redis.asyncio import Redis

from benchmarks.catalog_freshness import Load, Pace, run_busy, run_quiet
from benchmarks.catalog_import import measure_import, told
from benchmarks.report import machine, save
from benchmarks.servers import hotshelf_server, scripted_server
from benchmarks.workload import questions
from catalog.demo import demo_products
from serving.embedded_redis import EmbeddedRedis, EmbeddedRedisConfig
from serving.tokens import Tokens

GATEWAYS = 2


async def measure_freshness(
    redis_url: str, folder: Path, settings: dict[str, str], pace: Pace
) -> dict[str, Any]:
    """Two gateways over the demo shop: quiet first, then with changes."""
    products = demo_products()
    count = int(pace.questions_per_s * pace.seconds)
    async with AsyncExitStack() as stack:
        engine = await stack.enter_async_context(scripted_server(folder / "engine.log"))
        gateways = [
            await stack.enter_async_context(
                hotshelf_server(
                    folder / f"gateway-{number}.log",
                    redis_url,
                    engine_url=engine,
                    **settings,
                )
            )
            for number in range(GATEWAYS)
        ]
        async with Redis.from_url(redis_url) as redis:
            token = await Tokens(redis).create("benchmark", "edit")
        headers = {"Authorization": f"Bearer {token}"}
        limits = httpx.Limits(max_connections=None, keepalive_expiry=2.0)  # the server's is 5 s
        client = await stack.enter_async_context(httpx.AsyncClient(timeout=30, limits=limits))

        def load() -> Load:
            return Load(gateways, client, headers)

        await run_quiet(load(), questions(products, count, seed=0), replace(pace, seconds=5.0))
        quiet, busy = load(), load()
        print(f"Quiet: {count} questions", flush=True)
        await run_quiet(quiet, questions(products, count, seed=1), pace)
        print(f"Busy: {count} questions, {pace.changes_per_s:g} changes a second", flush=True)
        await run_busy(busy, questions(products, count, seed=2), products, pace)
    found, before = busy.report(), quiet.report()
    ratio = found["before_engine_ms"]["p99"] / before["before_engine_ms"]["p99"]
    return {"quiet": before, "busy": found, "before_engine_p99_ratio": round(ratio, 2)}


async def run(given: argparse.Namespace) -> dict[str, Any]:
    """Both questions, or the one that is asked."""
    report: dict[str, Any] = {"machine": machine()}
    pace = Pace(given.seconds, given.changes, given.questions)
    with tempfile.TemporaryDirectory(prefix="hotshelf-bench-") as name:
        folder = Path(name)
        settings = {"data_dir": str(given.data_dir or folder / "data")}
        settings |= {"model": str(given.model)} if given.model else {}
        redis = EmbeddedRedis(EmbeddedRedisConfig(folder / "redis"))
        await redis.start()
        try:
            if given.only in (None, "import"):
                report["import"] = await measure_import(redis.url, folder, given.rows)
                print(told(report["import"]), flush=True)
            if given.only in (None, "freshness"):
                report["freshness"] = await measure_freshness(redis.url, folder, settings, pace)
        finally:
            await redis.close()
    return report


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="benchmarks.catalog", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="of the file that is imported")
    parser.add_argument("--seconds", type=float, default=100.0, help="each, quiet and busy")
    parser.add_argument("--changes", type=float, default=100.0, help="of price or stock, a second")
    parser.add_argument("--questions", type=float, default=10.5, help="of shoppers, a second")
    parser.add_argument("--model", type=Path, help="folder of the tokenizer; else the bundled one")
    parser.add_argument("--data-dir", type=Path, help="where vectors and the model are kept")
    parser.add_argument("--only", choices=("import", "freshness"))
    report = asyncio.run(run(parser.parse_args()))
    save("catalog", report)
    print(json.dumps(report))


if __name__ == "__main__":
    main()
