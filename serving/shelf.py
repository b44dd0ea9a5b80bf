"""The hot shelf of a gateway: made, warmed before it is ready, and kept warm from then on."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from redis.asyncio import Redis
from redis.exceptions import RedisError

from catalog.product import Locale, Product
from catalog.traffic import Members, Place, Traffic
from pipeline.engine import Engine, EngineError
from pipeline.prompt import PromptBuilder
from pipeline.records import Records
from pipeline.sessions import SessionStore, SessionUnknownError, StoreUnavailableError
from pipeline.types import Turn
from pipeline.warming.idle import Idle
from pipeline.warming.pages import Pages, PageStatus
from pipeline.warming.shelf import Shelf, ShelfStatus
from pipeline.warming.turns import Alone, Turns
from pipeline.warming.warmer import Warmer
from serving import configs
from serving.admission import Admission
from serving.engine_cache import EngineCache
from serving.metrics import Metrics
from serving.settings import Settings
from serving.shared_turns import SharedTurns
from serving.startup import Progress, StartError
from serving.text import detect_locale
from serving.warm_limits import WarmLimits

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Beside:
    """What the shelf works with."""

    engine: Engine
    cache: EngineCache
    records: Records
    prompts: PromptBuilder
    redis: Redis
    sessions: SessionStore
    admission: Admission
    metrics: Metrics


class HotShelf:
    """The shelf as routes know it. One event loop."""

    def __init__(self, settings: Settings, beside: Beside) -> None:
        self._records, self._prompts = beside.records, beside.prompts
        self._sessions = beside.sessions
        self._admission = beside.admission
        self._page_weight = settings.page_open_weight
        self._limits = WarmLimits(beside.redis, configs.warm_limits(settings))
        self._members: Members = ()
        self.traffic = Traffic(beside.redis, configs.traffic(settings))
        self._shelf, self.warmer = _warmer(settings, beside)
        self._warming: asyncio.Task[None] | None = None

    def asked(self, place: Place) -> None:
        """Count a question."""
        self.traffic.hit(place)

    def used(self, place: Place) -> None:
        """The engine has just used its prefix."""
        self.warmer.used(place)

    def use(self, members: Members) -> None:
        """These are on the shelf now."""
        places, before = [[m.place for m in found] for found in (members, self._members)]
        self._members = members
        if places != before:
            self._shelf.use(members)
            self.warmer.wake()

    def status(self) -> ShelfStatus:
        """How far it is."""
        return self.warmer.status()

    async def open_page(
        self, product: Product, locale: Locale | None, session_id: str | None, address: str
    ) -> PageStatus:
        """Have its prefix warmed in the next idle moment. Raises `ApiError`.

        Where requests wait for a place, there will be none soon enough.
        """
        await self._limits.check(address, session_id)
        turns = await self._turns(session_id)
        spoken = locale or (detect_locale(turns[-1].question) if turns else product.locale)
        self.traffic.hit(Place(product.id, spoken), self._page_weight)
        if self._admission.waiting:
            return "busy"
        product = self._records.get(product.id) or product
        return self.warmer.open_page(self._prompts.prefix(product, spoken, turns))

    def stop(self) -> None:
        """Warm nothing more."""
        if self._warming is not None:
            self._warming.cancel()

    async def _turns(self, session_id: str | None) -> tuple[Turn, ...]:
        """The conversation so far; where it cannot be read, a question would begin a new one."""
        if session_id is None:
            return ()
        try:
            return await self._sessions.history(session_id)
        except (SessionUnknownError, StoreUnavailableError):
            return ()

    async def begin(self, settings: Settings, progress: Progress) -> None:
        """Warm the heads, then the shelf for as long as a start may take. Raises `StartError`."""
        heads = self._prompts.heads()
        with progress.step("Warming the static heads") as note:
            try:
                await self.warmer.warm_heads()
            except EngineError as error:
                raise StartError(f"the engine does not answer: {error}") from error
            note(", ".join(f"{locale} {len(ids)} tokens" for locale, ids in heads.items()))
        with suppress(RedisError, OSError):
            self.use(await self.traffic.exchange())
        if not self._members:
            return
        with progress.step("Warming the hot shelf") as note:
            await self.warmer.start(
                settings.warm_start_s, lambda at: note(f"{at.warm} of {at.members} products")
            )

    @asynccontextmanager
    async def kept(self) -> AsyncGenerator[None, None]:
        """Follow the traffic and keep it warm meanwhile; the last hits are written at the end."""
        following = asyncio.create_task(self.traffic.follow(self.use))
        self._warming = asyncio.create_task(self.warmer.run())
        self._warming.add_done_callback(_log_failure)
        self._records.follow(lambda *_: self.warmer.wake())
        try:
            yield
        finally:
            following.cancel()
            self._warming.cancel()
            await asyncio.wait({following, self._warming})
            with suppress(RedisError, OSError):
                await self.traffic.exchange()


@asynccontextmanager
async def hot_shelf(
    settings: Settings, beside: Beside, progress: Progress
) -> AsyncGenerator[HotShelf, None]:
    """The shelf, as warm as a start allows, and kept so until this is left."""
    shelf = HotShelf(settings, beside)
    beside.metrics.shelf.watch(shelf.status)
    await shelf.begin(settings, progress)
    async with shelf.kept():
        yield shelf


def _warmer(settings: Settings, beside: Beside) -> tuple[Shelf, Warmer]:
    engine, cache, report = beside.engine, beside.cache, beside.metrics.shelf
    ledger = cache.books.ledger
    shelf = Shelf(beside.records, beside.prompts, ledger, cache.cache_tokens)
    warmer = Warmer(
        engine,
        shelf,
        Pages(ledger, report),
        ledger,
        cache.pace,
        Idle(beside.admission, engine),
        _turns_of(settings, beside.redis),
        report,
        configs.warmer(settings),
    )
    warmer.is_paused = not settings.warming
    return shelf, warmer


def _turns_of(settings: Settings, redis: Redis) -> Turns:
    """An engine in this process is used by nobody else."""
    return Alone() if settings.engine_url is None else SharedTurns(redis, settings.engine_url)


def _log_failure(task: "asyncio.Task[None]") -> None:
    """Shoppers are answered without it, too; but nobody should be left to wonder."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("warming has ended", exc_info=error)
