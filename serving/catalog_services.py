"""What the catalogue's routes work with, made from one connection to Redis."""

from dataclasses import dataclass, field

from redis.asyncio import Redis

from catalog.store import CatalogStore
from serving.body import BodyConfig
from serving.product_search import ProductSearch
from serving.tokens import Tokens


@dataclass(frozen=True, slots=True)
class CatalogConfig:
    """`body`: of one product. `shown_wait_s`: how long an acknowledgement waits for this shelf."""

    body: BodyConfig = field(default_factory=lambda: BodyConfig(max_bytes=4 * 1024 * 1024))
    shown_wait_s: float = 1.0


@dataclass(frozen=True, slots=True)
class CatalogServices:
    """The catalogue as it is stored, and who may change it."""

    store: CatalogStore
    tokens: Tokens
    search: ProductSearch = field(default_factory=ProductSearch)
    config: CatalogConfig = field(default_factory=CatalogConfig)

    @classmethod
    def on(cls, redis: Redis, config: CatalogConfig | None = None) -> "CatalogServices":
        """The catalogue that lies in `redis`."""
        return cls(CatalogStore(redis), Tokens(redis), config=config or CatalogConfig())
