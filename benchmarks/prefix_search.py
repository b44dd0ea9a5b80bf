"""Which products a plain service would put into the prompt, looked up before anything is timed."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.prefix_workload import Ask
from catalog.product import Product
from pipeline.encoder import Encoder
from pipeline.records import Records
from pipeline.retriever import Retriever
from pipeline.searching.embedding_models import DEFAULT_ENCODER, load_embedding_model
from pipeline.searching.vector_cache import CachedVectors

DEPTH = 10


async def found_for(
    products: Sequence[Product], asked: Sequence[Ask], vectors: Path
) -> Mapping[tuple[str, str], Sequence[str]]:
    """Ids of ten products for each page and question: the page's, then the nearest to both."""
    model = CachedVectors(load_embedding_model(DEFAULT_ENCODER, "cpu"), vectors)
    encoder, records = Encoder(model), Records()
    records.replace(products, 1)
    retriever = Retriever(encoder, records)
    await retriever.rebuild()
    model.save()
    found: dict[tuple[str, str], Sequence[str]] = {}
    for ask in asked:
        product = records.get(ask.product_id)
        assert product is not None  # it is asked about
        text = f"{product.text('en').title} {ask.text}"
        candidates = retriever.candidates(text, await retriever.encode(text), DEPTH)
        others = [c.product_id for c in candidates if c.product_id != ask.product_id]
        found[ask.product_id, ask.text] = [ask.product_id, *others[: DEPTH - 1]]
    await encoder.close()
    return found
