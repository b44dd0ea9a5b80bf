"""What the catalogue's routes work with, made from one connection to Redis."""

from dataclasses import dataclass, field

from redis.asyncio import Redis

from catalog.imports import Importer
from catalog.pins import Pins
from catalog.policies import PolicyStore
from catalog.questions import SavedQuestions
from catalog.store import CatalogStore
from catalog.synonyms import SynonymStore
from serving.answer_previews import AnswerPreviews
from serving.body import BodyConfig
from serving.import_jobs import ImportJobs
from serving.product_search import ProductSearch
from serving.tokens import Tokens
from serving.upload import UploadConfig


@dataclass(frozen=True, slots=True)
class CatalogConfig:
    """`body`: of one product. `shown_wait_s`: how long an acknowledgement waits to be seen."""

    body: BodyConfig = field(default_factory=lambda: BodyConfig(max_bytes=4 * 1024 * 1024))
    upload: UploadConfig = field(default_factory=UploadConfig)
    shown_wait_s: float = 1.0


@dataclass(frozen=True, slots=True)
class CatalogServices:
    """The catalogue as it is stored, and who may change it."""

    store: CatalogStore
    tokens: Tokens
    pins: Pins
    questions: SavedQuestions
    synonyms: SynonymStore
    policies: PolicyStore
    imports: Importer
    jobs: ImportJobs
    answers: AnswerPreviews
    search: ProductSearch
    config: CatalogConfig

    @classmethod
    def on(
        cls, redis: Redis, redis_url: str, config: CatalogConfig | None = None
    ) -> "CatalogServices":
        """The catalogue that lies in `redis`, to which processes of imports connect by URL.

        Whoever makes it closes it at the end.
        """
        store = CatalogStore(redis)
        imports, questions = Importer(redis, store), SavedQuestions(redis)
        return cls(
            store,
            Tokens(redis),
            Pins(redis),
            questions,
            SynonymStore(redis),
            PolicyStore(redis),
            imports,
            ImportJobs(redis, redis_url, imports.records),
            AnswerPreviews(questions, imports.aftermaths),
            ProductSearch(),
            config or CatalogConfig(),
        )

    async def close(self) -> None:
        """End what goes on behind."""
        await self.answers.close()
        await self.jobs.close()
