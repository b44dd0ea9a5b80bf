"""docs/catalog-api.md, from the same OpenAPI document that the server gives out."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI

from serving.app import CATALOG_ROUTES
from serving.errors import CODES
from serving.markdown import page, table, words
from serving.routes.catalog_common import EVERYWHERE
from serving.tokens import ROLES

Json = Mapping[str, Any]
_PREFIX = "/catalog"


def catalog_page() -> str:
    """docs/catalog-api.md."""
    app = FastAPI()
    for routes in CATALOG_ROUTES:
        app.include_router(routes.router)
    document = app.openapi()
    operations = list(_operations(document))
    return page(
        "# The catalogue over HTTP",
        "Every request carries a token: `Authorization: Bearer TOKEN`, never in a URL. A new\n"
        "installation with its own Redis shows one at its first start; `hotshelf token` makes,\n"
        f"lists and revokes others. Roles: {words(ROLES)}; each may do what the ones before it\n"
        'may. Products and amounts are exact: an amount is a string such as `"12.34"`, and a\n'
        "JSON number is refused.",
        "Every answer has the catalogue version that it is true of in `X-Catalog-Version`. A\n"
        "change that was acknowledged is in the store for good, and in the next answer of the\n"
        "process that acknowledged it. A product's version is its `ETag`; with `If-Match`, a\n"
        "change is made only if nobody was faster, and the answer's new `ETag` is the one for the\n"
        "next change. Without `If-Match` the last change wins, field by field where it is a\n"
        "`PATCH`.",
        table(
            ("request", "role", "what it does"),
            ((_link(o), f"`{o['role']}`", str(o["summary"])) for o in operations),
        ),
        "Any request may be refused like this, with an [erroranswer](#erroranswer):",
        table(
            ("answer", "code", "meaning"),
            ((f"`{CODES[n].status}`", f"`{n}`", CODES[n].meaning) for n in EVERYWHERE),
        ),
        *(part for operation in operations for part in _section(operation)),
        "## Objects",
        *(part for name, schema in _objects(document) for part in _object(name, schema)),
    )


def _operations(document: Json) -> Iterator[dict[str, Any]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            (needed,) = operation["security"]
            first, _, rest = operation["description"].partition("\n\n")
            yield {
                **operation,
                "title": f"{method.upper()} {path}",
                "role": needed["token"][0],
                "summary": first.replace("\n", " "),
                "more": rest,
            }


def _section(operation: Json) -> Iterator[str]:
    yield f"## {operation['title']}"
    yield f"{operation['summary']} Role: `{operation['role']}`."
    if operation["more"]:
        yield operation["more"]
    if parameters := operation.get("parameters"):
        rows = ((f"`{p['name']}`", p["in"], _kind(p["schema"]), _about(p)) for p in parameters)
        yield table(("parameter", "in", "type", "meaning"), rows)
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        yield from _body(kind, content["schema"])
    yield table(
        ("answer", "meaning"),
        ((f"`{status}`", meaning) for status, meaning in _answers(operation)),
    )


def _body(kind: str, schema: Json) -> Iterator[str]:
    if "binary" in json.dumps(schema):
        yield f"Body: `{kind}`: {schema['description']}."
        return
    rows = (
        (f"`{name}`", _kind(field), _about(field)) for name, field in schema["properties"].items()
    )
    yield f"Body: `{kind}`"
    yield table(("field", "type", "meaning"), rows)
    lines = (json.dumps(example, ensure_ascii=False) for example in schema.get("examples", ()))
    if examples := "\n".join(lines):
        yield f"```json\n{examples}\n```"


def _answers(operation: Json) -> Iterator[tuple[str, str]]:
    """Status and meaning of what this request alone is answered."""
    everywhere = [f"`{name}`: {CODES[name].meaning}" for name in EVERYWHERE]
    for status, told in sorted(operation["responses"].items()):
        said = [part for part in told["description"].split("; ") if part not in everywhere]
        schema = told.get("content", {}).get("application/json", {}).get("schema", {})
        if "$ref" in schema and int(status) < 400:
            said = [_kind(schema), *(part for part in said if part != "Successful Response")]
        if said and said != ["Validation Error"]:
            yield status, "; ".join(said)


def _objects(document: Json) -> Iterator[tuple[str, Json]]:
    for name, schema in sorted(document["components"]["schemas"].items()):
        if name.endswith("Json"):
            yield name, schema


def _object(name: str, schema: Json) -> Iterator[str]:
    needed = schema.get("required", ())
    yield f"### {_title(name)}"
    yield str(schema.get("description", ""))
    yield table(
        ("field", "type", "meaning"),
        (
            (f"`{field}`{'' if field in needed else '?'}", _kind(shape), _about(shape))
            for field, shape in schema["properties"].items()
        ),
    )


def _kind(schema: Json) -> str:
    """A schema as JSON says it, in a few words."""
    if "$ref" in schema:
        title = _title(schema["$ref"].rpartition("/")[2])
        return f"[{title}](#{title})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(each) for each in schema["anyOf"]))
    if "enum" in schema:
        return words(schema["enum"])
    if "const" in schema:
        return words([schema["const"]])
    match schema.get("type"):
        case "array":
            return f"list of {_kind(schema['items'])}"
        case "object":
            values = schema.get("additionalProperties")
            return f"object of {_kind(values)}" if isinstance(values, dict) and values else "object"
        case kind:
            return str(kind or "anything")


def _about(schema: Json) -> str:
    inner = schema.get("schema", schema)
    default = inner.get("default")
    said = str(schema.get("description", inner.get("description", "")))
    if default not in (None, "", [], {}):
        said = f"{said} Default: `{json.dumps(default)}`.".strip()
    return said.replace("\n", " ")


def _link(operation: Json) -> str:
    title = str(operation["title"])
    anchor = "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c in "-_")
    return f"[{title}](#{anchor})"


def _title(name: str) -> str:
    return name.removesuffix("Json").lower()
