"""When two SKUs are the same SKU.

People and spreadsheets change blanks, case and full-width letters without noticing: `SKU123 `,
`sku123` and `ＳＫＵ１２３` are one article. Leading zeros are kept: `0100` is not `100`.
"""

import re
import unicodedata

_SCIENTIFIC = re.compile(r"\d(?:[.,]\d+)?E\+?\d{1,2}", re.IGNORECASE)


def sku_key(sku: str) -> str:
    """What a SKU is compared by; never shown. Free of blanks, control and invisible characters."""
    if sku.isascii() and sku.isprintable():
        return sku.replace(" ", "").lower()
    key = sku
    while (folded := _folded(key)) != key:
        key = folded
    return key


def shortened(identifier: str) -> bool:
    """Whether a spreadsheet wrote a long number as `6.93E+12`: which one it was is not known."""
    return _SCIENTIFIC.fullmatch(identifier) is not None


def _folded(sku: str) -> str:
    """One round; taking a character out may bring together two that belong together."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", sku).casefold())
    return "".join(char for char in folded if char.isprintable() and not char.isspace())
