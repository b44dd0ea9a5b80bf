"""Opening a file: packed or not, and never larger than allowed."""

import gzip
import tempfile
import zipfile
import zlib
from typing import IO, BinaryIO, Literal, cast

from catalog.formats.model import FileError, Limits

Container = Literal["none", "gzip", "zip"]

CHUNK = 1 << 20
_IN_MEMORY = 8 << 20
_WORKBOOK = "[Content_Types].xml"


def unpacked(file: BinaryIO, limits: Limits) -> tuple[BinaryIO, Container]:
    """`file` from its beginning, unpacked if it is gzip or a zip of one file.

    Raises `FileError` when it is larger than `limits` (what a packed file says about its own size
    is not believed), an Excel workbook, or broken.
    """
    file.seek(0)
    magic = file.read(4)
    file.seek(0)
    try:
        if magic[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=file, mode="rb") as stream:
                return _bounded(cast(IO[bytes], stream), limits), "gzip"
        if magic == b"PK\x03\x04":
            return _from_zip(file, limits), "zip"
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError) as error:
        raise FileError("container", f"the packed file is broken ({error}): pack it anew") from None
    if magic == b"\xd0\xcf\x11\xe0":
        raise _workbook()
    _check_size(file, limits)
    return file, "none"


def _from_zip(file: BinaryIO, limits: Limits) -> BinaryIO:
    with zipfile.ZipFile(file) as archive:
        names = [i for i in archive.infolist() if not i.is_dir() and "__MACOSX" not in i.filename]
        if any(info.filename == _WORKBOOK for info in names):
            raise _workbook()
        if len(names) != 1:
            raise FileError("container", f"the zip holds {len(names)} files: pack exactly one")
        with archive.open(names[0]) as stream:
            return _bounded(stream, limits)


def _bounded(stream: IO[bytes], limits: Limits) -> BinaryIO:
    """A copy of `stream`, given up as soon as it is too large."""
    copy = cast(BinaryIO, tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY))  # noqa: SIM115
    try:
        size = 0
        while chunk := stream.read(CHUNK):
            size += len(chunk)
            if size > limits.max_bytes:
                raise _too_large(limits)
            copy.write(chunk)
    except BaseException:
        copy.close()
        raise
    copy.seek(0)
    return copy


def _check_size(file: BinaryIO, limits: Limits) -> None:
    size = file.seek(0, 2)
    file.seek(0)
    if size > limits.max_bytes:
        raise _too_large(limits)
    if size == 0:
        raise FileError("empty", "the file is empty")


def _too_large(limits: Limits) -> FileError:
    size = f"{limits.max_bytes // (1 << 20)} MB"
    return FileError("too_large", f"the file is larger than {size} unpacked: split it")


def _workbook() -> FileError:
    return FileError(
        "container", "this is an Excel workbook: save it as CSV UTF-8 (File > Save As) and retry"
    )
