"""What the routes share: who may call them, and how OpenAPI describes them."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request
from pydantic import BaseModel

from serving.errors import ANSWER_CODES
from serving.services import Services


def services_of(request: Request) -> Services:
    """The application's services, for routes that anyone may call."""
    services = request.app.state.services
    assert isinstance(services, Services)  # put there by create_app
    return services


async def authorised(request: Request) -> Services:
    """The application's services, for a request with a key. Raises `ApiError` without one."""
    services = services_of(request)
    services.access.check(request.headers.get("authorization"))
    return services


def described(
    model: type[BaseModel], answers: Sequence[str], error: dict[str, Any]
) -> dict[str, Any]:
    """OpenAPI's part on a body that the route reads itself, to bound it, and on what comes back.

    `answers` are the media types of an answer, `error` is the schema of a refusal.
    """
    by_status: dict[int, list[str]] = {}
    for name, code in ANSWER_CODES.items():
        by_status.setdefault(code.status, []).append(f"`{name}`: {code.meaning}")
    responses: dict[str, Any] = {
        "200": {"description": "The answer.", "content": {kind: {} for kind in answers}}
    }
    responses |= {
        str(status): {
            "description": "; ".join(meanings),
            "content": {"application/json": {"schema": error}},
        }
        for status, meanings in sorted(by_status.items())
    }
    return {**takes(model), "responses": responses}


def takes(
    model: type[BaseModel],
    kind: str = "application/json",
    examples: Sequence[object] | None = None,
) -> dict[str, Any]:
    """OpenAPI's part on a body that the route reads itself, to bound it.

    `examples` stand instead of the model's own.
    """
    schema = model.model_json_schema(ref_template="#/$defs/{model}")
    whole = _without_references(schema, schema.get("$defs", {}))
    if examples is not None:
        whole["examples"] = list(examples)
    return {"requestBody": {"required": True, "content": {kind: {"schema": whole}}}}


def _without_references(schema: Any, known: Mapping[str, Any]) -> Any:
    """`schema` with every definition in its place: there is no document to point into."""
    if isinstance(schema, list):
        return [_without_references(item, known) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _without_references(known[schema["$ref"].rpartition("/")[2]], known)
    return {
        name: _without_references(value, known) for name, value in schema.items() if name != "$defs"
    }


ERROR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string", "enum": list(ANSWER_CODES)},
                "message": {"type": "string"},
                "field": {"type": "string"},
                "retry_after": {"type": "integer"},
            },
        }
    },
}
OPENAI_ERROR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": ["string", "null"]},
            },
        }
    },
}
