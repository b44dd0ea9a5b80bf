"""Uploaded files, kept in Redis in compressed pieces until their import is done with.

There any process can take up an import that another one left, whichever machine it is on.
"""

import tempfile
import zlib
from collections.abc import AsyncIterator
from typing import BinaryIO, cast

from redis.asyncio import Redis

from catalog.formats.model import FileError, Limits

PIECE = 1 << 20
KEPT_S = 7 * 24 * 3600
"""Seconds an upload is kept."""
_IN_MEMORY = 8 << 20


class Uploads:
    """Files by key."""

    def __init__(self, redis: Redis, limits: Limits) -> None:
        self._redis, self._limits = redis, limits

    async def save(self, key: str, file: AsyncIterator[bytes]) -> int:
        """Keep a file; its size in bytes. Raises `FileError` when it is larger than allowed."""
        size, held = 0, bytearray()
        async for chunk in file:
            size += len(chunk)
            if size > self._limits.max_bytes:
                await self._redis.delete(key)
                limit = self._limits.max_bytes // (1 << 20)
                raise FileError("too_large", f"the file is larger than {limit} MB: split it")
            held += chunk
            while len(held) >= PIECE:
                await self._push(key, bytes(held[:PIECE]))
                del held[:PIECE]
        if held:
            await self._push(key, bytes(held))
        if size == 0:
            raise FileError("empty", "the file is empty")
        return size

    async def _push(self, key: str, piece: bytes) -> None:
        await self._redis.rpush(key, zlib.compress(piece, 1))
        await self._redis.expire(key, KEPT_S)

    async def open(self, key: str) -> BinaryIO:
        """The file, at its beginning. Raises `FileError` when it is no longer kept."""
        file = cast(BinaryIO, tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY))  # noqa: SIM115
        number = 0
        while (piece := await self._redis.lindex(key, number)) is not None:
            file.write(zlib.decompress(cast(bytes, piece)))
            number += 1
        if number == 0:
            file.close()
            raise FileError("empty", "the file is no longer kept: upload it again")
        file.seek(0)
        return file


async def chunks(file: BinaryIO) -> AsyncIterator[bytes]:
    """The bytes of a file on disk."""
    while chunk := file.read(PIECE):
        yield chunk
