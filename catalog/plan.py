"""What an import would do to the catalogue as it is now, product by product.

A row goes to the product of its id; if there is none, to the one that already sells its SKU.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from catalog.collect import Collected, Pause
from catalog.diff import same
from catalog.formats.model import RowError, RowPatch
from catalog.formats.reasons import why
from catalog.merge import MergeRefused, MergeRules, merge
from catalog.product import Product
from catalog.skus import sku_key
from catalog.store import CatalogStore

Kind = Literal["created", "updated", "unchanged", "removed"]

BATCH = 200
"""Products that are planned between two looks at Redis."""


@dataclass(frozen=True, slots=True)
class Change:
    """One product before and after; None where there is none."""

    kind: Kind
    old: Product | None
    new: Product | None

    @property
    def product_id(self) -> str:
        """Whose change it is."""
        product = self.new or self.old
        return product.id if product else ""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of each kind; `refused` counts rows, and is 0 for products."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: int = 0
    removed: int = 0

    @property
    def rows(self) -> int:
        """Rows of the file: each was created, updated, unchanged or refused."""
        return self.created + self.updated + self.unchanged + self.refused


@dataclass(slots=True)
class Plan:
    """`targets`: the rows of each product. `kinds` and `refused` fill up as it is made."""

    store: CatalogStore
    rules: MergeRules
    collected: Collected
    all_or_nothing: bool = True
    targets: dict[str, list[RowPatch]] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    expected: dict[str, int] = field(default_factory=dict)
    refused: dict[str, list[RowError]] = field(default_factory=dict)

    async def resolve(self) -> None:
        """Find out which product each row is for."""
        by_id = self.collected.rows
        known = await self.store.known(list(by_id))
        keys = [sku_key(v.sku) for rows in by_id.values() for row in rows for v in row.variants]
        owners = await self.store.owners(keys)
        for file_id, rows in by_id.items():
            target = file_id if file_id in known else _owner(rows, owners) or file_id
            for row in rows:
                errors = [] if self.rules.whole else _foreign(row, target, owners)
                self.refused.setdefault(target, []).extend(errors)
                if not errors:
                    self.targets.setdefault(target, []).append(row)

    async def changes(
        self, pause: Pause, only: Sequence[str] | None = None
    ) -> AsyncIterator[Change]:
        """What is created and updated; `only` plans these products anew."""
        ids = list(self.targets) if only is None else list(only)
        for first in range(0, len(ids), BATCH):
            batch = ids[first : first + BATCH]
            current = await self.store.get_many(batch)
            for product_id in batch:
                if change := self._change(product_id, current.get(product_id)):
                    yield change
            await pause(first + len(batch))

    def _change(self, product_id: str, current: Product | None) -> Change | None:
        merged = self._merged(product_id, current)
        self.expected[product_id] = current.version if current else 0
        if merged is None:
            self.kinds.pop(product_id, None)
            return None
        unchanged = current is not None and same(current, merged)
        kind: Kind = "unchanged" if unchanged else "updated" if current else "created"
        self.kinds[product_id] = kind
        return None if unchanged else Change(kind, current, merged)

    def _merged(self, product_id: str, current: Product | None) -> Product | None:
        """The product of its sound rows; None if there are none."""
        rows = self.targets[product_id]
        while rows:
            try:
                return merge(product_id, rows, current, self.rules)
            except MergeRefused as refusal:
                self.refused.setdefault(product_id, []).extend(refusal.errors)
                lines = {error.line for error in refusal.errors}
                rows = [row for row in rows if row.line not in lines]
                self.targets[product_id] = rows
        return None

    def refuse_sku(self, sku: str, owner: str) -> list[str]:
        """Refuse the row of a SKU that another product turned out to have; whose row it was."""
        key = sku_key(sku)
        for product_id, rows in self.targets.items():
            for row in rows:
                if any(sku_key(variant.sku) == key for variant in row.variants):
                    self.refused.setdefault(product_id, []).append(taken(row.line, sku, owner))
                    rows.remove(row)
                    return [product_id]
        return []

    @property
    def stopped(self) -> bool:
        """Whether rows are wrong that the import may not go without."""
        return self.all_or_nothing and any(error.blocking for error in self.errors)

    async def removals(self) -> list[str]:
        """Products that the file does not name, if it is the whole truth."""
        if not self.rules.whole:
            return []
        return [i for i in await self.store.versions() if i not in self.kinds]

    @property
    def errors(self) -> list[RowError]:
        """Everything that is wrong, in the order of the file."""
        found = [*self.collected.errors, *(e for errors in self.refused.values() for e in errors)]
        return sorted(found, key=lambda error: error.line)

    def row_counts(self) -> Counts:
        """Every row of the file, once."""
        by_kind = dict.fromkeys(("created", "updated", "unchanged"), 0)
        for product_id, kind in self.kinds.items():
            by_kind[kind] += len(self.targets[product_id])
        return Counts(**by_kind, refused=self.collected.total - sum(by_kind.values()))

    def product_counts(self, removed: int = 0) -> Counts:
        """Products by what becomes of them."""
        kinds = list(self.kinds.values())
        return Counts(
            kinds.count("created"), kinds.count("updated"), kinds.count("unchanged"), 0, removed
        )


def _owner(rows: Sequence[RowPatch], owners: dict[str, str]) -> str | None:
    """The one product that has the rows' SKUs, as far as anyone has them."""
    keys = (sku_key(variant.sku) for row in rows for variant in row.variants)
    having = {owners[key] for key in keys if key in owners}
    return having.pop() if len(having) == 1 else None


def _foreign(row: RowPatch, target: str, owners: dict[str, str]) -> list[RowError]:
    errors = []
    for variant in row.variants:
        owner = owners.get(sku_key(variant.sku), target)
        if owner != target:
            errors.append(taken(row.line, variant.sku, owner))
    return errors


def taken(line: int, sku: str, owner: str) -> RowError:
    """A SKU that another product has."""
    return RowError(line, sku, "sku", sku, why("sku_of_another", product=owner))
