"""The pages in docs/ that are tables of what the code says: `python -m serving.documents NAME`.

A test checks that the files are current; `make docs` writes them.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from pipeline.reuse.account import REASONS
from pipeline.timing import STAGES
from pipeline.types import FINISH_REASONS
from serving.catalog_document import catalog_page
from serving.contract import EVENTS, MoneyJson, ProductJson, TokensJson, VariantJson
from serving.errors import ANSWER_CODES, WARM_CODES
from serving.markdown import page, table, words
from serving.metrics import (
    BUCKETS,
    GUARD_KINDS,
    GUARD_OUTCOMES,
    LONG_BUCKETS,
    OUTCOMES,
    ROUTES,
    Metrics,
)
from serving.openai_schemas import NEUTRAL, UNUSED, CompletionRequest
from serving.schemas import ChatRequest, Limits, WarmRequest
from serving.shelf_metrics import WARM_OUTCOMES, WARM_WHYS
from serving.token_metrics import SOURCES

LABELS: Mapping[str, Iterable[str]] = {
    "stage": STAGES,
    "source": SOURCES,
    "reason": REASONS,
    "route": ROUTES,
    "outcome": (*OUTCOMES, *GUARD_OUTCOMES, *WARM_OUTCOMES),
    "kind": GUARD_KINDS,
    "why": WARM_WHYS,
}


OBJECTS = (ProductJson, VariantJson, MoneyJson, TokensJson)
_JSON_NAMES: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    NoneType: "null",
}


def events_page() -> str:
    """docs/events.md."""
    limits = Limits()
    return page(
        "# The events of /chat",
        "`POST /chat` takes a JSON object and answers with server-sent events: `event:`, one\n"
        "`data:` line of JSON, an empty line. Events come in the order below, `token` as often as\n"
        "needed, `error` only if something went wrong, `done` always and last. A line that begins\n"
        "with a colon is a heartbeat in a silence; clients skip it, as the format says. Closing\n"
        "the connection stops the answer. Until a place is free there are no headers, so a\n"
        "refusal has its own status and `Retry-After`.",
        "## The request",
        table(("field", "meaning"), _request_rows(ChatRequest)),
        f"A message has at most {limits.message_chars:,} characters, at least one of them\n"
        "visible; longer ones are refused, never cut. NUL and halves of surrogate pairs are\n"
        "refused; other control characters, which pasted text may hold, become a space.\n"
        "A message with any Chinese character is answered in Chinese.",
        *(part for name, shape in EVENTS.items() for part in _section(f"## `{name}`", shape)),
        "## Objects",
        *(part for shape in OBJECTS for part in _section(f"### {_title(shape)}", shape)),
        "## Why an answer ends",
        "`finish_reason` is one of " + words(FINISH_REASONS) + ".",
        "## `POST /chat/warm`",
        "For a widget to call when a product's page opens, or typing starts: the engine computes\n"
        "in an idle moment what every question about the product begins with, so that the first\n"
        'answer comes sooner. It is answered with 202 and `{"status": ...}` at once: `queued`;\n'
        "`warm`, where all of it is there already; or `busy`, where there is no moment for it. It\n"
        "is never needed, and what waits for more than two seconds is dropped.",
        table(("field", "meaning"), _request_rows(WarmRequest)),
        "## Codes",
        'In the body of a refusal (`{"error": {"code", "message", ...}}`), with this status;\n'
        "in an `error` event when the headers have left already.",
        table(
            ("code", "status", "meaning"),
            (
                (f"`{name}`", str(code.status), code.meaning)
                for name, code in {**ANSWER_CODES, **WARM_CODES}.items()
            ),
        ),
    )


def openai_page() -> str:
    """docs/openai.md."""
    limits = Limits()
    return page(
        "# OpenAI's format",
        "`POST /v1/chat/completions`, streaming or not, and `GET /v1/models`. It runs the same\n"
        "line as `/chat`: the last user message is the question; a user's message with the reply\n"
        f"to it is an earlier turn, of which the newest {limits.history_chars:,} characters are\n"
        "used. System and developer messages are read and not used, because the beginning of the\n"
        "prompt is the same for everyone; the header `X-Hotshelf-Ignored` says so. A stream's\n"
        "headers leave with its first content, or after a second, so that a client's time to\n"
        "first byte means something. What fails before that is a plain error with its own\n"
        "status, what fails later is an `error` object in the stream.",
        "## Fields",
        table(("field", "meaning"), _request_rows(CompletionRequest)),
        f"An answer has at most {limits.answer_tokens} tokens, however many are asked for; it\n"
        "then ends with `length`. Sampling is greedy unless `temperature` is above 0.",
        "## Not supported",
        "Refused with 400 and the field's name, unless the value asks for nothing (null does too):",
        table(
            ("field", "accepted values"),
            (
                (f"`{name}`", words(map(json.dumps, values)) or "none")
                for name, values in NEUTRAL.items()
            ),
        ),
        "Accepted in any value, without effect: " + words(UNUSED) + ".",
    )


def metrics_page() -> str:
    """docs/metrics.md."""
    families = list(Metrics().registry.collect())
    return page(
        "# Metrics",
        "`GET /metrics`, in Prometheus' text format. Labels have these values and no others, all\n"
        "of them present from the start.",
        table(
            ("metric", "type", "labels", "meaning"),
            (
                (
                    f"`{family.name}{'_total' if family.type == 'counter' else ''}`",
                    family.type,
                    words(sorted({label for s in family.samples for label in s.labels} - {"le"})),
                    family.documentation,
                )
                for family in families
            ),
        ),
        "## Label values",
        table(("label", "values"), ((f"`{k}`", words(v)) for k, v in LABELS.items())),
        "A request ends with one outcome:",
        table(("outcome", "meaning"), ((f"`{k}`", v) for k, v in OUTCOMES.items())),
        "A sentence that claims a price or an availability ends with one outcome:",
        table(("outcome", "meaning"), ((f"`{k}`", v) for k, v in GUARD_OUTCOMES.items())),
        "A prefix is warmed for one of these reasons:",
        table(("why", "meaning"), ((f"`{k}`", v) for k, v in WARM_WHYS.items())),
        "and that ends with one outcome:",
        table(("outcome", "meaning"), ((f"`{k}`", v) for k, v in WARM_OUTCOMES.items())),
        "## Buckets",
        "Seconds: " + ", ".join(f"{bound:g}" for bound in BUCKETS) + "; whole requests up to "
        f"{LONG_BUCKETS[-1]:g}.",
    )


PAGES = {
    "events": events_page,
    "openai": openai_page,
    "metrics": metrics_page,
    "catalog-api": catalog_page,
}


def _request_rows(model: type[BaseModel]) -> Iterable[tuple[str, str]]:
    for name, field in model.model_fields.items():
        needed = " Required." if field.is_required() else ""
        yield f"`{name}`", (field.description or "") + needed


def _section(title: str, shape: type) -> Iterable[str]:
    hints = get_type_hints(shape, include_extras=True)
    rows = (_field(name, hint) for name, hint in hints.items())
    return title, (shape.__doc__ or "").strip(), table(("field", "type", "meaning"), rows)


def _field(name: str, hint: Any) -> tuple[str, str, str]:
    """A row about a field whose hint is `Annotated[type, meaning]`; `?` if it may be absent."""
    kind, meaning = get_args(hint)[0], get_args(hint)[1]
    if get_origin(kind) is NotRequired:
        return f"`{name}`?", _kind(get_args(kind)[0]), meaning
    return f"`{name}`", _kind(kind), meaning


def _kind(hint: Any) -> str:
    """A type as JSON says it."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return words(arguments)
    if origin is UnionType:
        return " or ".join(_kind(argument) for argument in arguments)
    if origin is list:
        return f"list of {_kind(arguments[0])}"
    if origin is dict:
        return f"object of {_kind(arguments[1])}"
    return _JSON_NAMES.get(hint) or _link(hint)


def _link(shape: type) -> str:
    return f"[{_title(shape)}](#{_title(shape)})"


def _title(shape: type) -> str:
    return shape.__name__.removesuffix("Json").lower()


if __name__ == "__main__":
    sys.stdout.write(PAGES[sys.argv[1]]())
