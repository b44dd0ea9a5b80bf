"""What does warming give a shopper, and what does it cost the others? One server, one run.

    python -m benchmarks.warming [--model FOLDER] [--questions 320] [--pages 40]

Page open: first questions about products that nobody asked about, half of them after the page was
warmed (`POST /chat/warm`, as a widget does when it opens), taken in turns.
Under load: shoppers arrive at random and ask about popular products; in every other stretch of
questions pages of other products are warmed all the time, in the others nothing is.
"""

import argparse
import asyncio
import json
import random
import tempfile
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from benchmarks.client import Answer, ask_chat
from benchmarks.report import machine, percentile, save, summary, table
from benchmarks.servers import hotshelf_server
from benchmarks.workload import zipf_weights
from catalog.demo import demo_products
from catalog.product import Locale, Product

SEED = 20261201
MAX_TOKENS = 16
STRETCH = 20
"""Questions until warming is switched on or off."""
POPULAR = 40
WORDING: dict[Locale, str] = {"en": "How much is it?", "zh": "多少钱？"}


class Shoppers:
    """Asks one server."""

    def __init__(self, client: httpx.AsyncClient, url: str, draw: random.Random) -> None:
        self._client, self._url, self._draw = client, url, draw

    async def ask(self, product: Product) -> Answer:
        """One question on a product's page."""
        text = WORDING[product.locale]
        body = {"message": text, "sku": product.id, "locale": product.locale}
        return await ask_chat(self._client, self._url, body)

    async def warm(self, product: Product) -> str:
        """A page opens; what comes of it."""
        body = {"sku": product.id, "locale": product.locale}
        reply = await self._client.post(f"{self._url}/chat/warm", json=body)
        reply.raise_for_status()
        return str(reply.json()["status"])

    async def warmed(self, product: Product) -> None:
        """A page opens, and its shopper reads a while. Raises TimeoutError if it gets not warm."""
        async with asyncio.timeout(20):
            while await self.warm(product) != "warm":  # noqa: ASYNC110  the server tells no event
                await asyncio.sleep(0.2)

    async def arrive(self, products: Sequence[Product], count: int, rate: float) -> list[Answer]:
        """`count` shoppers, on average `rate` a second, whoever is still being answered."""
        weights = zipf_weights(len(products))
        going = []
        for product in self._draw.choices(products, weights, k=count):
            going.append(asyncio.create_task(self.ask(product)))
            await asyncio.sleep(self._draw.expovariate(rate))
        return await asyncio.gather(*going)


@asynccontextmanager
async def opening_pages(shoppers: Shoppers, products: Iterator[Product]) -> AsyncGenerator[None]:
    """Pages open all the time, three in a second."""

    async def go() -> None:
        for product in products:
            await shoppers.warm(product)
            await asyncio.sleep(1 / 3)

    task = asyncio.create_task(go())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def page_open(shoppers: Shoppers, products: Sequence[Product]) -> dict[str, list[Answer]]:
    """First questions, every other product's page warmed before."""
    found: dict[str, list[Answer]] = {"not warmed": [], "warmed": []}
    for number, product in enumerate(products):
        arm = "warmed" if number % 2 else "not warmed"
        if arm == "warmed":
            await shoppers.warmed(product)
        found[arm].append(await shoppers.ask(product))
    return found


async def under_load(
    shoppers: Shoppers,
    popular: Sequence[Product],
    others: Sequence[Product],
    count: int,
    rate: float,
) -> dict[str, list[Answer]]:
    """`count` questions in stretches, in every other one of which pages are warmed."""
    found: dict[str, list[Answer]] = {"warming off": [], "warming on": []}
    pages = iter(others)
    for stretch in range(-(-count // STRETCH)):
        if stretch % 2:
            async with opening_pages(shoppers, pages):
                found["warming on"] += await shoppers.arrive(popular, STRETCH, rate)
        else:
            found["warming off"] += await shoppers.arrive(popular, STRETCH, rate)
        await asyncio.sleep(2.5)  # what is still queued gets stale
    return found


def rows(found: dict[str, list[Answer]]) -> list[dict[str, Any]]:
    """A row for each arm."""
    return [
        {
            "arm": arm,
            **summary([answer.ttft * 1e3 for answer in answers]),
            "uncached p50": percentile([_uncached(answer) for answer in answers], 0.5),
        }
        for arm, answers in found.items()
    ]


def _uncached(answer: Answer) -> int:
    return (answer.tokens["prompt"] or 0) - (answer.tokens["cached"] or 0)


async def main(given: argparse.Namespace) -> None:
    draw = random.Random(SEED)
    products = [p for p in demo_products() if len(p.variants) == 1]
    draw.shuffle(products)
    popular, rest = products[:POPULAR], products[POPULAR:]
    opened, others = rest[: given.pages], rest[given.pages :]
    with tempfile.TemporaryDirectory(prefix="hotshelf-bench-") as folder:
        settings = {
            "model": str(given.model),
            "data_dir": f"{folder}/data",
            "max_tokens": str(MAX_TOKENS),
            "shelf_products": "1",
            "warm_per_address": "100000",
        }
        async with (
            hotshelf_server(Path(folder, "hotshelf.log"), **settings) as url,
            httpx.AsyncClient(timeout=60.0) as client,
        ):
            shoppers = Shoppers(client, url, draw)
            for product in popular:
                await shoppers.ask(product)
            pages = await page_open(shoppers, opened)
            load = await under_load(shoppers, popular, others, given.questions, given.rate)
    steps = [a.tpot_ms for answers in load.values() for a in answers if a.tpot_ms]
    report: dict[str, Any] = {
        "pages": rows(pages),
        "load": rows(load),
        "engine step p50 ms": percentile(steps, 0.5),
    }
    print(f"first questions, client TTFT, ms\n{table(report['pages'])}\n")
    print(f"under load, client TTFT, ms\n{table(report['load'])}\n")
    print(f"engine step (tpot p50): {report['engine step p50 ms']:.1f} ms")
    print(f"raw data: {save('warming', {'machine': machine(), 'seed': SEED, **report})}")
    print(json.dumps(report))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", type=Path, default=Path(".hotshelf/models/gemma-3-270m"))
    parser.add_argument("--questions", type=int, default=320)
    parser.add_argument("--pages", type=int, default=80)
    parser.add_argument("--rate", type=float, default=1.0, help="shoppers in a second")
    asyncio.run(main(parser.parse_args()))
