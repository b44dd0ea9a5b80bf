"""A server that follows a small catalogue, and browsers of a kind: cookies kept."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import cast

import httpx
import pytest
from redis.asyncio import Redis

from catalog.changes import CatalogChange, ChangeFeed
from catalog.product import Product
from pipeline.records import Records
from serving.catalog_services import CatalogConfig, CatalogServices
from serving.services import Services
from serving.tokens import ROLES, Role
from serving.upload import UploadConfig
from tests.catalog.make import product, variant
from tests.serving.conftest import redis, services_on
from tests.serving.fakes import WrittenFinder
from tests.serving.server import serving

__all__ = ["redis"]

SHIRT = product(
    "shirt",
    variant("SH-BLK", "30.00", 4, color="black"),
    variant("SH-WHT", "30.00", 0, color="white"),
    title="Linen Shirt",
)
_CSRF = re.compile(r'name="csrf" value="([\w-]+)"')


@dataclass(frozen=True)
class Person:
    """Someone at a browser."""

    client: httpx.AsyncClient

    async def get(self, path: str, **query: str) -> httpx.Response:
        return await self.client.get(path, params=query or None)

    async def csrf(self, path: str = "/admin") -> str:
        """What the forms of a page carry."""
        found = _CSRF.search((await self.client.get(path)).text)
        assert found is not None
        return found[1]

    async def post(self, path: str, **form: str) -> httpx.Response:
        """Send a form of the page that one is on."""
        form.setdefault("csrf", await self.csrf())
        return await self.client.post(path, data=form)

    async def sign_in(self, token: str) -> httpx.Response:
        csrf = await self.csrf("/admin/login")
        return await self.client.post("/admin/login", data={"csrf": csrf, "token": token})


@dataclass(frozen=True)
class Admin:
    """A running server, its services, and somebody of each role who is signed in."""

    services: Services
    url: str
    tokens: dict[Role, str]
    people: dict[Role, Person]
    stranger: Person

    @property
    def editor(self) -> Person:
        return self.people["edit"]

    async def stored(self, product_id: str = "shirt") -> Product:
        found = await self.services.catalog.store.get(product_id)
        assert found is not None
        return found


@pytest.fixture
async def admin_services(
    redis: Redis, redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Services]:
    """Services whose records follow the catalogue."""
    upload = UploadConfig(tmp_path_factory.mktemp("uploads"), max_bytes=1024 * 1024, idle_s=5)
    catalog = CatalogServices.on(redis, redis_url, CatalogConfig(upload=upload))
    services = replace(services_on(redis, redis_url), catalog=catalog, finder=WrittenFinder())
    await catalog.store.put([SHIRT], actor="setup")
    records = cast(Records, services.records)
    start = await catalog.store.load()
    records.replace(start.products, start.version)

    async def apply(change: CatalogChange) -> None:
        records.apply(change.upserts, change.removed, change.version)

    following = asyncio.create_task(ChangeFeed(catalog.store, apply).run(start))
    yield services
    following.cancel()
    await asyncio.wait({following})
    await catalog.close()


@pytest.fixture
async def admin(admin_services: Services) -> AsyncIterator[Admin]:
    """The server, and people who are signed in."""
    tokens = {role: await admin_services.catalog.tokens.create(role, role) for role in ROLES}
    async with serving(admin_services) as port, AsyncExitStack() as stack:
        url = f"http://127.0.0.1:{port}"

        async def person() -> Person:
            client = httpx.AsyncClient(
                base_url=url, timeout=20, verify=False, headers={"Accept-Language": "en"}
            )
            return Person(await stack.enter_async_context(client))

        people = {role: await person() for role in ROLES}
        for role, someone in people.items():
            assert (await someone.sign_in(tokens[role])).status_code == 303
        yield Admin(admin_services, url, tokens, people, await person())
