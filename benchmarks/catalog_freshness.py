"""How soon a change of the catalogue is in the next answer, on every process, under load.

Changes and questions come at a fixed pace, whatever the servers do. Every so often a change is
watched: as soon as it is acknowledged, both processes are asked about that product, again and
again until the answer has the new value. How late it was is the moment in which the first question
with the right answer was sent, after the acknowledgement: 0 if the very next one was right.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import httpx

from benchmarks.client import Answer, AnswerError, ask_chat
from benchmarks.report import percentile, summary
from benchmarks.workload import ShopperQuestion
from catalog.product import Product

BEFORE_ENGINE = ("admit", "session", "encode", "search", "hydrate", "render")
_NOVELTIES = (
    *("copper astrolabe", "velvet accordion", "ivory metronome", "bronze sundial"),
    *("glass harmonica", "wooden abacus", "brass sextant", "silver thimble case"),
    *("porcelain inkwell", "leather quiver", "marble mortar", "walnut zoetrope"),
)
_GIVEN_UP_S = 5.0


@dataclass(frozen=True, slots=True)
class Pace:
    """`watch_every`: one change of so many is looked for in answers. Times in seconds."""

    seconds: float = 100.0
    changes_per_s: float = 100.0
    questions_per_s: float = 10.5
    watch_every: int = 20
    text_every_s: float = 5.0


@dataclass(slots=True)
class Load:
    """Two gateways under load, and what was seen of them. Times in milliseconds."""

    gateways: Sequence[str]
    client: httpx.AsyncClient
    headers: dict[str, str]
    acknowledged: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    seen: list[float] = field(default_factory=list)
    stale_answers: int = 0
    searchable: list[float] = field(default_factory=list)
    before_engine: list[float] = field(default_factory=list)
    stages: dict[str, list[float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    _turn: int = 0

    def gateway(self) -> str:
        """One after the other."""
        self._turn += 1
        return self.gateways[self._turn % len(self.gateways)]

    async def question(self, asked: ShopperQuestion) -> None:
        """Ask by search, as shoppers do; note the time before the engine."""
        body = {"message": asked.message, "locale": asked.locale}
        answer = await ask_chat(self.client, self.gateway(), body)
        times = {s: answer.stages_ms[s] for s in BEFORE_ENGINE if s in answer.stages_ms}
        self.before_engine.append(sum(times.values()))
        for stage, spent in times.items():
            self.stages.setdefault(stage, []).append(spent)

    async def change(self, sku: str, value: dict[str, Any]) -> None:
        """Change live facts of one variant; note how long the acknowledgement took."""
        began = time.perf_counter()
        path = f"{self.gateway()}/catalog/variants/{sku}"
        reply = await self.client.patch(path, json=value, headers=self.headers)
        reply.raise_for_status()
        self.acknowledged.append(_ms(began))

    async def watched_change(self, product: Product, number: int) -> None:
        """Change a product's price and availability, and look for them in answers of both."""
        sku = product.variants[0].sku
        price, stock = f"{1000 + number}.{number % 100:02}", number % 2 * 7
        await self.change(sku, {"price": price, "sale_price": None, "stock": stock})
        acknowledged = time.perf_counter()
        wanted = (Decimal(price), "in_stock" if stock else "out_of_stock")

        def right(answer: Answer) -> bool:
            shown = answer.sources[0]["variants"][0]
            return (Decimal(shown["price"]["amount"]), shown["availability"]) == wanted

        body = {"message": "How much is it?", "sku": sku, "locale": "en"}
        await self._until_both(body, right, acknowledged, self.late, self.seen)

    async def text_change(self, product: Product, number: int) -> None:
        """Give a product a new text, and ask for it until search finds it."""
        name = f"{_NOVELTIES[number % len(_NOVELTIES)]} No. {number}"
        locale = product.locale
        path = f"{self.gateway()}/catalog/products/{product.id}"
        text = {"title": name, "description": f"A {name}.", "category": "", "attributes": []}
        patch = {"texts": {locale: text}}
        reply = await self.client.patch(path, json=patch, headers=self.headers)
        reply.raise_for_status()
        acknowledged = time.perf_counter()

        def found(answer: Answer) -> bool:
            return any(source["id"] == product.id for source in answer.sources)

        body = {"message": f"Do you have the {name}?", "locale": "en"}
        await self._until_both(body, found, acknowledged, self.searchable, [])

    async def _until_both(
        self,
        body: dict[str, Any],
        right: Callable[[Answer], bool],
        since: float,
        late: list[float],
        seen: list[float],
    ) -> None:
        await asyncio.gather(
            *(self._until(url, body, right, since, late, seen) for url in self.gateways)
        )

    async def _until(
        self,
        url: str,
        body: dict[str, Any],
        right: Callable[[Answer], bool],
        since: float,
        late: list[float],
        seen: list[float],
    ) -> None:
        """Ask until the answer is right; note when the right one was asked for, and was there."""
        first = True
        while time.perf_counter() - since < _GIVEN_UP_S:
            asked = time.perf_counter()
            if right(await ask_chat(self.client, url, body)):
                late.append(0.0 if first else (asked - since) * 1e3)
                seen.append(_ms(since))
                return
            self.stale_answers += late is self.late
            first = False
            await asyncio.sleep(0.002)
        self.failures.append(f"{body['message']}: not right after {_GIVEN_UP_S:g} s")

    def report(self) -> dict[str, Any]:
        """Milliseconds."""
        named = {
            "acknowledged_ms": self.acknowledged,
            "fresh_after_ms": self.late,
            "fresh_answer_seen_ms": self.seen,
            "searchable_after_ms": self.searchable,
            "before_engine_ms": self.before_engine,
        }
        figures: dict[str, Any] = {k: summary(v) for k, v in named.items() if v}
        stages = {stage: round(percentile(v, 0.99), 2) for stage, v in self.stages.items()}
        return {
            **figures,
            "stages_p99_ms": stages,
            "stale_answers": self.stale_answers,
            "failures": len(self.failures),
            "failure_examples": sorted(set(self.failures))[:3],
        }


