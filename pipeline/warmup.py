"""Prefixes computed before anyone asks, so that the first shopper finds them cached."""

from collections.abc import Mapping
from uuid import uuid4

from catalog.product import Locale
from pipeline.engine import Engine, GenerationRequest

WARM_PRIORITY = 10
"""Behind every shopper, whose priority is 0."""


async def warm(engine: Engine, token_ids: tuple[int, ...]) -> None:
    """Have the engine compute and keep the KV blocks of `token_ids`. Raises `EngineError`."""
    request = GenerationRequest(
        request_id=f"warm-{uuid4().hex}",
        token_ids=token_ids,
        max_tokens=1,
        priority=WARM_PRIORITY,
    )
    async for _ in engine.generate(request):
        pass


async def warm_heads(engine: Engine, heads: Mapping[Locale, tuple[int, ...]]) -> None:
    """Warm the static head of every locale. Raises `EngineError`."""
    for token_ids in heads.values():
        await warm(engine, token_ids)
