"""What a question finds and why, for the people who keep the catalogue: nothing is generated."""

from typing import Any

from catalog.product import Locale
from pipeline.found import Found
from pipeline.timing import StageTimings
from pipeline.types import Question
from serving.search_contract import CandidateJson, HitJson, SearchJson
from serving.services import Services
from serving.text import detect_locale

CANDIDATES = 10
"""How many of those weighed are told."""


async def explain(
    services: Services, text: str, sku: str | None = None, locale: Locale | None = None
) -> SearchJson:
    """What a shopper who asks `text` is shown, on the page of `sku` if that is given."""
    page = None if sku is None else services.records.resolve(sku)
    question = Question(
        text,
        locale or detect_locale(text),
        answer_id="",
        product_id=None if page is None else page[0].id,
        sku=None if page is None or page[1] is None else page[1].sku,
    )
    timings = StageTimings()
    found = await services.finder.find(question, (), timings)
    timings.mark("hydrate")
    return _told(question, found, timings, services)


def _told(
    question: Question, found: Found, timings: StageTimings, services: Services
) -> SearchJson:
    explained = found.explain
    unsold = found.not_carried
    stages = {stage: round(seconds * 1e3, 3) for stage, seconds in timings.stages().items()}
    return {
        "question": question.text,
        "locale": question.locale,
        "products": [hit for hit in _hits(found, question.locale, services) if hit is not None],
        "intent": found.intent,
        "not_found": list(found.not_found),
        "not_carried": None
        if unsold is None
        else {"kind": unsold.kind, "nearest": list(unsold.nearest)},
        "understood": _said(explained.as_json()["understood"]),
        "among": explained.among,
        "candidates": [
            candidate
            for candidate in _candidates(found, question.locale, services)
            if candidate is not None
        ],
        "winner": explained.winner,
        "took_ms": stages,
    }


def _hits(found: Found, locale: Locale, services: Services) -> list[HitJson | None]:
    return [
        None if (title := _title(hit.product_id, locale, services)) is None
        else {"id": hit.product_id, "title": title, "why": hit.why}
        for hit in found.hits
    ]  # fmt: skip


def _candidates(found: Found, locale: Locale, services: Services) -> list[CandidateJson | None]:
    return [
        None if (title := _title(candidate.product_id, locale, services)) is None
        else {
            "id": candidate.product_id,
            "title": title,
            "score": round(candidate.score, 4),
            "dense": _rounded(candidate.dense),
            "lexical": _rounded(candidate.lexical),
        }
        for candidate in found.explain.candidates[:CANDIDATES]
    ]  # fmt: skip


def _title(product_id: str, locale: Locale, services: Services) -> str | None:
    page = services.records.resolve(product_id)
    return None if page is None else page[0].text(locale).title or product_id


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 4)


def _said(understood: dict[str, Any]) -> dict[str, object]:
    """Only what the question said: neither blanks nor what was not asked for."""
    return {k: v for k, v in understood.items() if v not in (None, "", (), [], False, "none")}
