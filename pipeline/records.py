"""The products in memory: where an answer's records come from, never from a database.

Records are immutable and are exchanged whole, in one step of the event loop: whoever looks one
up has it as it was before a change or as it is after, and may keep it.
"""

from collections.abc import Callable, Iterable, Sequence

from catalog.product import Product, Variant

Follower = Callable[[Sequence[Product], Sequence[str]], None]
"""Is told of products that changed, and of ids that are gone."""


class Records:
    """Records by product id and by SKU, of one catalogue version. One event loop."""

    def __init__(self) -> None:
        self._version = 0
        self._by_id: dict[str, Product] = {}
        self._by_sku: dict[str, tuple[Product, Variant]] = {}
        self._followers: list[Follower] = []

    def follow(self, follower: Follower) -> None:
        """Tell `follower` of every change that is applied, in the same step. Forks have none."""
        self._followers.append(follower)

    def replace(self, products: Iterable[Product], version: int) -> None:
        """Show these products, and no others, from now on."""
        by_id = {product.id: product for product in products}
        by_sku = {v.sku: (p, v) for p in by_id.values() for v in p.variants}
        self._version, self._by_id, self._by_sku = version, by_id, by_sku

    def apply(self, changed: Iterable[Product], removed: Iterable[str], version: int) -> None:
        """Show `changed` as they are now and `removed` no more: the catalogue at `version`."""
        changed, removed = tuple(changed), tuple(removed)
        for product_id in (*removed, *(product.id for product in changed)):
            self._forget(product_id)
        for product in changed:
            self._by_id[product.id] = product
            self._by_sku.update({v.sku: (product, v) for v in product.variants})
        self._version = version
        for follower in self._followers:
            follower(changed, removed)

    def fork(self) -> "Records":
        """As it is now, to be changed alone; the records are shared."""
        fork = Records()
        fork._version = self._version
        fork._by_id, fork._by_sku = self._by_id.copy(), self._by_sku.copy()
        return fork

    @property
    def version(self) -> int:
        """The catalogue version shown."""
        return self._version

    def __len__(self) -> int:
        return len(self._by_id)

    def products(self) -> tuple[Product, ...]:
        """All of them."""
        return tuple(self._by_id.values())

    def get(self, product_id: str) -> Product | None:
        """The product with this id."""
        return self._by_id.get(product_id)

    def by_sku(self, sku: str) -> tuple[Product, Variant] | None:
        """The variant with this SKU, and its product."""
        return self._by_sku.get(sku)

    def resolve(self, reference: str) -> tuple[Product, Variant | None] | None:
        """The page that `reference`, a SKU or a product id, stands for."""
        if (named := self._by_sku.get(reference)) is not None:
            return named
        product = self._by_id.get(reference)
        return None if product is None else (product, None)

    def _forget(self, product_id: str) -> None:
        old = self._by_id.pop(product_id, None)
        for variant in old.variants if old is not None else ():
            owner = self._by_sku.get(variant.sku)
            if owner is not None and owner[0].id == product_id:
                del self._by_sku[variant.sku]