async def run_quiet(load: Load, questions: Sequence[ShopperQuestion], pace: Pace) -> None:
    """Questions alone."""
    await _paced(
        pace.questions_per_s, pace.seconds, lambda n: load.question(questions[n]), load.failures
    )


async def run_busy(
    load: Load,
    questions: Sequence[ShopperQuestion],
    products: Sequence[Product],
    pace: Pace,
    seed: int = 1,
) -> None:
    """The same questions, while products change."""
    draw = random.Random(seed)
    shuffled = draw.sample(list(products), len(products))
    watched, renamed, others = shuffled[:60], shuffled[60:80], shuffled[80:]

    async def change(number: int) -> None:
        if number % pace.watch_every == 0:
            turn = number // pace.watch_every
            await load.watched_change(watched[turn % len(watched)], turn)
            return
        variant = draw.choice(draw.choice(others).variants)
        price = f"{draw.randint(100, 99_999) / 100:.2f}"
        facts = {"stock": draw.randint(0, 50)} if number % 2 else {"price": price}
        await load.change(variant.sku, facts)

    await asyncio.gather(
        run_quiet(load, questions, pace),
        _paced(pace.changes_per_s, pace.seconds, change, load.failures),
        _paced(
            1 / pace.text_every_s,
            pace.seconds,
            lambda n: load.text_change(renamed[n % len(renamed)], n),
            load.failures,
        ),
    )


async def _paced(
    per_s: float,
    seconds: float,
    work: Callable[[int], Awaitable[None]],
    failures: list[str],
) -> None:
    """Start `work` at an even pace, however long each takes; wait for all of it."""

    async def done(number: int) -> None:
        try:
            await work(number)
        except (httpx.HTTPError, AnswerError, KeyError) as error:
            failures.append(f"{type(error).__name__}: {error}"[:200])

    began = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for number in range(int(per_s * seconds)):
            await asyncio.sleep(max(0.0, began + number / per_s - time.perf_counter()))
            tasks.create_task(done(number))


def _ms(since: float) -> float:
    return (time.perf_counter() - since) * 1e3
