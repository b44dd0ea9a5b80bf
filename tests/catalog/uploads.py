"""Imports in one call, and edits by someone else in the middle of one."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from redis.asyncio import Redis

from catalog.import_records import ImportOptions, ImportRecord
from catalog.import_work import Watch
from catalog.imports import Importer
from catalog.plan import Change
from catalog.store import CatalogStore

HEAD = "product_id,sku,title,price,stock\n"


def table(*rows: str) -> str:
    """A plain table with ids, SKUs, titles, prices and stock."""
    return HEAD + "".join(f"{row}\n" for row in rows)


async def receive(importer: Importer, text: str | bytes, **options: Any) -> str:
    """Upload a file; prices without currency are in USD."""

    async def file() -> AsyncIterator[bytes]:
        yield text if isinstance(text, bytes) else text.encode()

    chosen = ImportOptions(**{"currency": "USD"} | options)
    return await importer.receive(file(), "goods.csv", actor="ann", options=chosen)


async def apply(
    importer: Importer, text: str | bytes, watch: Watch | None = None, **options: Any
) -> ImportRecord:
    """Upload a file and apply it."""
    return await importer.apply(await receive(importer, text, **options), watch)


def meanwhile(redis_url: str, edit: Callable[[CatalogStore], Coroutine[Any, Any, Any]]) -> Watch:
    """Someone else's edit, done at the first change that an import finds and before it goes on."""
    done = False

    async def edit_by_another() -> None:
        async with Redis.from_url(redis_url) as redis:
            await edit(CatalogStore(redis))

    def watch(_: Change) -> None:
        nonlocal done
        if not done:
            done = True
            thread = threading.Thread(target=asyncio.run, args=(edit_by_another(),))
            thread.start()
            thread.join()

    return watch
