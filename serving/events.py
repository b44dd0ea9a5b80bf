"""From the pipeline's events to the ones that clients of `/chat` read."""

from collections.abc import Mapping
from decimal import Decimal
from urllib.parse import urlsplit

from catalog.product import Locale, Money, Product, Variant
from pipeline.timing import Stage, StageTimings
from pipeline.types import Done, Event, Failure, Source, Sources, Timing, Token, TokenCounts
from serving.contract import (
    DoneJson,
    ErrorJson,
    MoneyJson,
    ProductJson,
    SourcesJson,
    TimingJson,
    TokensJson,
    VariantJson,
)


def name_and_json(
    event: Event, timings: StageTimings, sku: str | None, budget_ms: Mapping[Stage, float]
) -> tuple[str, Mapping[str, object]]:
    """The name and the data of `event`; `sku` is the variant that the shopper asked for."""
    match event:
        case Token():
            return "token", {"text": event.text}
        case Sources():
            return "sources", sources_json(event, sku)
        case Timing():
            return "timing", timing_json(event, timings, budget_ms)
        case Failure():
            return "error", error_json(event)
        case Done():
            return "done", done_json(event)


def money_json(money: Money) -> MoneyJson:
    """Without an exponent, whatever the amount."""
    return {"amount": format(money.amount, "f"), "currency": money.currency}


def variant_json(variant: Variant, product: Product, locale: Locale) -> VariantJson:
    """A variant with its options as `locale` says them. How many are in stock is not told."""
    told: VariantJson = {
        "sku": variant.sku,
        "options": {
            product.label(name, locale): product.label(value, locale)
            for name, value in variant.options
        },
        "price": money_json(variant.price),
        "availability": variant.availability,
    }
    if variant.sale_price is not None:
        told["sale_price"] = money_json(variant.sale_price)
    return told


def product_json(source: Source, locale: Locale, sku: str | None) -> ProductJson:
    """A product card; `sku` is the variant that the shopper asked for, if any."""
    product = source.product
    shown = _shown(product, sku)
    told: ProductJson = {
        "id": product.id,
        "title": product.text(locale).title,
        "url": _safe_url(product.url),
        "image": _safe_url(product.image),
        "price": money_json(shown.price),
        "availability": "in_stock"
        if any(variant.available for variant in product.variants)
        else shown.availability,
        "options": {
            product.label(name, locale): [product.label(value, locale) for value in values]
            for name, values in product.options.items()
        },
        "variants": [variant_json(variant, product, locale) for variant in product.variants],
        "why": source.why,
    }
    if shown.sale_price is not None:
        told["sale_price"] = money_json(shown.sale_price)
    return told


def sources_json(event: Sources, sku: str | None) -> SourcesJson:
    """The `sources` event."""
    told: SourcesJson = {
        "session_id": event.session_id,
        "answer_id": event.answer_id,
        "products": [product_json(source, event.locale, sku) for source in event.sources],
        "catalog_version": event.catalog_version,
    }
    if event.not_found:
        told["not_found"] = list(event.not_found)
    if event.intent is not None:
        told["intent"] = event.intent
    return told


def timing_json(
    event: Timing, timings: StageTimings, budget_ms: Mapping[Stage, float]
) -> TimingJson:
    """The `timing` event, in milliseconds."""
    return {
        "answer_id": event.answer_id,
        "ttft_ms": _ms(timings.ttft),
        "stages_ms": {stage: to_ms(seconds) for stage, seconds in timings.stages().items()},
        "tokens": tokens_json(event.tokens),
        "tpot_ms": _ms(_seconds_per_token(timings, event.tokens.completion)),
        "over_budget": timings.over_budget(dict(budget_ms)),
    }


def tokens_json(tokens: TokenCounts) -> TokensJson:
    """Counts; what was reused and lost only where the engine tells what it had cached."""
    told: TokensJson = {
        "prompt": tokens.prompt,
        "cached": tokens.cached,
        "trimmed": tokens.trimmed,
        "completion": tokens.completion,
    }
    if tokens.reuse is not None:
        told["reusable"] = tokens.reuse.reusable
        told["lost"] = dict(tokens.reuse.lost)
    return told


def error_json(event: Failure) -> ErrorJson:
    """The `error` event; `done` follows."""
    told: ErrorJson = {"code": event.code, "message": event.message}
    if event.retry_after is not None:
        told["retry_after"] = event.retry_after
    return told


def done_json(event: Done) -> DoneJson:
    """The `done` event."""
    return {
        "session_id": event.session_id,
        "finish_reason": event.finish,
        "catalog_version": event.catalog_version,
    }


def to_ms(seconds: float) -> float:
    """Milliseconds, to the microsecond."""
    return round(seconds * 1e3, 3)


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else to_ms(seconds)


def _seconds_per_token(timings: StageTimings, completion: int) -> float | None:
    """TPOT: the first token is prefill's work, so it is not counted."""
    if timings.decode is None or completion < 2:
        return None
    return timings.decode / (completion - 1)


def _shown(product: Product, sku: str | None) -> Variant:
    """The variant whose price stands on the card."""
    named = next((variant for variant in product.variants if variant.sku == sku), None)
    candidates = [variant for variant in product.variants if variant.available]
    return named or min(candidates or product.variants, key=_price_now)


def _price_now(variant: Variant) -> Decimal:
    return (variant.sale_price or variant.price).amount


def _safe_url(url: str) -> str:
    """`url` if a browser may follow it; anything else, such as `javascript:`, is dropped."""
    try:
        scheme = urlsplit(url.strip()).scheme.lower()
    except ValueError:
        return ""
    return url if scheme in ("", "http", "https") else ""
