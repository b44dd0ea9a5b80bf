"""How many wrong prices and false availabilities reach a shopper, and how many were replaced.

    python -m benchmarks.guard --url http://127.0.0.1:8000 --questions questions.jsonl

Every question is asked of a running server, on the page of its `sku` where it has one. The answers
are read by this file's own rules, which share nothing with the guard's, against the records: the
demo shop's, or those of `--catalog`, any file that imports. What was replaced is the difference of
`hotshelf_guard_total` before and after. JSON is printed last.
"""

import argparse
import asyncio
import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx

from benchmarks.answers import Answered, ask_all
from benchmarks.catalog_files import DEMO, products_of
from benchmarks.scoring import Labelled, labelled
from catalog.product import Product

_FIGURE = r"\d[\d,]*(?:\.\d+)?"
_UNITS = r"元|块|美元|欧元|(?:us )?dollars?\b|bucks\b|usd\b|cny\b|rmb\b|yuan\b|euros?\b|[€£]"
_MONEY = re.compile(
    rf"(?:US\$|[$€£¥]|\b(?:usd|cny|rmb|eur|gbp)\b)\s*({_FIGURE})"
    rf"|({_FIGURE})\s*(?:{_UNITS})"
    rf"|(?:price|costs?|价格|售价|现价)[^\d—]{{0,12}}({_FIGURE})(?![.\d]|\s*[%a-z])",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"\d+\s*(?:%|percent)\s*(?:off|discount|优惠)|half[ -]price|半价|[\d一-九]+\s*折(?!叠)",
    re.IGNORECASE,
)
_OUT = re.compile(
    r"out of stock|sold out|unavailable|(?:not|n't) (?:currently )?(?:available|in stock)"
    r"|\bno (?:\w+ ){1,3}(?:is |are )?(?:available|in stock)"
    r"|缺货|售罄|卖完|没有?货|无货|断货|没有现货",
    re.IGNORECASE,
)
_IN = re.compile(r"in stock|available(?! to pre)|有货|现货", re.IGNORECASE)
_SENTENCE = re.compile(r"[。！!？?\n—]|\.(?=\s|$)")
_PART = re.compile(r";|,(?=\s*out of)|,(?=[^,]*(?:缺货|有货))|,(?= but )")
Chosen = dict[str, tuple[str, ...]]
"""Values by option."""


@dataclass(frozen=True, slots=True)
class Read:
    """What an answer says that its product's record does not bear out."""

    wrong_amounts: tuple[str, ...] = ()
    false_availabilities: tuple[str, ...] = ()
    claims: int = 0


def read(answer: str, product: Product, question: str = "", sku: str | None = None) -> Read:
    """The claims in `answer` held against the variants of `product` that it names, or else
    `question` names, or else the one that is looked at."""
    text = unicodedata.normalize("NFKC", answer)
    priced = _without_values(text, product)
    amounts = [match for match in _MONEY.finditer(priced) if not _is_known(match, product)]
    shares = [match for match in _SHARE.finditer(text) if not _is_on_sale(product)]
    asked = _chosen(_untitled(question, product), product) or _looked_at(product, sku)
    chosen: Chosen = {}
    false: list[str] = []
    parts = _parts(_untitled(text, product))
    for part, status, fresh in parts:
        chosen = {**({} if fresh else chosen), **_chosen(part, product)}
        if not _may_be({**asked, **chosen}, status, product):
            false.append(part)
    claims = len(_MONEY.findall(priced)) + len(_SHARE.findall(text)) + len(parts)
    return Read(tuple(m.group() for m in (*amounts, *shares)), tuple(false), claims)


def _is_known(match: re.Match[str], product: Product) -> bool:
    figure = next(group for group in match.groups() if group is not None)
    value = Decimal(figure.replace(",", "").rstrip("."))
    return any(
        value == money.amount
        for variant in product.variants
        for money in (variant.price, variant.sale_price)
        if money is not None
    )


def _is_on_sale(product: Product) -> bool:
    return any(variant.sale_price is not None for variant in product.variants)


def _untitled(text: str, product: Product) -> str:
    text = unicodedata.normalize("NFKC", text)
    for told in product.texts.values():
        text = text.replace(unicodedata.normalize("NFKC", told.title), " ")
    return text


def _without_values(text: str, product: Product) -> str:
    """`text` without the option values that have digits, which would run into the amounts."""
    values = {value for values in product.options.values() for value in values}
    labels = {product.label(value, locale) for value in values for locale in product.texts}
    for value in sorted(values | labels, key=len, reverse=True):
        if any(character.isdigit() for character in value) and not value.isdigit():
            text = text.replace(value, " ")
    return text


def _parts(text: str) -> list[tuple[str, str, bool]]:
    """Each part of the answer that claims a status, which, and whether a sentence begins."""
    found = []
    for sentence in _SENTENCE.split(text):
        for number, part in enumerate(_PART.split(sentence)):
            if _OUT.search(part):
                found.append((part.strip(), "out", number == 0))
            elif _IN.search(part):
                found.append((part.strip(), "in", number == 0))
    return found


