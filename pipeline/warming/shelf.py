"""The hot shelf as one process has it: which prefixes it is made of, and which of them are warm.

Membership is everyone's (`catalog/traffic.py`); how much of it is warmed is bounded by the cache of
this process's own engine. Records and the token ids of stable blocks are in memory anyway, and the
one index holds every vector; so what is left to do is the engine's blocks.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.product import Locale, Product
from catalog.traffic import Members, Place
from pipeline.prompt import PromptBuilder
from pipeline.records import Records
from pipeline.reuse.ledger import Ledger
from pipeline.warming.jobs import Ids, Job, digest

SHELF_SHARE = 0.5
"""Of the engine's cache, for the shelf at most; the rest is for conversations."""
TOUCH_SHARE = 0.5
"""Of the engine's cache computed since a prefix was used: it is used again, before it goes."""


@dataclass(frozen=True, slots=True)
class ShelfStatus:
    """Members that there are, and those of them that are warm."""

    members: int
    warm: int


class Entry:
    """A head, or a member. `used`: how many tokens were computed in all when it was used last."""

    __slots__ = (
        *("_digest", "ids", "is_warm", "key", "locale", "place", "product", "used", "was_warm"),
    )

    def __init__(self, locale: Locale, place: Place | None, ids: Ids) -> None:
        self.locale, self.place = locale, place
        self.key = f"head:{locale}" if place is None else f"{locale}:{place.product_id}"
        self.product: Product | None = None
        self.used = 0
        self.was_warm = False
        self.set_ids(ids)

    def set_ids(self, ids: Ids) -> None:
        """The prefix is this from now on."""
        self.ids = ids
        self.is_warm = False
        self._digest = ""

    @property
    def digest(self) -> str:
        """Of its ids."""
        self._digest = self._digest or digest(self.ids)
        return self._digest


class Shelf:
    """Heads first, then the members in their order. One event loop."""

    def __init__(
        self,
        records: Records,
        prompts: PromptBuilder,
        ledger: Ledger,
        cache_tokens: int | None = None,
    ) -> None:
        self._records, self._prompts, self._ledger = records, prompts, ledger
        self._cache_tokens = cache_tokens
        self._cleared = ledger.cleared
        self._heads = prompts.heads()
        self._of_heads = [Entry(name, None, ids) for name, ids in self._heads.items()]
        self._of_members: dict[Place, Entry] = {}

    def use(self, members: Members) -> None:
        """These, in this order, from now on; what is known of those that stay is kept."""
        places = [member.place for member in members]
        known = self._of_members
        self._of_members = {place: known.get(place) or self._entry(place) for place in places}

    def entries(self) -> Iterator[Entry]:
        """Those that fit into the engine's cache, with their prefixes as of now."""
        room = self._cache_tokens and self._cache_tokens * SHELF_SHARE
        for entry in (*self._of_heads, *self._of_members.values()):
            if not self._refresh(entry):
                continue
            if room is not None:
                room -= len(entry.ids) - self._shared(entry)
                if room < 0:
                    return
            yield entry

    def cold(self) -> Job | None:
        """What to warm first of what is not."""
        self._doubt()
        for entry in self.entries():
            if not self.is_warm(entry):
                return Job("change" if entry.was_warm else "shelf", entry.key, entry.ids)
        return None

    def is_warm(self, entry: Entry) -> bool:
        """Whether its prefix was computed; what the ledger said once is not asked again."""
        entry.is_warm = entry.is_warm or self._ledger.is_warm(entry.ids)
        return entry.is_warm

    def _doubt(self) -> None:
        """What was warm is not, if the ledger has forgotten all meanwhile."""
        if self._cleared != self._ledger.cleared:
            self._cleared = self._ledger.cleared
            for entry in (*self._of_heads, *self._of_members.values()):
                entry.is_warm = entry.was_warm = False

    def first(self) -> Job:
        """A head: if the engine has not even that, it has nothing."""
        entry = self._of_heads[0]
        return Job("touch", entry.key, entry.ids)

    def aging(self, computed: int) -> Job | None:
        """What was used longest ago, where so many tokens were computed since, `computed` being all
        so far, that the engine may soon take its blocks for others."""
        if self._cache_tokens is None:
            return None
        oldest = min(self.entries(), key=lambda entry: entry.used, default=None)
        if oldest is None or computed - oldest.used <= self._cache_tokens * TOUCH_SHARE:
            return None
        return Job("touch", oldest.key, oldest.ids)

    def find(self, job: Job) -> Entry | None:
        """The entry that `job` is of, unless its prefix has changed meanwhile."""
        found = (entry for entry in self.entries() if entry.key == job.key)
        entry = next(found, None)
        return entry if entry is not None and entry.ids == job.ids else None

    def used(self, place: Place, computed: int) -> None:
        """An answer used the prefix of `place`, `computed` tokens having been computed so far."""
        for entry in (self._of_members.get(place), *self._of_heads):
            if entry is not None and entry.locale == place.locale:
                entry.used = computed

    def status(self) -> ShelfStatus:
        """How far it is."""
        self._doubt()
        members = [entry for entry in self.entries() if entry.place is not None]
        warm = sum(self.is_warm(entry) for entry in members)
        return ShelfStatus(len(self._of_members), warm)

    def _entry(self, place: Place) -> Entry:
        return Entry(place.locale, place, self._heads[place.locale])

    def _shared(self, entry: Entry) -> int:
        """Tokens that it has in common with others: a member's head."""
        return 0 if entry.place is None else len(self._heads[entry.locale])

    def _refresh(self, entry: Entry) -> bool:
        """Whether it is there; its prefix is then that of the record as it is now."""
        if entry.place is None:
            return True
        product = self._records.get(entry.place.product_id)
        if product is None:
            return False
        if product is not entry.product:
            entry.product = product
            ids = self._prompts.prefix(product, entry.place.locale)
            if ids != entry.ids:
                entry.set_ids(ids)
        return True
