"""Vectors kept between starts, so that a start encodes only what is new.

A file holds one row for each text: the text's SHA-256 and its vector. It names the encoder and
ends with a checksum over everything; a torn, changed or foreign file is refused, and whoever
reads it encodes afresh. It is written beside and renamed, so half a file is never read.

    header (one line of JSON) | digests, 32 bytes each | vectors, float32 | SHA-256, 32 bytes
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pipeline.encoder import Vectors

FORMAT = 1
_DIGEST = 32


class VectorFileError(Exception):
    """The file cannot be used; the message says why."""


def digest(text: str) -> bytes:
    """The key of a text's vector."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def read(path: Path, encoder: str, dimension: int) -> dict[bytes, Vectors]:
    """Vectors by digest, float32 of shape [dimension].

    Raises `VectorFileError` for a file that is torn, changed, or of another encoder, and
    `FileNotFoundError`.
    """
    content = path.read_bytes()
    body, checksum = content[:-_DIGEST], content[-_DIGEST:]
    if hashlib.sha256(body).digest() != checksum:
        raise VectorFileError(f"{path} is torn or was changed: its checksum does not fit")
    line, _, rows = body.partition(b"\n")
    header = json.loads(line)
    expected = {"format": FORMAT, "encoder": encoder, "dimension": dimension}
    found = {name: header.get(name) for name in expected}
    if found != expected:
        raise VectorFileError(f"{path} holds vectors of {found}, not of {expected}")
    count = int(header["rows"])
    matrix = np.frombuffer(rows, dtype="<f4", offset=count * _DIGEST).reshape(count, dimension)
    return {rows[i * _DIGEST : (i + 1) * _DIGEST]: matrix[i] for i in range(count)}


def write(path: Path, encoder: str, dimension: int, vectors: Mapping[bytes, Vectors]) -> None:
    """Replace `path` in one step. Raises `OSError`, and then leaves the old file as it was."""
    header = {"format": FORMAT, "encoder": encoder, "dimension": dimension, "rows": len(vectors)}
    matrix = np.array(list(vectors.values()), dtype="<f4").reshape(len(vectors), dimension)
    parts = (json.dumps(header).encode() + b"\n", b"".join(vectors), matrix.tobytes())
    checksum = hashlib.sha256()
    beside = path.with_name(f"{path.name}.{os.getpid()}.half")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with beside.open("wb") as file:
            for part in parts:
                checksum.update(part)
                file.write(part)
            file.write(checksum.digest())
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
