"""Imports as background work: one at a time in a process of its own, its state in Redis.

The process dies with this one, however that ends. What it was doing is then `interrupted`, and
may be applied anew by any gateway, since the file and all that is known of it lie in Redis.
"""

import asyncio
import contextlib
import json
import logging
import signal
import sys
import time
from collections.abc import Sequence

from redis.asyncio import Redis
from redis.exceptions import RedisError

from catalog.cancellation import obey_cancellation
from catalog.import_records import WORKING, ImportRecord, ImportRecords
from catalog.keys import text
from catalog.worker import TAKEN, Action
from serving import die_with_parent

log = logging.getLogger(__name__)

QUEUED = "queued"
"""The status of an import that waits for its turn, in whichever process."""
_BEAT_S = 1.0
_LOST_MS = 15_000
"""Milliseconds without a sign of life after which a queued import's process has died."""
_LONGEST_END_S = 10.0


class ImportJobs:
    """Runs `catalog.worker`, for one import after the other."""

    def __init__(self, redis: Redis, redis_url: str, records: ImportRecords) -> None:
        self._redis, self._redis_url = redis, redis_url
        self._records = records
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, import_id: str, action: Action, *, actor: str) -> None:
        """Have it done as soon as the ones before it are; returns at once."""
        token = await self._redis.hget(self._records.key(import_id), "token")
        queue_key = self._queue_key(import_id, text(token or ""))
        await self._redis.set(queue_key, 1, px=_LOST_MS)
        task = asyncio.create_task(self._run(import_id, action, actor, queue_key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def with_status(self, records: Sequence[ImportRecord]) -> list[tuple[ImportRecord, str]]:
        """The records as they are now, and how far each is, in one word for people.

        Whether one is queued is asked before it is read anew: one that is claimed in between is
        then read as what it has become, never as what it was.
        """
        if not records:
            return []
        async with self._redis.pipeline(transaction=False) as batch:
            for record in records:
                batch.hget(self._records.key(record.id), "token")
            tokens = await batch.execute()
            for record, token in zip(records, tokens, strict=True):
                batch.exists(self._queue_key(record.id, text(token or "")))
            queued = await batch.execute()
        now = [await self._records.get(record.id) for record in records]
        waiting = zip(now, queued, strict=True)
        return [(record, QUEUED if waits else _status(record)) for record, waits in waiting]

    async def close(self) -> None:
        """Break off what runs; each import says so itself, and can be applied again."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _run(self, import_id: str, action: Action, actor: str, queue_key: str) -> None:
        beating = asyncio.create_task(self._beat(queue_key))
        try:
            async with self._turn:
                status = await self._work(import_id, action, actor)
            if status not in (0, TAKEN):
                log.error("import %s: its process ended with status %d", import_id, status)
        except OSError as error:
            log.error("import %s: its process did not start: %s", import_id, error)
        finally:
            beating.cancel()
            with contextlib.suppress(RedisError, OSError):
                await self._redis.delete(queue_key)

    async def _beat(self, queue_key: str) -> None:
        """Say every second that it will be done."""
        while True:
            await asyncio.sleep(_BEAT_S)
            obey_cancellation()
            with contextlib.suppress(RedisError, OSError):
                await self._redis.set(queue_key, 1, px=_LOST_MS)

    def _queue_key(self, import_id: str, token: str) -> str:
        """Exists while an import is queued that `token` was the last to work on.

        Whoever claims it gives it another token, and so takes it from the queue in the same step.
        """
        return self._records.key(import_id, f"queue:{token}")

    async def _work(self, import_id: str, action: Action, actor: str) -> int:
        """The exit status of the process that does it."""
        job = {
            "redis": self._redis_url,
            "import_id": import_id,
            "action": action,
            "actor": actor,
        }
        worker = [sys.executable, "-m", "catalog.worker"]
        process = await asyncio.create_subprocess_exec(
            *die_with_parent.command(worker, signal.SIGTERM),
            stdin=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for us; we end it in order
        )
        try:
            await process.communicate(json.dumps(job).encode() + b"\n")
        finally:
            await _end(process)
        return process.returncode or 0


async def _end(process: asyncio.subprocess.Process) -> None:
    """Have a process that still runs say what it left, and end."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _LONGEST_END_S)
    except TimeoutError:
        process.kill()
        await process.wait()


def _status(record: ImportRecord) -> str:
    if record.interrupted(time.time()):
        return "interrupted"
    if record.state in WORKING:
        return {"planning": "previewing", "storing": "applying"}.get(record.state, record.state)
    if record.state == "received" and (record.detected is not None or record.error):
        return "previewed"
    return record.state
