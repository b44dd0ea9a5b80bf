"""What stands before a question, in the order that lets prompts share their beginnings.

A conversation begins with the static head, the stable blocks of its products in canonical order,
what opens the shopper's message, earlier turns if they are known as texts only, and the live facts.
After that it only appends: its transcript, then the block of a product that joins, then live facts
that are new or changed. What the transcript says already is not repeated, and what it said wrongly
since stays: the newest live facts stand last, and the facts beside the question are of this moment.

A conversation that does not fit any more begins anew with fewer turns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from catalog.product import Locale, Product
from pipeline.facts.offers import live_facts
from pipeline.facts.options import OptionReader
from pipeline.prompting.block_cache import BlockCache
from pipeline.prompting.frames import Frame, Ids
from pipeline.prompting.parts import Part
from pipeline.prompting.rendering import Renderer
from pipeline.prompting.sizes import LABELS, PromptConfig
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.prompting.transcript import Transcript, Transcripts, digest_of
from pipeline.prompting.trim import block_of, fit
from pipeline.types import Known, Turn


@dataclass(frozen=True, slots=True)
class Opening:
    """What stands before the question. `old` of its ids are the transcript before this turn, or
    the head; `known` is what has been told with it; `trimmed` counts tokens that did not fit."""

    parts: tuple[Part, ...]
    old: int
    known: tuple[Known, ...]
    trimmed: int = 0

    @property
    def ids(self) -> Ids:
        """All of it, in order."""
        return tuple(token for part in self.parts for token in part.ids)


class Layout:
    """Lays out everything but the question."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        frames: Mapping[Locale, Frame],
        renderers: Mapping[Locale, Renderer],
        heads: Mapping[Locale, Ids],
        options: OptionReader,
        config: PromptConfig,
    ) -> None:
        self._tokenizer = tokenizer
        self._frames = frames
        self._renderers = renderers
        self._heads = heads
        self._options = options
        self._config = config
        self.transcripts = Transcripts(tokenizer, frames, renderers, heads)
        self.blocks = BlockCache(tokenizer, renderers, heads, config)

    def room(self, locale: Locale, answer_tokens: int | None = None) -> int:
        """Tokens beside the head and what opens a message."""
        head = len(self._heads[locale])
        budget = self._config.budget(head, answer_tokens)
        return budget - head - len(self._frames[locale].to_user)

    def opening(
        self,
        products: Sequence[Product],
        locale: Locale,
        turns: Sequence[Turn],
        ending: int = 0,
        answer_tokens: int | None = None,
    ) -> Opening:
        """What stands before a question about `products`, whose own part has `ending` tokens."""
        room = self.room(locale, answer_tokens)
        ending = max(ending, min(self._config.usual_ending_tokens, room // 4))
        transcript = self.transcripts.resume(turns)
        if transcript is not None:
            opening = self._appended(transcript, products, locale, room)
            budget = self._config.budget(len(self._heads[locale]), answer_tokens)
            if len(opening.ids) + ending <= budget:
                return opening
        return self._begun(products, locale, turns, room, ending)

    def live(self, product: Product, locale: Locale, several: bool, room: int) -> Ids:
        """Price and stock as of this record; never kept."""
        text = self._live_text(product, locale, several)
        limit = min(self._config.max_live_tokens, (room - LABELS) // 4)
        return block_of(self._tokenizer, text).cut(limit)

    def _live_text(self, product: Product, locale: Locale, several: bool) -> str:
        live = live_facts(product, product.variants, locale, self._options)
        return self._renderers[locale].live(product, live, several)

    def _begun(
        self,
        products: Sequence[Product],
        locale: Locale,
        turns: Sequence[Turn],
        room: int,
        ending: int,
    ) -> Opening:
        """A conversation from its beginning; `turns` as texts."""
        head, several = self._heads[locale], len(products) > 1
        live = [self.live(product, locale, several, room) for product in products]
        blocks = [self.blocks.get(product, locale) for product in products]
        history = [ids for turn in turns if (ids := self.transcripts.text(turn, locale))]
        fitted = fit(
            room - ending - len(live[0] if live else ()),
            [len(ids) for ids in history],
            blocks,
            [0, *map(len, live[1:])],
            self._config.low_water,
        )
        kept = sorted(zip(products, fitted.blocks, live, strict=False), key=lambda row: row[0].id)
        parts = (
            Part("head", head),
            *(Part("product", block, product.id) for product, block, _ in kept),
            Part("frame", self._frames[locale].to_user),
            *(Part("history", ids) for ids in history[fitted.first_turn :]),
            *(Part("live", facts, product.id) for product, _, facts in kept),
        )
        known = tuple(self._known(product, locale) for product, _, _ in kept)
        return Opening(parts, len(head), known, fitted.trimmed)

    def _appended(
        self, transcript: Transcript, products: Sequence[Product], locale: Locale, room: int
    ) -> Opening:
        """A conversation that goes on."""
        known = dict(transcript.known)
        joined, changed = list[Part](), list[Part]()
        several = len(known.keys() | {product.id for product in products}) > 1
        for product in sorted(products, key=lambda product: product.id):
            old, new = known.get(product.id), self._known(product, transcript.locale)
            if old is None or old.block != new.block:
                joined.append(Part("product", self.blocks.get(product, locale).ids, product.id))
            if old is None or old.live != new.live:
                facts = self.live(product, locale, several, room)
                changed.append(Part("live", facts, product.id))
            known[product.id] = new
        head, history = transcript.ids[: transcript.head], transcript.ids[transcript.head :]
        parts = (Part("head", head), Part("history", history), *joined, *changed)
        return Opening(parts, len(transcript.ids), tuple(known.values()))

    def _known(self, product: Product, locale: Locale) -> Known:
        """Digests of what a transcript with the head of `locale` tells of `product`: in its own
        language, so that a turn in another one finds nothing changed."""
        block = self.blocks.get(product, locale)
        live = self._live_text(product, locale, several=False)
        return Known(product.id, digest_of(repr(block.ids)), digest_of(live))
