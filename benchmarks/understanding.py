"""Whether questions are understood: `python -m benchmarks.understanding [--limit N] [--ids A,B]`.

Asks the demo shop the labelled questions of `data/understanding.jsonl` (see the .md beside it), in
memory: the default encoder and a Finder, no engine and no Redis. Prints a table by kind, JSON last.
"""

import argparse
import asyncio
import json
import time
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from benchmarks.report import percentile
from catalog.demo import demo_products
from catalog.product import LOCALES, Product
from pipeline.encoder import EmbeddingModel, Encoder
from pipeline.facts.choices import matching
from pipeline.facts.fitting import FactFinder
from pipeline.finder import Finder
from pipeline.finding import make_finder
from pipeline.found import Found
from pipeline.lexicon.words import Words, framed
from pipeline.prompting.rendering import TEMPLATES
from pipeline.records import Records
from pipeline.retriever import Retriever
from pipeline.searching.embedding_models import DEFAULT_ENCODER, load_embedding_model
from pipeline.searching.vector_cache import CachedVectors
from pipeline.timing import StageTimings
from pipeline.types import Question, Turn

SHOWN = 3
_SAID = ("question", "text", "q", "user", "customer")
_SHOWN = ("products", "shown", "product_ids", "ids", "cards")
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question's: `wrong` says what was found instead, empty if it was right."""

    row: Row
    wrong: str
    ms: float


class Examiner:
    """Judges what was found."""

    def __init__(self, records: Records, facts: FactFinder) -> None:
        self._records, self._facts = records, facts

    def wrong(self, row: Row, found: Found) -> str:
        """What is wrong with `found`; empty if nothing is."""
        expect = row["expect"]
        shown = [hit.product_id for hit in found.hits][:SHOWN]
        told = f"found {shown}"
        if found.not_found:
            told = f"not found {found.not_found}"
        elif found.not_carried is not None:
            told = f"not carried {found.not_carried}"
        elif found.intent is not None and not found.hits:
            told = f"intent {found.intent}"
        if not self._is_right(expect, found, shown):
            return told
        return self._wrong_facts(row, found, shown)

    @staticmethod
    def _is_right(expect: Row, found: Found, shown: Sequence[str]) -> bool:
        if "not_found" in expect:
            return sorted(map(_key, found.not_found)) == sorted(map(_key, expect["not_found"]))
        if "not_carried" in expect:
            return found.not_carried is not None
        if "intent" in expect:
            return bool(found.intent == expect["intent"])
        if not shown or found.not_carried is not None:
            return False
        if "ordered" in expect:
            first = expect["ordered"][0]
            return shown[0] in ([first] if isinstance(first, str) else first)
        if "products_all" in expect:
            return set(shown) <= set(expect["products_all"])
        return shown[0] in expect["products_any"]

    def _wrong_facts(self, row: Row, found: Found, shown: Sequence[str]) -> str:
        """Whether the first card's variant and stock are as labelled."""
        expect = row["expect"]
        product = self._records.get(shown[0]) if shown else None
        if product is None or not {"variant", "in_stock"} & set(expect):
            return ""
        chosen = self._chosen(row, found, product)
        if any(expect["variant"][n] not in chosen.get(n, ()) for n in expect.get("variant", {})):
            return f"variant {chosen}"
        variants = matching(product.variants, chosen) or list(product.variants)
        in_stock = any(variant.available for variant in variants)
        if in_stock != expect.get("in_stock", in_stock):
            return f"in stock: {in_stock}"
        return ""

    def _chosen(self, row: Row, found: Found, product: Product) -> dict[str, list[str]]:
        """The options meant: of the variant named, else those that the question wishes."""
        for variant in product.variants:
            if found.sku == variant.sku:
                return {name: [value] for name, value in variant.options}
        chosen: dict[str, list[str]] = {}
        for wish in self._facts.options.wishes(framed(row["question"]), product, row["locale"]):
            chosen.setdefault(wish.option, []).extend(wish.values)
        return {name: values for name, values in chosen.items() if values}


def _key(written: str) -> str:
    folded = unicodedata.normalize("NFKC", written).casefold()
    return "".join(character for character in folded if character.isalnum())


