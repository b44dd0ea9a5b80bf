"""The stable blocks of products: tokenised once for as long as what they say stays the same."""

from collections import OrderedDict
from collections.abc import Mapping

from catalog.product import Locale, Product
from pipeline.prompting.rendering import Renderer
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.prompting.trim import Block, block_of


class BlockCache:
    """At most `size` blocks of at most `max_tokens` each; the one used last stays longest."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        renderers: Mapping[Locale, Renderer],
        max_tokens: int,
        size: int,
    ) -> None:
        self._tokenizer, self._renderers = tokenizer, renderers
        self._max_tokens, self._size = max_tokens, size
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
        block = block.shortened(self._max_tokens)
        self._blocks[key] = product, block
        self._blocks.move_to_end(key)
        if len(self._blocks) > self._size:
            self._blocks.popitem(last=False)
        return block


def _alike(old: Product, new: Product) -> bool:
    """Whether both have the same stable block."""
    if old is new:
        return True
    slow = (old.texts, old.locale, old.brand, old.options)
    return slow == (new.texts, new.locale, new.brand, new.options)
