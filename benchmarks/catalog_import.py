"""How long 100,000 rows take to be parsed, checked and stored, and in how much memory."""

import asyncio
import resource
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
from redis.asyncio import Redis

from benchmarks.shopify_file import write_shopify_file
from catalog.import_records import ImportOptions
from catalog.imports import Importer
from catalog.store import CatalogStore
from catalog.uploads import chunks
from catalog.worker import run_in_process


async def measure_import(redis_url: str, folder: Path, rows: int) -> dict[str, Any]:
    """One import into the catalogue at `redis_url`, in a process of its own, as a server does it.

    The catalogue is emptied before and after. Times in seconds, memory in MiB.
    """
    file = folder / "shop.csv"
    products = await asyncio.to_thread(write_shopify_file, file, rows)
    async with Redis.from_url(redis_url) as redis:
        await redis.flushdb()
        importer = Importer(redis, CatalogStore(redis))
        began = time.perf_counter()
        with file.open("rb") as opened:
            import_id = await importer.receive(
                chunks(opened), file.name, actor="benchmark", options=ImportOptions(currency="USD")
            )
        received = time.perf_counter()
        status = await run_in_process(redis_url, import_id, "apply")
        stored = time.perf_counter()
        record = await importer.records.get(import_id)
        memory = await redis.info("memory")
        await redis.flushdb()
    if status != 0 or record.state != "applied":
        raise RuntimeError(f"the import is {record.state}: {record.error}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {
        "rows": rows,
        "products": products,
        "file_mib": round(file.stat().st_size / 1024 / 1024, 1),
        "counts": msgspec.to_builtins(record.rows),
        "receive_s": round(received - began, 2),
        "parse_check_store_s": round(stored - received, 2),
        "peak_mib": round(peak, 1),
        "redis_peak_mib": round(memory["used_memory_peak"] / 1024 / 1024, 1),
    }


def told(figures: dict[str, Any]) -> str:
    """The figures in a line."""
    return (
        f"{figures['rows']:,} rows ({figures['file_mib']} MiB) parsed, checked and stored in "
        f"{figures['parse_check_store_s']} s, {figures['peak_mib']} MiB at most"
    )


if __name__ == "__main__":
    sys.exit("run it as `python -m benchmarks.catalog`")
