"""Whether a question names a product outright."""

from catalog.product import Product
from pipeline.encoder import normalise


def names(question: str, product: Product) -> bool:
    """Whether a whole title of `product`, in any language, is in `question`."""
    asked = normalise(question)
    return any(normalise(text.title) in asked for text in product.texts.values())
