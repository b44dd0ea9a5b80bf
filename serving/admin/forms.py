"""Forms as browsers send them, bounded in size and time. A file goes to disk as it arrives."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import FormParser, MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from serving.errors import ApiError
from serving.upload import UploadConfig

MAX_FORM_BYTES = 64 * 1024
_IDLE_S = 10.0
_ENVELOPE = 64 * 1024
_FIELDS = 20
_PIECE = 1024 * 1024


async def read_form(request: Request, max_bytes: int = MAX_FORM_BYTES) -> dict[str, str]:
    """The fields of a form without files. Raises `ApiError`."""
    _check_kind(request, "application/x-www-form-urlencoded")
    stream = _bounded(request, max_bytes, _IDLE_S)
    parser = FormParser(request.headers, stream, max_part_size=max_bytes)
    return _fields(await parser.parse())


@asynccontextmanager
async def read_upload(
    request: Request, config: UploadConfig
) -> AsyncGenerator[tuple[dict[str, str], UploadFile | None], None]:
    """The fields of a form, and its file, which is gone afterwards. Raises `ApiError`."""
    _check_kind(request, "multipart/form-data")
    stream = _bounded(request, config.max_bytes + _ENVELOPE, config.idle_s)
    parser = MultiPartParser(request.headers, stream, max_files=1, max_fields=_FIELDS)
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError) as error:
        message = f"the form is broken ({error}): send it again"
        raise ApiError("invalid_request", message, field="file") from None
    try:
        file = form.get("file")
        yield _fields(form), file if isinstance(file, UploadFile) else None
    finally:
        await form.close()


async def pieces(file: UploadFile) -> AsyncIterator[bytes]:
    """The bytes of an uploaded file."""
    while piece := await file.read(_PIECE):
        yield piece


async def _bounded(request: Request, max_bytes: int, idle_s: float) -> AsyncGenerator[bytes, None]:
    stream = request.stream()
    got = 0
    try:
        while True:
            async with asyncio.timeout(idle_s):
                piece = await anext(stream, None)
            if piece is None:
                return
            got += len(piece)
            if got > max_bytes:
                limit = f"{max_bytes / 1024 / 1024:g} MiB"
                raise ApiError("body_too_large", f"over {limit}: split the file", field="file")
            yield piece
    except TimeoutError:
        raise ApiError("body_timeout", f"nothing arrived for {idle_s:g} s") from None
    except ClientDisconnect:
        raise ApiError("client_closed", "the client left before the form was complete") from None


def _check_kind(request: Request, kind: str) -> None:
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if sent != kind:
        raise ApiError("unsupported_media_type", f"send the form as {kind}")


def _fields(form: FormData) -> dict[str, str]:
    return {name: value for name, value in form.items() if isinstance(value, str)}
