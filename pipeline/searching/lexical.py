"""Products by the words they share with a question: BM25 by tantivy, over our own words.

`LexicalStore` writes; each commit gives a `LexicalIndex`, an immutable snapshot that searches the
catalogue as it was at that commit, whatever is committed later. A changing index of both is made
in `pipeline/searching/live_lexical.py`.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import tantivy

from catalog.product import LOCALES, Product, Text
from pipeline.lexicon.analysis import Analyser, Terms
from pipeline.lexicon.vocabulary import Vocabulary

FIELDS = ("title", "body")
BOOSTS: Mapping[str, float] = {"title": 2.0, "body": 1.0}
"""How much more a word in the title says than one in the description."""
K1, B = 1.2, 0.75
"""BM25's constants as tantivy has them."""
_NUMBER = "number"
_HEAP = 64 * 1024 * 1024
"""Bytes that the writer fills before it begins another segment."""


@dataclass(frozen=True, slots=True)
class Row:
    """One text of a product: how often each word occurs, by field, and the fields' lengths."""

    words: Mapping[str, Mapping[str, int]]
    lengths: Mapping[str, int]


Rows = Mapping[str, Sequence[Row]]
"""The texts of products, by id."""


def lexical_texts(product: Product) -> tuple[tuple[str, str], ...]:
    """Title and everything else that is searched, for each language of `product`."""
    return tuple((text.title, _body(product, text)) for text in product.texts.values())


def lexical_rows(product: Product, analyser: Analyser) -> tuple[Row, ...]:
    """What `product` is found by."""
    return tuple(_row(title, body, analyser) for title, body in lexical_texts(product))


def _body(product: Product, text: Text) -> str:
    values = {value: None for shown in product.options.values() for value in shown}
    parts = (
        product.brand,
        text.category,
        text.description,
        *(f"{name} {value}" for name, value in text.attributes),
        *(f"{value} {text.labels.get(value, '')}" for value in values),
    )
    return "\n".join(part for part in parts if part)


def _row(title: str, body: str, analyser: Analyser) -> Row:
    words = {"title": analyser.document(title), "body": analyser.document(body)}
    return Row(
        {field: Counter(found) for field, found in words.items()},
        {field: len(found) for field, found in words.items()},
    )


@dataclass(frozen=True, slots=True)
class Statistics:
    """What BM25 knows of the whole: rows, and the mean length of each field in words."""

    rows: int
    lengths: Mapping[str, float]

    def score(self, row: Row, terms: Terms, frequency: Mapping[tuple[str, str], int]) -> float:
        """BM25 of one row, as tantivy would score it; `frequency` is rows by field and word."""
        total = 0.0
        for field, boost in BOOSTS.items():
            words = row.words[field]
            mean = self.lengths[field] or 1.0
            norm = K1 * (1 - B + B * row.lengths[field] / mean)
            for word in terms.keys() & words.keys():
                count = words[word]
                rarity = self.rarity(frequency.get((field, word), 0))
                total += boost * terms[word] * rarity * count * (K1 + 1) / (count + norm)
        return total

    def whole(self, terms: Terms, frequency: Mapping[tuple[str, str], int]) -> float:
        """The score of a row of mean length that has each word once, where it says the most."""
        total = 0.0
        for word, weight in terms.items():
            known = ((BOOSTS[f], frequency.get((f, word), 0)) for f in FIELDS)
            said = (boost * self.rarity(rows) for boost, rows in known if rows)
            total += weight * max(said, default=0.0)
        return total

    def rarity(self, rows: int) -> float:
        """The inverse document frequency of a word that `rows` rows have.

        Rows that were deleted are among them until tantivy clears them away: there may be more
        than there are at all.
        """
        return log(1 + (max(self.rows - rows, 0) + 0.5) / (rows + 0.5))


