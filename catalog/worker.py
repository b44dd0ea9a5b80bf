"""An import in a process of its own, so that shoppers do not wait for the reading of a large file.

`python -m catalog.worker` reads one line of JSON, `{"redis", "import_id", "actor", "action"}`, and
does it at low priority; how it went is in the import's record.
"""

import asyncio
import json
import os
import signal
import sys
from typing import Literal

from redis.exceptions import RedisError

from catalog.import_records import ImportBusyError, ImportUnknownError
from catalog.imports import Importer
from catalog.redis_client import connect
from catalog.store import CatalogStore
from catalog.writes import StaleImportError

Action = Literal["preview", "apply", "undo"]

_NICE = 10
_PATIENCE_S = 60.0
"""Seconds that one write of a large import may take."""
FAILED = 1
"""Exit code when the store failed; the import can be applied again."""
TAKEN = 3
"""Exit code when the import could not be worked on: unknown, busy, or taken over by another."""
BROKEN_OFF = 4
"""Exit code after SIGTERM; the import says so, and can be applied again."""


async def run_in_process(redis_url: str, import_id: str, action: Action, *, actor: str = "") -> int:
    """Start it and wait for its end; its exit code: 0, `TAKEN`, or another for a failure."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "catalog.worker", stdin=asyncio.subprocess.PIPE
    )
    job = {"redis": redis_url, "import_id": import_id, "action": action, "actor": actor}
    await process.communicate(json.dumps(job).encode())
    return process.returncode or 0


async def _work(job: dict[str, str]) -> int:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with connect(job["redis"], _PATIENCE_S) as redis:
        importer = Importer(redis, CatalogStore(redis))
        try:
            if job["action"] == "undo":
                await importer.undo(job["import_id"], actor=job["actor"])
            elif job["action"] == "preview":
                await importer.preview(job["import_id"])
            else:
                await importer.apply(job["import_id"])
        except (ImportBusyError, ImportUnknownError, StaleImportError):
            return TAKEN
        except asyncio.CancelledError:
            return BROKEN_OFF
        except (RedisError, OSError) as error:
            sys.stderr.write(f"import {job['import_id']}: {error}\n")
            return FAILED
    return 0


def main() -> int:
    """The process."""
    os.nice(_NICE)
    return asyncio.run(_work(json.loads(sys.stdin.readline())))


if __name__ == "__main__":
    sys.exit(main())
