"""What the routes work with: one immutable object, made in `serving/bootstrap.py`."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from redis.asyncio import Redis

from catalog.product import Locale, Product, Variant
from catalog.traffic import Place
from pipeline.engine import Engine
from pipeline.found import Found
from pipeline.timing import DEFAULT_BUDGET_MS, Stage, StageTimings
from pipeline.types import Event, Question, Turn
from pipeline.warming.pages import PageStatus
from pipeline.warming.shelf import ShelfStatus
from serving.access import Access
from serving.admission import Admission
from serving.answer_previews import Foreseeing, NothingForeseen
from serving.body import BodyConfig
from serving.catalog_services import CatalogServices
from serving.metrics import Metrics
from serving.schemas import Limits
from serving.sse import StreamConfig


class Answerer(Protocol):
    """Who answers: `pipeline.chat.Chat`."""

    def answer(self, question: Question, timings: StageTimings) -> AsyncGenerator[Event, None]:
        """Events of one answer, `Done` last; closing it stops the engine's work."""
        ...


class Records(Protocol):
    """What routes ask of the products in memory: `pipeline.records.Records`."""

    @property
    def version(self) -> int:
        """The catalogue version shown."""
        ...

    def __len__(self) -> int: ...

    def products(self) -> tuple[Product, ...]:
        """All of them."""
        ...

    def resolve(self, reference: str) -> tuple[Product, Variant | None] | None:
        """The page that a SKU or a product id stands for."""
        ...


class Encoding(Protocol):
    """What goes on behind: `pipeline.refresh.Refresher`."""

    @property
    def pending(self) -> int:
        """Products whose text is not yet searchable as it is now."""
        ...


class Finding(Protocol):
    """What finds products: `pipeline.finder.Finder`."""

    async def find(self, question: Question, turns: Sequence[Turn], timings: StageTimings) -> Found:
        """What `question` is about after `turns`."""
        ...


class NothingFound:
    """Where nothing is searched."""

    async def find(self, question: Question, turns: Sequence[Turn], timings: StageTimings) -> Found:
        """Nothing."""
        return Found()


class NothingToEncode:
    """Where nothing changes."""

    pending = 0


class Shelf(Protocol):
    """What routes ask of the hot shelf: `serving.shelf.HotShelf`."""

    def asked(self, place: Place) -> None:
        """A shopper was answered about this."""
        ...

    def used(self, place: Place) -> None:
        """The engine has just used its prefix."""
        ...

    async def open_page(
        self, product: Product, locale: Locale | None, session_id: str | None, address: str
    ) -> PageStatus:
        """A shopper opened its page. Raises `ApiError` for one who does so too often."""
        ...

    def status(self) -> ShelfStatus:
        """How far it is."""
        ...

    def stop(self) -> None:
        """Warm nothing more."""
        ...


class EmptyShelf:
    """Where nothing is warmed."""

    def asked(self, place: Place) -> None:
        """Not counted."""

    def used(self, place: Place) -> None:
        """Not noted."""

    async def open_page(
        self, product: Product, locale: Locale | None, session_id: str | None, address: str
    ) -> PageStatus:
        """There is never a moment for it."""
        return "busy"

    def status(self) -> ShelfStatus:
        """Nothing is on it."""
        return ShelfStatus(0, 0)

    def stop(self) -> None:
        """Nothing goes on."""


@dataclass(frozen=True, slots=True)
class HttpConfig:
    """How requests are read and streams are sent.

    `budget_ms`: what a stage may take, beyond which the `timing` event names it.
    `ready_timeout_s`: how long each check of /readyz may take.
    """

    limits: Limits = field(default_factory=Limits)
    body: BodyConfig = field(default_factory=BodyConfig)
    stream: StreamConfig = field(default_factory=StreamConfig)
    budget_ms: Mapping[Stage, float] = field(default_factory=lambda: dict(DEFAULT_BUDGET_MS))
    ready_timeout_s: float = 2.0


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that a request may need. `model` is the id of the model that answers."""

    chat: Answerer
    engine: Engine
    records: Records
    redis: Redis
    admission: Admission
    metrics: Metrics
    access: Access
    model: str
    catalog: CatalogServices
    finder: Finding = field(default_factory=NothingFound)
    encoding: Encoding = field(default_factory=NothingToEncode)
    foresight: Foreseeing = field(default_factory=NothingForeseen)
    shelf: Shelf = field(default_factory=EmptyShelf)
    http: HttpConfig = field(default_factory=HttpConfig)