class LexicalIndex:
    """The catalogue as it was at one commit. It may be searched by several threads."""

    def __init__(
        self, searcher: Any, schema: Any, ids: Sequence[str], statistics: Statistics
    ) -> None:
        self.statistics = statistics
        self._searcher, self._schema, self._ids = searcher, schema, ids

    def search(
        self, terms: Terms, k: int, among: Collection[int] | None = None
    ) -> list[tuple[str, float]]:
        """At most `k` different ids with their BM25 score, best first.

        `among` are the numbers of the only products that count (`LexicalStore.numbers`).
        """
        if not terms or k <= 0 or self.statistics.rows == 0 or (among is not None and not among):
            return []
        query = self._query(terms)
        if among is not None:
            query = self._only(query, among)
        hits = self._searcher.search(query, limit=k * len(LOCALES), count=False).hits
        numbers = self._searcher.fast_field_values(_NUMBER, [address for _, address in hits])
        best: dict[str, float] = {}
        for (score, _), number in zip(hits, numbers, strict=True):
            best.setdefault(self._ids[number], float(score))
        return list(best.items())[:k]

    def frequency(self, terms: Terms) -> dict[tuple[str, str], int]:
        """How many rows have each word in each field."""
        return {
            (field, word): self._searcher.doc_freq(field, word)
            for field in FIELDS
            for word in terms
        }

    def _query(self, terms: Terms) -> Any:
        make = tantivy.Query
        parts = [
            (
                tantivy.Occur.Should,
                make.boost_query(
                    make.term_query(self._schema, field, word, "freq"), boost * weight
                ),
            )
            for field, boost in BOOSTS.items()
            for word, weight in terms.items()
        ]
        return make.boolean_query(parts)

    def _only(self, query: Any, among: Collection[int]) -> Any:
        make, must = tantivy.Query, tantivy.Occur.Must
        chosen = make.term_set_query(self._schema, _NUMBER, list(among))
        return make.boolean_query([(must, query), (must, make.const_score_query(chosen, 0.0))])


class LexicalStore:
    """Writes words, and hands out a snapshot after each commit. One thread at a time."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.numbers: dict[str, int] = {}
        self._ids: list[str] = []
        self._rows = 0
        self._lengths = dict.fromkeys(FIELDS, 0)
        self._schema = _schema()
        self._index = tantivy.Index(self._schema)
        words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        self._index.register_tokenizer("words", words)
        self._writer: Any = self._index.writer(_HEAP, 1)

    def commit(self, upserts: Rows, removals: Iterable[str] = ()) -> LexicalIndex:
        """Put in, replace and take out products; the catalogue as it is then."""
        for id_ in {*removals, *upserts}:
            if (number := self.numbers.get(id_)) is not None:
                self._writer.delete_documents_by_term(_NUMBER, number)
        for id_, rows in upserts.items():
            number = self._number(id_)
            for row in rows:
                self._add(number, row)
        self._writer.commit()
        self._index.reload()
        searcher = self._index.searcher()
        means = {field: total / (self._rows or 1) for field, total in self._lengths.items()}
        statistics = Statistics(searcher.num_docs, means)
        return LexicalIndex(searcher, self._schema, self._ids, statistics)

    def learn(self, products: Rows) -> None:
        """Know the words of `products`, so that misspelt ones are told from them."""
        for rows in products.values():
            self.vocabulary.add({w for row in rows for words in row.words.values() for w in words})

    def _number(self, id_: str) -> int:
        """A product keeps its number for good, so that there are never more than ids."""
        if id_ not in self.numbers:
            self._ids.append(id_)
            self.numbers[id_] = len(self._ids) - 1
        return self.numbers[id_]

    def _add(self, number: int, row: Row) -> None:
        document = tantivy.Document()
        document.add_integer(_NUMBER, number)
        for field, words in row.words.items():
            document.add_text(field, " ".join(Counter(words).elements()))
            self._lengths[field] += row.lengths[field]
        self._rows += 1
        self._writer.add_document(document)


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field(_NUMBER, indexed=True, fast=True)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="words", index_option="freq")
    return builder.build()
