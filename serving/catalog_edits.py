"""Changes of one product, by whoever may edit: optimistic, and never one lost for another.

Every change reads the product, makes the wanted one of it, and writes only if nobody was faster;
then it begins anew with what is there now. Whoever says what version they have seen (`If-Match`)
is told of the difference instead.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from catalog.codec import encode
from catalog.product import Product
from catalog.store import CatalogStore, ConflictError, InvalidProductError, SkuTakenError, Write
from serving.errors import ApiError

ATTEMPTS = 100
"""How often somebody else may be faster before a change is given up."""
_TOLD = 5
"""How many faults of one product are told."""
_TAG = re.compile(r'\s*(?:W/)?"?(\d{1,18})"?\s*', re.ASCII)


@dataclass(frozen=True, slots=True)
class Match:
    """Which versions of a product a change is meant for; 0 means that there is none.

    `versions` is None where any product will do. Compression at a proxy makes tags weak (`W/`);
    they name the same version.
    """

    versions: frozenset[int] | None

    def admits(self, version: int) -> bool:
        """Whether a product at `version` may be changed."""
        return version > 0 if self.versions is None else version in self.versions

    @classmethod
    def of(cls, if_match: str | None, if_none_match: str | None = None) -> "Match | None":
        """From the headers; None without one. Raises `ApiError`."""
        if if_none_match is not None:
            if if_none_match.strip() != "*":
                raise _wrong_tag("If-None-Match", "the only value it takes here is *")
            return cls(frozenset({0}))
        if if_match is None:
            return None
        if if_match.strip() == "*":
            return cls(None)
        tags = [_TAG.fullmatch(tag) for tag in if_match.split(",")]
        if not all(tags):
            raise _wrong_tag("If-Match", 'send an ETag as it was given, such as "12"')
        return cls(frozenset(int(tag[1]) for tag in tags if tag))


@dataclass(frozen=True, slots=True)
class Edited:
    """What a change came to: the product now (None: deleted), and the catalogue version."""

    product: Product | None
    version: int
    created: bool = False


Change = Callable[[Product | None], Product | None]
"""From the product as it is to the one wanted; None for none. May raise `ApiError`."""


async def edit(
    store: CatalogStore, product_id: str, change: Change, *, actor: str, match: Match | None
) -> Edited:
    """Make `change`; nothing is written if it changes nothing. Raises `ApiError`."""
    for _ in range(ATTEMPTS):
        now = await store.get(product_id)
        version = 0 if now is None else now.version
        if match is not None and not match.admits(version):
            raise _conflict(product_id, version)
        wanted = change(now)
        if _same(now, wanted):
            return Edited(now, version)
        try:
            written = await store.write(_write(actor, product_id, wanted, version))
        except ConflictError:
            continue
        except SkuTakenError as error:
            message = f"SKU {error.sku} belongs to product {error.product_id}: change it there"
            raise ApiError("sku_taken", message, field="sku") from None
        except InvalidProductError as error:
            raise ApiError("invalid_request", "; ".join(error.problems[:_TOLD])) from None
        stored = None if wanted is None else replace(wanted, version=written)
        return Edited(stored, written, created=now is None)
    raise ApiError("store_busy", f"{product_id} is changed too often: try again", retry_after=1)


def _write(actor: str, product_id: str, wanted: Product | None, version: int) -> Write:
    expected = {product_id: version}
    if wanted is None:
        return Write(actor, (), (product_id,), expected, "delete")
    return Write(actor, (wanted,), (), expected)


def _same(now: Product | None, wanted: Product | None) -> bool:
    """To the last digit: 12.3 and 12.30 are equal amounts, but not the same text."""
    if now is None or wanted is None:
        return now is wanted
    return encode(replace(wanted, version=now.version)) == encode(now)


def _conflict(product_id: str, version: int) -> ApiError:
    if version == 0:
        message = f"there is no product {product_id}: it was deleted, or never was"
    else:
        message = (
            f"{product_id} is at version {version} now: read it again, look at what changed, "
            f'and send If-Match: "{version}"'
        )
    more = {"current_version": version}
    return ApiError("version_conflict", message, field="If-Match", more=more)


def _wrong_tag(header: str, right: str) -> ApiError:
    return ApiError("invalid_request", f"{header}: {right}", field=header)
