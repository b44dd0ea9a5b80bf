"""Finding products by their words, page by page, for the people who keep the catalogue.

It looks through the products in memory, in slices, so that shoppers' answers go on meanwhile.
"""

import asyncio
import base64
import binascii
import heapq
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from catalog.product import Product
from serving.errors import ApiError

_SLICE = 500
"""Products looked at before others get their turn: about a millisecond."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the products that match, by id; `next` is the cursor of the page after it."""

    products: tuple[Product, ...]
    total: int
    next: str | None


class ProductSearch:
    """Keeps what each product is searched by, for as long as the product stays what it is."""

    def __init__(self) -> None:
        self._words: dict[str, tuple[Product, str]] = {}

    async def page(
        self, products: Sequence[Product], query: str, cursor: str | None, limit: int
    ) -> Page:
        """Products that have every word of `query` in an id, SKU, title, brand or category.

        Raises `ApiError` for a cursor that was not given out.
        """
        after = "" if cursor is None else _id_of(cursor)
        wanted = _folded(query).split()
        shown: list[Product] = []
        total = 0
        for first in range(0, len(products), _SLICE):
            found = self._matching(products[first : first + _SLICE], wanted)
            total += len(found)
            shown += [product for product in found if product.id > after]
            shown = heapq.nsmallest(limit + 1, shown, key=lambda product: product.id)
            await asyncio.sleep(0)
        if len(self._words) > 2 * len(products) + _SLICE:
            self._words.clear()  # of products that are gone
        more = len(shown) > limit
        return Page(tuple(shown[:limit]), total, _cursor(shown[limit - 1].id) if more else None)

    def _matching(self, products: Sequence[Product], wanted: list[str]) -> list[Product]:
        searched = ((product, self._searched_by(product)) for product in products)
        return [product for product, words in searched if all(word in words for word in wanted)]

    def _searched_by(self, product: Product) -> str:
        known = self._words.get(product.id)
        if known is None or known[0] is not product:
            known = (product, _folded("\n".join(_parts(product))))
            self._words[product.id] = known
        return known[1]


def _parts(product: Product) -> Iterator[str]:
    yield product.id
    yield product.brand
    for text in product.texts.values():
        yield text.title
        yield text.category
    for variant in product.variants:
        yield variant.sku


def _folded(text: str) -> str:
    """Without the differences of case and of full-width letters."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _cursor(product_id: str) -> str:
    return base64.urlsafe_b64encode(product_id.encode()).decode().rstrip("=")


def _id_of(cursor: str) -> str:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        message = "cursor: is none that was given out; send `next` of the page before, or none"
        raise ApiError("invalid_request", message, field="cursor") from None
