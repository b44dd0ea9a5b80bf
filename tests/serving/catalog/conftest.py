"""A server with a small catalogue, and one client for each role."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import cast

import httpx
import pytest
from redis.asyncio import Redis

from catalog.product import Product
from catalog.store import CatalogStore
from pipeline.records import Records
from serving.catalog_services import CatalogConfig, CatalogServices
from serving.services import Services
from serving.tokens import ROLES, Role
from serving.upload import UploadConfig
from tests.catalog.make import product, variant
from tests.serving.conftest import services_on
from tests.serving.fakes import WrittenFinder, shirt
from tests.serving.server import serving

SHIRT = product(
    "shirt",
    variant("SH-BLK", "30.00", 4, color="black"),
    variant("SH-WHT", "30.00", 0, color="white"),
    title="Linen Shirt",
)


@dataclass(frozen=True)
class Api:
    """A running server, its services, and clients that hold a token of each role."""

    services: Services
    records: Records
    url: str
    by_role: dict[Role, httpx.AsyncClient]
    nobody: httpx.AsyncClient

    @property
    def store(self) -> CatalogStore:
        return self.services.catalog.store

    @property
    def reader(self) -> httpx.AsyncClient:
        return self.by_role["read"]

    @property
    def editor(self) -> httpx.AsyncClient:
        return self.by_role["edit"]

    @property
    def importer(self) -> httpx.AsyncClient:
        return self.by_role["import"]

    async def stored(self, product_id: str = "shirt") -> Product:
        found = await self.store.get(product_id)
        assert found is not None
        return found


@pytest.fixture(scope="package")
async def running(
    redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Services, str]]:
    """One server for all of these tests; writes are not waited for, since nothing follows them."""
    async with Redis.from_url(redis_url) as redis:
        upload = UploadConfig(tmp_path_factory.mktemp("uploads"), max_bytes=1024 * 1024, idle_s=1)
        config = CatalogConfig(upload=upload, shown_wait_s=0)
        catalog = CatalogServices.on(redis, redis_url, config)
        services = replace(services_on(redis, redis_url), catalog=catalog, finder=WrittenFinder())
        async with serving(services) as port:
            yield services, f"http://127.0.0.1:{port}"
        await catalog.close()


@pytest.fixture
async def api(running: tuple[Services, str]) -> AsyncIterator[Api]:
    """The server with an untouched catalogue, records of the same, and new tokens."""
    services, url = running
    await services.redis.flushdb()
    await services.catalog.store.put([SHIRT], actor="setup")
    records = cast(Records, services.records)
    records.replace((shirt(),), 7)
    tokens = services.catalog.tokens
    async with AsyncExitStack() as stack:

        async def client(token: str | None) -> httpx.AsyncClient:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            return await stack.enter_async_context(
                httpx.AsyncClient(base_url=url, headers=headers, timeout=20, verify=False)
            )

        by_role = {role: await client(await tokens.create(role, role)) for role in ROLES}
        yield Api(services, records, url, by_role, await client(None))