def _chosen(part: str, product: Product) -> Chosen:
    """The values that `part` names, by option."""
    spoken = {
        option: tuple(value for value in values if _says(part, value, product))
        for option, values in product.options.items()
    }
    return {option: values for option, values in spoken.items() if values}


def _looked_at(product: Product, sku: str | None) -> Chosen:
    return {
        option: (value,)
        for variant in product.variants
        if variant.sku == sku
        for option, value in variant.options
    }


def _may_be(chosen: Chosen, status: str, product: Product) -> bool:
    """Whether every value chosen can be had, or none of them can."""
    named = [
        variant
        for variant in product.variants
        if all(dict(variant.options).get(option) in values for option, values in chosen.items())
    ]
    having = [variant for variant in named if variant.available]
    if status == "out":
        return not having
    return bool(having) and all(
        any(dict(variant.options).get(option) == value for variant in having)
        for option, values in chosen.items()
        for value in values
    )


def _says(part: str, value: str, product: Product) -> bool:
    words = {value, *(product.label(value, locale) for locale in product.texts)}
    return any(
        re.search(rf"(?<![a-z0-9]){re.escape(word.casefold())}(?![a-z0-9])", part.casefold())
        if word.isascii()
        else word in part
        for word in words
    )


async def counts(url: str) -> Counter[str]:
    """`hotshelf_guard_total` of a server, by kind and outcome."""
    async with httpx.AsyncClient(base_url=url, timeout=30.0) as client:
        text = (await client.get("/metrics")).raise_for_status().text
    found = re.findall(
        r'^hotshelf_guard_total\{kind="(\w+)",outcome="(\w+)"\} ([\d.e+]+)$', text, re.MULTILINE
    )
    return Counter({f"{kind}_{outcome}": int(float(value)) for kind, outcome, value in found})


def report(
    questions: Sequence[Labelled],
    answers: Sequence[Answered],
    products: dict[str, Product],
    counted: Counter[str],
) -> dict[str, Any]:
    """Figures over all answers, with what was wrong written out."""
    wrong: list[dict[str, Any]] = []
    claims = amounts = availabilities = 0
    for question, answer in zip(questions, answers, strict=True):
        product = products.get(question.sku or "")
        if product is None:
            continue
        said = read(answer.text, product, question.question, question.sku)
        claims += said.claims
        amounts += len(said.wrong_amounts)
        availabilities += len(said.false_availabilities)
        if said.wrong_amounts or said.false_availabilities:
            found = [*said.wrong_amounts, *said.false_availabilities]
            wrong.append({"question": question.question, "answer": answer.text, "wrong": found})
    return {
        "n": len(questions),
        "checked": sum((q.sku or "") in products for q in questions),
        "errors": sum(answer.error is not None for answer in answers),
        "claims": claims,
        "wrong_amounts": amounts,
        "false_availabilities": availabilities,
        "replaced": {kind: counted[f"{kind}_replaced"] for kind in ("amount", "availability")},
        "passed": {kind: counted[f"{kind}_passed"] for kind in ("amount", "availability")},
        "wrong": wrong,
    }


def by_sku(products: Iterable[Product]) -> dict[str, Product]:
    """Products by their id and by the SKUs of their variants."""
    found: dict[str, Product] = {}
    for product in products:
        found.update({variant.sku: product for variant in product.variants})
        found[product.id] = product
    return found


async def run(options: argparse.Namespace) -> dict[str, Any]:
    """Ask every question of every file, one file after the other."""
    questions: list[Labelled] = []
    for path in options.questions:
        lines = path.read_text(encoding="utf-8").splitlines()
        questions += [labelled(json.loads(line)) for line in lines if line.strip()]
    questions = questions[: options.limit]
    products = products_of(options.catalog)
    before = await counts(options.url)
    answers = await ask_all(options.url, questions, options.concurrency)
    counted = await counts(options.url)
    counted.subtract(before)
    return report(questions, answers, by_sku(products), counted)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns 1 if something wrong reached a client or a question had no answer."""
    parser = argparse.ArgumentParser(prog="benchmarks.guard", description=__doc__)
    parser.add_argument("--url", required=True, help="the server, e.g. http://127.0.0.1:8000")
    parser.add_argument("--questions", required=True, nargs="+", type=Path, help="JSONL files")
    parser.add_argument("--catalog", default=DEMO, help="a file, or `demo`, which is the default")
    parser.add_argument("--limit", type=int, help="ask only the first N")
    parser.add_argument("--concurrency", type=int, default=4, help="questions at a time (4)")
    result = asyncio.run(run(parser.parse_args(arguments)))
    print(json.dumps(result, ensure_ascii=False))
    return int(bool(result["errors"] or result["wrong"]))


if __name__ == "__main__":
    sys.exit(main())
