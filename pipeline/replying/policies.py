"""What is answered where no product's record can answer: the shop's own texts, word for word.

As shipped (`templates/<locale>/policies.json`) they promise nothing and offer a person. A shop
writes its own; no model ever rewords them.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from catalog.product import LOCALES, Locale

UNKNOWN = "unknown"
"""The text for a question that the facts do not answer."""

Texts = Mapping[Locale, Mapping[str, str]]


class Policies:
    """Texts by locale and by what they are about. `use` may be called while they are read."""

    def __init__(self, shipped: Texts) -> None:
        self._shipped = shipped
        self._own: Texts = {}

    @classmethod
    def load(cls, folder: Path) -> "Policies":
        """Read `folder/<locale>/policies.json`. Raises `OSError` or `ValueError`."""
        return cls({locale: _load(folder / locale / "policies.json") for locale in LOCALES})

    def use(self, own: Texts) -> None:
        """Answer with the shop's `own` texts from now on, where it has one."""
        self._own = {locale: dict(texts) for locale, texts in own.items()}

    def text(self, name: str, locale: Locale) -> str:
        """The answer to turns of this kind. Raises `KeyError` if there is no such kind."""
        return self._own.get(locale, {}).get(name) or self._shipped[locale][name]

    def names(self) -> tuple[str, ...]:
        """Every kind there is a text for, in their order."""
        return tuple(next(iter(self._shipped.values())))

    def shipped(self, name: str, locale: Locale) -> str:
        """The text as shipped."""
        return self._shipped[locale][name]


def _load(path: Path) -> dict[str, str]:
    texts = json.loads(path.read_text(encoding="utf-8"))
    if UNKNOWN not in texts:
        raise ValueError(f"{path} has no text called {UNKNOWN!r}")
    return {str(name): str(text) for name, text in texts.items()}