def asked(row: Row, records: Records) -> tuple[Question, tuple[Turn, ...]]:
    """The question of a line, and the turns before it."""
    page = records.resolve(row["page"]) if row.get("page") else None
    question = Question(
        text=row["question"],
        locale=row["locale"],
        answer_id=row["id"],
        product_id=page[0].id if page else None,
        sku=page[1].sku if page and page[1] else None,
    )
    turns = tuple(
        Turn(_first(turn, _SAID) or "", "", _ids(_first(turn, _SHOWN)))
        for turn in row.get("history") or ()
    )
    return question, turns


def _first(turn: Row, names: Sequence[str]) -> Any:
    """The first of these fields. Raises `ValueError` where a turn has none: it would count as
    a question without a conversation."""
    if not (known := [name for name in names if name in turn]):
        raise ValueError(f"a turn has none of {', '.join(names)}: {sorted(turn)}")
    return turn[known[0]]


def _ids(shown: str | Sequence[str] | None) -> tuple[str, ...]:
    return (shown,) if isinstance(shown, str) else tuple(shown or ())


async def examine(
    rows: Sequence[Row], finder: Finder, examiner: Examiner, records: Records
) -> list[Outcome]:
    """Ask every question once."""
    outcomes = []
    for row in rows:
        question, turns = asked(row, records)
        began = time.perf_counter()
        found = await finder.find(question, turns, StageTimings())
        ms = (time.perf_counter() - began) * 1000
        outcomes.append(Outcome(row, examiner.wrong(row, found), ms))
    return outcomes


async def run(given: argparse.Namespace) -> list[Outcome]:
    """Build the shop, ask."""
    records = Records()
    records.replace(demo_products(), 1)
    lexicons = {locale: Words.load(TEMPLATES, locale) for locale in LOCALES}
    model: EmbeddingModel = load_embedding_model(given.encoder, "cpu")
    cached = CachedVectors(model, given.cache / "demo") if given.cache else None
    encoder = Encoder(cached or model)
    retriever = Retriever(encoder, records)
    await retriever.rebuild()
    if cached is not None:
        cached.save()
    finder = await make_finder(TEMPLATES, records, retriever)
    examiner = Examiner(records, FactFinder(lexicons))
    outcomes = await examine(chosen(given), finder, examiner, records)
    await encoder.close()
    return outcomes


def chosen(given: argparse.Namespace) -> list[Row]:
    """The lines asked for; no line beyond the limit is read."""
    path = files("benchmarks").joinpath("data", "understanding.jsonl")
    rows: list[Row] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if given.limit is not None and number >= given.limit:
                break
            rows.append(json.loads(line))
    wanted = set(given.ids.split(",")) if given.ids else None
    return [row for row in rows if wanted is None or row["id"] in wanted]


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Shares by kind, and times."""
    kinds: dict[str, list[bool]] = defaultdict(list)
    for outcome in outcomes:
        kinds[outcome.row["kind"]].append(not outcome.wrong)
    right = sum(map(sum, kinds.values()))
    return {
        "questions": len(outcomes),
        "right": round(right / max(1, len(outcomes)), 3),
        "by_kind": {kind: round(sum(hits) / len(hits), 3) for kind, hits in kinds.items()},
        "p50_ms": round(percentile([outcome.ms for outcome in outcomes], 0.5), 2),
        "p99_ms": round(percentile([outcome.ms for outcome in outcomes], 0.99), 2),
    }


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="benchmarks.understanding", description=__doc__)
    parser.add_argument("--limit", type=int, help="only the first so many questions")
    parser.add_argument("--ids", help="only these, with commas between")
    parser.add_argument("--cache", type=Path, help="a folder that keeps vectors between runs")
    parser.add_argument("--encoder", default=DEFAULT_ENCODER, help="as HOTSHELF_ENCODER")
    parser.add_argument("--misses", action="store_true", help="show what was wrong")
    given = parser.parse_args()
    outcomes = asyncio.run(run(given))
    for outcome in outcomes if given.misses else ():
        if outcome.wrong:
            print(f"{outcome.row['id']} {outcome.row['question']}: {outcome.wrong}")
    told = report(outcomes)
    for kind, share in told["by_kind"].items():
        asked_of = sum(outcome.row["kind"] == kind for outcome in outcomes)
        print(f"{kind:14} {asked_of:4} {share:.1%}")
    print(json.dumps(told))


if __name__ == "__main__":
    main()
