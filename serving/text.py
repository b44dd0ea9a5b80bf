"""What may stand in a text that people send, and which language it is in."""

import re

from catalog.product import Locale

_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Control characters but tab, line feed and carriage return; NUL is refused before."""

_CJK = re.compile("[㐀-䶿一-鿿豈-﫿\U00020000-\U000323af]")


def whole_text(text: str) -> str:
    """`text` as it is. Raises `ValueError` for what no text that anyone wrote contains.

    That is NUL, and half of a surrogate pair.
    """
    if "\x00" in text:
        raise ValueError("contains NUL (U+0000): leave it out")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        found = f"U+{ord(text[error.start]):04X} at character {error.start + 1}"
        raise ValueError(
            f"contains half of a surrogate pair ({found}): send whole characters"
        ) from None
    return text


def clean_text(text: str) -> str:
    """`text` without control characters and outer blanks. Raises `ValueError` as `whole_text`.

    Pasted text carries form feeds and the like, so those become a space.
    """
    return _CONTROL.sub(" ", whole_text(text)).strip()


def is_blank(text: str) -> bool:
    """Whether nothing in `text` can be seen, zero-width characters counted as nothing."""
    return not any(character.isprintable() and not character.isspace() for character in text)


def detect_locale(text: str) -> Locale:
    """Chinese if there is any Chinese character, otherwise English."""
    return "zh" if _CJK.search(text) else "en"
