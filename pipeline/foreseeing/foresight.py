"""Which answers a change of the catalogue would change, before it is made; nothing is generated.

Each question is put twice to what finds its products and facts: as the shop is now, and with the
changed products in place. Both are forks of the live records and index, which stay untouched, made
in one step so that an edit by somebody else counts on both sides or on neither. Vectors are made
and searched behind the shoppers' questions, and the event loop is given back after every question.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from catalog.product import Product
from pipeline.encoder import Vectors
from pipeline.finder import Finder
from pipeline.foreseeing.grounds import AnswerChange, Asking, Shop, compare
from pipeline.prompt import PromptBuilder
from pipeline.records import Records
from pipeline.replying.replies import Replies
from pipeline.retriever import Retriever, found_by, searchable_texts

_TOGETHER = 4
"""Products encoded in one call: a real change that comes meanwhile waits for no more."""
Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForesightConfig:
    """`prompt_products`: how many of those found are put into a prompt, as in `ChatConfig`.

    `max_texts`: new product texts that are encoded for one comparison.
    """

    prompt_products: int = 1
    max_texts: int = 300


@dataclass(frozen=True, slots=True)
class Foreseen:
    """`questions` were compared. `not_searched`: products whose new text was not encoded, so that
    they were looked for by their old one, if they had one. `overtaken`: changed products that
    somebody else has changed since; they were left as they are now."""

    questions: int
    changed: tuple[AnswerChange, ...] = ()
    not_searched: int = 0
    overtaken: int = 0


class Foresight:
    """Compares answers over the live records and index, which it only reads. One event loop."""

    def __init__(
        self,
        records: Records,
        retriever: Retriever,
        finder: Finder,
        replies: Replies,
        prompts: PromptBuilder,
        config: ForesightConfig | None = None,
    ) -> None:
        self._records, self._retriever, self._prompts = records, retriever, prompts
        self._finder, self._replies = finder, replies
        self._config = config or ForesightConfig()
        self._encoded: dict[Texts, Vectors] = {}

    async def compare(
        self, askings: Sequence[Asking], changed: Sequence[Product], removed: Sequence[str]
    ) -> Foreseen:
        """Which of `askings` would be answered from something else, were `changed` as they are
        here, each with the version that it has before, and `removed` gone."""
        standing = [product for product in changed if not self._overtaken(product)]
        rows, not_searched = await self._rows(standing)
        for asking in askings:
            await self._remember(asking)
        before = self._before()
        after = await self._retriever.encoder.behind(_after, before, standing, rows, removed)
        found = []
        for asking in askings:
            await asyncio.sleep(0)
            if (change := await compare(before, after, asking)) is not None:
                found.append(change)
        overtaken = len(changed) - len(standing)
        return Foreseen(len(askings), tuple(found), not_searched, overtaken)

    def _before(self) -> Shop:
        """The shop as it is at this moment, whatever is changed later."""
        records = self._records.fork()
        retriever = self._retriever.fork(records, {})
        finder = self._finder.fork(records, retriever)
        in_prompt = self._config.prompt_products
        return Shop(records, retriever, finder, self._replies, self._prompts, in_prompt)

    def _overtaken(self, product: Product) -> bool:
        now = self._records.get(product.id)
        return now is not None and now.version > product.version

    async def _remember(self, asking: Asking) -> None:
        """Encode a question behind the shoppers'; it is then known when it is searched for."""
        if asking.sku is None:
            await self._retriever.encoder.query(asking.text, behind=True)

    async def _rows(self, changed: Sequence[Product]) -> tuple[dict[str, Vectors], int]:
        """New vectors of those whose texts change, and how many products got none."""
        searched: list[tuple[Product, Texts]] = []
        room, not_searched = self._config.max_texts, 0
        for product in changed:
            await asyncio.sleep(0)
            now, texts = self._records.get(product.id), tuple(searchable_texts(product))
            if now is not None and found_by(now) == found_by(product):
                continue
            if len(texts) > room:
                not_searched += 1
                continue
            room -= len(texts)
            searched.append((product, texts))
        encoded = await self._encode(searched)
        return {product.id: encoded[texts] for product, texts in searched}, not_searched

    async def _encode(self, searched: Sequence[tuple[Product, Texts]]) -> dict[Texts, Vectors]:
        """Encode what the last comparison did not: a preview is often looked at again."""
        known = self._encoded
        encoded = {texts: known[texts] for _, texts in searched if texts in known}
        missing = [(product, texts) for product, texts in searched if texts not in encoded]
        for first in range(0, len(missing), _TOGETHER):
            batch = missing[first : first + _TOGETHER]
            rows = await self._retriever.rows([product for product, _ in batch])
            encoded.update({texts: rows[product.id] for product, texts in batch})
        self._encoded = encoded
        return encoded


def _after(
    before: Shop, changed: Sequence[Product], rows: Mapping[str, Vectors], removed: Sequence[str]
) -> Shop:
    """The same shop with the change made."""
    records = before.records.fork()
    records.apply(changed, removed, records.version)
    retriever = before.retriever.fork(records, rows, removed)
    finder = before.finder.fork(records, retriever, changed, removed)
    return replace(before, records=records, retriever=retriever, finder=finder)
