"""Which products a question is about: the page's, the conversation's, or the nearest ones."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from catalog.product import Product
from pipeline.encoder import Encoder, Vectors
from pipeline.lexicon.analysis import Terms, standard_analyser
from pipeline.lexicon.synonyms import Thesaurus
from pipeline.records import Records
from pipeline.searching.coverage import Coverage, coverage, strangers
from pipeline.searching.embedding_models import Device
from pipeline.searching.fusion import Candidate, FusionConfig, fuse
from pipeline.searching.index import usable
from pipeline.searching.lexical import LexicalStore, Row, lexical_rows, lexical_texts
from pipeline.searching.live_index import LiveIndex, built
from pipeline.searching.live_lexical import LiveLexical
from pipeline.types import Source, Why


@dataclass(frozen=True, slots=True)
class Hit:
    """A product id and why it was chosen; `score` is a cosine similarity."""

    product_id: str
    why: Why
    score: float | None = None


@dataclass(frozen=True, slots=True)
class RetrieverConfig:
    """`products`: how many a search brings. `device`: where the vectors are kept."""

    device: Device = "cpu"
    fusion: FusionConfig = field(default_factory=FusionConfig)


def searchable_texts(product: Product) -> list[str]:
    """One text for each language of `product`, its most telling words first."""
    return [
        " ".join(
            part
            for part in (
                text.title,
                product.brand,
                text.category,
                text.description,
                " ".join(f"{name}: {value}" for name, value in text.attributes),
            )
            if part
        )
        for text in product.texts.values()
    ]


def found_by(product: Product) -> tuple[object, ...]:
    """Whatever `product` is found by: if it is the same, nothing has to be read again."""
    return (searchable_texts(product), lexical_texts(product))


class Retriever:
    """Finds product ids; records are looked up later, so a deleted product cannot come back."""

    def __init__(
        self, encoder: Encoder, records: Records, config: RetrieverConfig | None = None
    ) -> None:
        self.encoder = encoder
        self._records = records
        self._config = config or RetrieverConfig()
        self.device = usable(self._config.device)
        self._analyser = standard_analyser()
        self._thesaurus = Thesaurus((), self._analyser)
        self._index: LiveIndex | None = None
        self._words: LiveLexical | None = None

    async def encode(self, text: str) -> Vectors:
        """What `candidates` and `search` want to know of a question besides its words."""
        return await self.encoder.query(text)

    def use_synonyms(self, groups: Sequence[Sequence[str]]) -> None:
        """Take the words of each group to mean the same, from now on."""
        self._thesaurus = Thesaurus(groups, self._analyser)

    @property
    def batch(self) -> int:
        """Products that are best encoded together."""
        return self.encoder.document_batch

    async def rebuild(self) -> None:
        """Encode the products and search among them from now on."""
        rows = [(p.id, text) for p in self._records.products() for text in searchable_texts(p)]
        vectors = await self.encoder.documents([text for _, text in rows])
        base = await asyncio.to_thread(built, [id_ for id_, _ in rows], vectors, self.device)
        words = await asyncio.to_thread(self._lexical, self._records.products())
        self._index, self._words = LiveIndex(base, self.device), words

    async def update(self, changed: Sequence[Product], removed: Sequence[str] = ()) -> None:
        """Find `changed` by their new texts and `removed` no more, from now on."""
        if self._index is None or self._words is None:
            return
        vectors = await self.rows(changed)
        self._words.change(self._rows_of_words(changed), removed)
        self._index.change(vectors, removed)

    async def rows(self, products: Sequence[Product]) -> dict[str, Vectors]:
        """The vectors by which products are found, float32 [texts, dimension] by product id.

        They are encoded behind the questions that come meanwhile.
        """
        rows = [(p.id, text) for p in products for text in searchable_texts(p)]
        vectors = await self.encoder.documents([text for _, text in rows])
        places = groupby(range(len(rows)), key=lambda place: rows[place][0])
        return {id_: vectors[list(at)] for id_, at in places}

    def fork(
        self, records: Records, rows: Mapping[str, Vectors], removed: Sequence[str] = ()
    ) -> "Retriever":
        """One that finds as this one does now, but for `rows` and `removed`, on other records."""
        fork = Retriever(self.encoder, records, self._config)
        fork._thesaurus = self._thesaurus
        if self._index is not None and self._words is not None:
            fork._index, fork._words = self._index.fork(), self._words.fork()
            fork._index.change(rows, removed)
            changed = (records.get(id_) for id_ in rows)
            words = self._rows_of_words([product for product in changed if product is not None])
            fork._words.change(words, removed)
        return fork

    def candidates(
        self, text: str, vector: Vectors, k: int, among: Collection[str] | None = None
    ) -> tuple[Candidate, ...]:
        """At most `k` products by meaning and by words, best first; `vector` is of `encode`.

        Only those `among`, if that is given: each of them is then compared, exactly.
        """
        if self._index is None or self._words is None:
            return ()
        fusion = self._config.fusion
        terms = self._terms(text, self._words)
        if among is None:
            depth = max(k, fusion.depth)
            dense = dict(self._index.search(vector, depth))
            lexical = dict(self._words.search(terms, depth))
        else:
            dense = self._index.scores(vector, among)
            lexical = dict(self._words.search(terms, len(among), among))
        least = fusion.sure * self._words.whole(terms)
        return fuse(dense, lexical, fusion.lexical, least)[:k]

    def coverage(self, text: str, product_ids: Sequence[str]) -> Coverage:
        """How much of `text` the texts of these products have."""
        products = [p for p in map(self._records.get, product_ids) if p is not None]
        if self._words is None:
            return Coverage(1.0, True)
        rows = [row for product in products for row in lexical_rows(product, self._analyser)]
        return coverage(text, rows, len(self._records), self._analyser, self._words.vocabulary)

    def strangers(self, text: str) -> list[str]:
        """The words of `text` that no product has."""
        return (
            [] if self._words is None else strangers(text, self._analyser, self._words.vocabulary)
        )

    def has_synonym(self, text: str) -> bool:
        """Whether the shop says that something in `text` means the same as something else."""
        terms = self._analyser.question(text)
        return len(self._thesaurus.widened(terms)) > len(terms)

    def telling(self, text: str) -> int:
        """How many words of `text` tell one product from another."""
        return len(self._analyser.question(text))

    def _terms(self, text: str, words: LiveLexical) -> Terms:
        """What `text` is searched by: its own words, spelt as the shop spells them, and others
        that mean the same."""
        return self._thesaurus.widened(words.known(self._analyser.question(text)))

    def _rows_of_words(self, products: Sequence[Product]) -> dict[str, Sequence[Row]]:
        return {product.id: lexical_rows(product, self._analyser) for product in products}

    def _lexical(self, products: Sequence[Product]) -> LiveLexical:
        """All of the records' words, read afresh."""
        store, rows = LexicalStore(), self._rows_of_words(products)
        store.learn(rows)
        return LiveLexical(store, store.commit(rows))


def hydrate(records: Records, hits: Sequence[Hit]) -> tuple[Source, ...]:
    """The records of `hits` as they are at this moment."""
    found = ((records.get(hit.product_id), hit) for hit in hits)
    return tuple(Source(p, hit.why, hit.score) for p, hit in found if p is not None)
