"""The stable blocks of products: tokenised once for as long as what they say stays the same."""

from collections import OrderedDict
from collections.abc import Mapping

from catalog.product import Locale, Product
from pipeline.prompting.frames import Ids
from pipeline.prompting.rendering import Renderer
from pipeline.prompting.sizes import PromptConfig
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.prompting.trim import Block, block_of


class BlockCache:
    """At most `cached_blocks` blocks of at most `max_block_tokens` each; the one used last stays
    longest."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        renderers: Mapping[Locale, Renderer],
        heads: Mapping[Locale, Ids],
        config: PromptConfig,
    ) -> None:
        self._tokenizer, self._renderers = tokenizer, renderers
        self._heads, self._config = heads, config
        self._blocks: OrderedDict[tuple[str, Locale], tuple[Product, Block]] = OrderedDict()

    def get(self, product: Product, locale: Locale) -> Block:
        """The product's block in one language.

        Versions would not do as a key: a new price is a new version, and a catalogue that was put
        back counts anew.
        """
        key = (product.id, locale)
        known = self._blocks.get(key)
        if known is not None and _alike(known[0], product):
            self._blocks[key] = product, known[1]
            self._blocks.move_to_end(key)
            return known[1]
        block = block_of(self._tokenizer, self._renderers[locale].product(product))
        block = self._cut(block, len(self._heads[locale]))
        self._blocks[key] = product, block
        self._blocks.move_to_end(key)
        if len(self._blocks) > self._config.cached_blocks:
            self._blocks.popitem(last=False)
        return block

    def _cut(self, block: Block, head: int) -> Block:
        """`block`, if it is too long, up to where a block of the engine's cache ends behind a head
        of so many tokens: what follows it begins a block of its own."""
        most, size = self._config.max_block_tokens, self._config.block_tokens
        if len(block.ids) <= most:
            return block
        for limit in range(most - (head + most) % size, 0, -size):
            if len(cut := block.shortened(limit).ids) == limit:
                return block.shortened(len(cut))
        return block.shortened(most)


def _alike(old: Product, new: Product) -> bool:
    """Whether both have the same stable block."""
    if old is new:
        return True
    slow = (old.texts, old.locale, old.brand, old.options)
    return slow == (new.texts, new.locale, new.brand, new.options)
