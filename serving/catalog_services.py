"""What the catalogue's routes work with, made from one connection to Redis."""

from dataclasses import dataclass, field

from redis.asyncio import Redis

from catalog.imports import Importer
from catalog.pins import Pins
from catalog.store import CatalogStore
from serving.body import BodyConfig
from serving.import_jobs import ImportJobs
from serving.product_search import ProductSearch
from serving.tokens import Tokens
from serving.upload import UploadConfig


@dataclass(frozen=True, slots=True)
class CatalogConfig:
    """`body`: of one product. `shown_wait_s`: how long an acknowledgement waits for this shelf."""

    body: BodyConfig = field(default_factory=lambda: BodyConfig(max_bytes=4 * 1024 * 1024))
    upload: UploadConfig = field(default_factory=UploadConfig)
    shown_wait_s: float = 1.0


@dataclass(frozen=True, slots=True)
class CatalogServices:
    """The catalogue as it is stored, and who may change it."""

    store: CatalogStore
    tokens: Tokens
    pins: Pins
    imports: Importer
    jobs: ImportJobs
    search: ProductSearch
    config: CatalogConfig

    @classmethod
    def on(
        cls, redis: Redis, redis_url: str, config: CatalogConfig | None = None
    ) -> "CatalogServices":
        """The catalogue that lies in `redis`, to which processes of imports connect by URL.

        Whoever makes it closes `jobs` at the end.
        """
        store = CatalogStore(redis)
        imports = Importer(redis, store)
        return cls(
            store,
            Tokens(redis),
            Pins(redis),
            imports,
            ImportJobs(redis, redis_url, imports.records),
            ProductSearch(),
            config or CatalogConfig(),
        )
