"""Which encoding a text file is in, from its bytes alone."""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import BinaryIO

from catalog.formats.container import CHUNK
from catalog.formats.model import FileError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 1 << 20
_HIGH_RUN = re.compile(b"[\x80-\xff]+")
_CYRILLIC_WORD = re.compile(b"[\xc0-\xff]{3,}")
_NOT_WESTERN = re.compile(r"[a-zà-ÿ][¹³¿¼¾Ÿ][a-zà-ÿ]|¯[a-zà-ÿ]")
"""Signs where cp1252 has them inside words; they are letters of central Europe's cp1250."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """`codec` is Python's name. Bytes that are wrong in it come out as lone surrogates."""

    codec: str
    label: str


def detect_encoding(file: BinaryIO, given: str | None = None) -> Encoding:
    """The encoding of `file`, which is left at its beginning. Raises `FileError`.

    In order: what the merchandiser said, a byte order mark, UTF-16 without one, UTF-8 (allowing
    for a few broken rows), the Chinese and Japanese ones, and of the 8-bit ones cp1252 unless the
    words speak for another.
    """
    if given is not None:
        return _given(given)
    file.seek(0)
    sample = file.read(_SAMPLE)
    for bom, codec in _BOMS:
        if sample.startswith(bom):
            return Encoding(codec, f"{codec.removesuffix('-sig').upper()} with BOM")
    if (wide := _wide(sample)) is not None:
        return Encoding(wide, wide.upper())
    if _is_mostly_utf8(file):
        return Encoding("utf-8", "UTF-8")
    codec = next((codec for codec, fits in _LEGACY.items() if fits(sample)), "cp1252")
    return Encoding(codec, codec.upper() if codec == "gb18030" else codec)


def _given(name: str) -> Encoding:
    try:
        "".encode(name)
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):
        raise FileError("encoding", f"{name!r} is not an encoding; try utf-8 or gb18030") from None
    return Encoding("utf-8-sig" if codec == "utf-8" else codec, name)


def _wide(sample: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of its commas, digits and line ends is zero."""
    even, odd = sample[:4096:2].count(0), sample[1:4096:2].count(0)
    if max(even, odd) < len(sample[:4096]) // 20 + 1:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _is_mostly_utf8(file: BinaryIO) -> bool:
    """Whether the file is UTF-8, or all but a few bytes are (a row pasted from elsewhere)."""
    file.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")(errors="surrogateescape")
    good = bad = 0
    while chunk := file.read(CHUNK):
        if chunk.isascii() and decoder.getstate() == (b"", 0):
            continue
        text = decoder.decode(chunk)
        broken = sum("\udc80" <= char <= "\udcff" for char in text) if _broken(text) else 0
        bad += broken
        good += sum(char > "\x7f" for char in text) - broken
    file.seek(0)
    return good >= 9 * bad


def _broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _strictly(sample: bytes, codec: str) -> str:
    """`sample` in `codec`, or "" if it is not; a character cut at the end does not count."""
    try:
        return codecs.getincrementaldecoder(codec)().decode(sample)
    except UnicodeDecodeError:
        return ""


def _is_gb18030(sample: bytes) -> bool:
    """Chinese: high bytes come in pairs, of the rows that hold GB2312's words and punctuation."""
    runs = _HIGH_RUN.findall(sample)
    pairs = [lead for run in runs for lead in run[::2]]
    usual = sum(0xB0 <= lead <= 0xF7 or lead in (0xA1, 0xA3) for lead in pairs)
    even = sum(len(run) for run in runs if len(run) % 2 == 0)
    fits = even >= 0.7 * sum(map(len, runs)) and usual >= 0.9 * len(pairs)
    return fits and bool(_strictly(sample, "gb18030"))


def _is_shift_jis(sample: bytes) -> bool:
    text = [char for char in _strictly(sample, "shift_jis") if char > "\x7f"]
    return sum("\u3040" <= char <= "\u30ff" for char in text) > 0.2 * len(text)


def _is_big5(sample: bytes) -> bool:
    """Traditional Chinese: characters stand side by side, and are Big5's frequent ones."""
    text = _strictly(sample, "big5")
    han = [char for char in text if char > "\x7f"]
    frequent = sum(char.encode("big5") < b"\xc6\xff" for char in han)
    beside = sum(left > "\x7f" < right for left, right in pairwise(text))
    return len(han) > 2 and frequent >= 0.95 * len(han) and beside >= 0.5 * len(han)


def _is_cp1251(sample: bytes) -> bool:
    letters = sum(map(len, _CYRILLIC_WORD.findall(sample)))
    return letters > 0.8 * sum(map(len, _HIGH_RUN.findall(sample)))


def _is_cp1250(sample: bytes) -> bool:
    return _NOT_WESTERN.search(sample.decode("cp1252", "replace")) is not None


_LEGACY: dict[str, Callable[[bytes], bool]] = {
    "gb18030": _is_gb18030,
    "shift_jis": _is_shift_jis,
    "big5": _is_big5,
    "cp1251": _is_cp1251,
    "cp1250": _is_cp1250,
}
