"""A file that a client sends, raw or as multipart: to disk as it arrives, never into memory."""

import asyncio
import os
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request

from serving.errors import ApiError

_ENVELOPE = 64 * 1024
"""Bytes that the envelope of a multipart body may add."""
_NAME = 200
"""Characters of a file's name that are kept."""


@dataclass(frozen=True, slots=True)
class UploadConfig:
    """`folder` is made if need be. `idle_s`: the longest silence of a client that is sending."""

    folder: Path = field(default_factory=lambda: Path(tempfile.gettempdir()))
    max_bytes: int = 256 * 1024 * 1024
    idle_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Upload:
    """A file on disk, and what its sender called it (empty if nothing)."""

    path: Path
    name: str
    size: int


@asynccontextmanager
async def received(request: Request, config: UploadConfig) -> AsyncGenerator[Upload, None]:
    """The file of `request`; it is removed at the end unless it was moved. Raises `ApiError`."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        message = "send the file without Content-Encoding (a .gz or .zip file is read as it is)"
        raise ApiError("unsupported_media_type", message)
    _check_length(request, config)
    config.folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix="upload-", dir=config.folder)
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            sink = _sink(request, file)
            await _pour(request, sink, config)
        if sink.size == 0:
            raise ApiError("invalid_request", sink.nothing, field="file")
        yield Upload(path, sink.name[-_NAME:], sink.size)
    finally:
        _remove(path)


class _Raw:
    """The body is the file; its name may stand in Content-Disposition."""

    nothing = "the body is empty: send the file as the body, or as multipart/form-data"

    def __init__(self, file: BinaryIO, disposition: str) -> None:
        self._file = file
        self.name = _file_name(disposition.encode("latin-1", "replace"))
        self.size = 0

    def write(self, piece: bytes) -> None:
        """The next bytes of the body."""
        self.size += self._file.write(piece)

    def end(self) -> None:
        """The body is over."""


class _Multipart:
    """The first part that has a file name is the file; the others are passed over."""

    nothing = "no part of the form has a file: send one, for example with curl -F file=@shop.csv"

    def __init__(self, file: BinaryIO, boundary: bytes) -> None:
        self._file = file
        self._header = [b"", b""]
        self._disposition = b""
        self._in_file = self._had_file = False
        self.name = ""
        self.size = 0
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": lambda data, start, end: self._head(0, data[start:end]),
                "on_header_value": lambda data, start, end: self._head(1, data[start:end]),
                "on_header_end": self._head_end,
                "on_headers_finished": self._heads_over,
                "on_part_data": self._data,
            },
        )

    def write(self, piece: bytes) -> None:
        """The next bytes of the body. Raises `FormParserError`."""
        self._parser.write(piece)

    def end(self) -> None:
        """The body is over. Raises `FormParserError` if it was cut."""
        self._parser.finalize()

    def _begin(self) -> None:
        self._disposition, self._in_file = b"", False

    def _head(self, which: int, piece: bytes) -> None:
        self._header[which] += piece

    def _head_end(self) -> None:
        if self._header[0].lower() == b"content-disposition":
            self._disposition = self._header[1]
        self._header = [b"", b""]

    def _heads_over(self) -> None:
        _, options = parse_options_header(self._disposition)
        self._in_file = b"filename" in options and not self._had_file
        if self._in_file:
            self._had_file, self.name = True, _file_name(self._disposition)

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._in_file:
            self.size += self._file.write(data[start:end])


def _sink(request: Request, file: BinaryIO) -> _Raw | _Multipart:
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data":
        return _Raw(file, request.headers.get("content-disposition", ""))
    if not (boundary := options.get(b"boundary")):
        raise ApiError("invalid_request", "the multipart body has no boundary", field="file")
    return _Multipart(file, boundary)


async def _pour(request: Request, sink: _Raw | _Multipart, config: UploadConfig) -> None:
    pieces = request.stream()
    got = 0
    try:
        while True:
            async with asyncio.timeout(config.idle_s):
                piece = await anext(pieces, None)
            if piece is None:
                break
            got += len(piece)
            if got > config.max_bytes + _ENVELOPE or sink.size > config.max_bytes:
                raise _too_large(config)
            await asyncio.to_thread(sink.write, piece)
        sink.end()
    except TimeoutError:
        message = f"nothing of the file arrived for {config.idle_s:g} s"
        raise ApiError("body_timeout", message) from None
    except ClientDisconnect:
        raise ApiError("client_closed", "the client left before the file was complete") from None
    except FormParserError as error:
        message = f"the multipart body is broken ({error}): send it again"
        raise ApiError("invalid_request", message, field="file") from None
    if sink.size > config.max_bytes:
        raise _too_large(config)


def _check_length(request: Request, config: UploadConfig) -> None:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > config.max_bytes + _ENVELOPE:
        raise _too_large(config)


def _too_large(config: UploadConfig) -> ApiError:
    limit = config.max_bytes
    message = (
        f"the file has over {limit:,} bytes ({limit / 1024 / 1024:g} MiB): "
        "split it, or have HOTSHELF_MAX_IMPORT_MB raised"
    )
    return ApiError("body_too_large", message, field="file", more={"max_bytes": limit})


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def _file_name(disposition: bytes) -> str:
    """What the sender called it: the last part of the path, printable."""
    _, options = parse_options_header(disposition)
    name = options.get(b"filename", b"").decode("utf-8", "replace")
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(char for char in last if char.isprintable())
