"""What the routes share: who may call them, and how OpenAPI describes them."""

from typing import Any

from fastapi import Request
from pydantic import BaseModel

from serving.errors import CODES
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


def described(model: type[BaseModel], error: dict[str, Any]) -> dict[str, Any]:
    """OpenAPI's part on a body that the route reads itself, to bound it, and on its errors."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    by_status: dict[int, list[str]] = {}
    for name, code in CODES.items():
        by_status.setdefault(code.status, []).append(f"`{name}`: {code.meaning}")
    responses = {
        str(status): {
            "description": "; ".join(meanings),
            "content": {"application/json": {"schema": error}},
        }
        for status, meanings in sorted(by_status.items())
    }
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    return {"requestBody": body, "responses": responses}


ERROR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string", "enum": list(CODES)},
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
