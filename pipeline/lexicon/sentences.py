"""Sentences of a product text, in English and Chinese."""

import re

_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；;])|\n+")


def sentences(text: str) -> list[str]:
    """The sentences of `text`, without space around them; "12.5 cm" stays whole."""
    return [piece.strip() for piece in _END.split(text) if piece.strip()]
