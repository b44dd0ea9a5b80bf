"""From the bytes of a body to a checked request, or to an error that says what would be right."""

import asyncio
import json
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import ClientDisconnect, Request

from serving.errors import ApiError
from serving.schemas import Limits

M = TypeVar("M", bound=BaseModel)

_SUBJECT = re.compile("^(Input|String|List|Dictionary|Value) should")
_TOLD = 5
"""How many faults of one body are told."""


@dataclass(frozen=True, slots=True)
class BodyConfig:
    """The most bytes that are read of a body, and the seconds that it may take to arrive."""

    max_bytes: int = 512 * 1024
    timeout_s: float = 10.0


async def read_json(
    request: Request, config: BodyConfig, kinds: tuple[str, ...] = ("application/json",)
) -> object:
    """The body as JSON, declared as one of `kinds`. Raises `ApiError`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in kinds:
        raise ApiError("unsupported_media_type", "send 'Content-Type: application/json'")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise ApiError("unsupported_media_type", "send the body without Content-Encoding")
    try:
        async with asyncio.timeout(config.timeout_s):
            raw = await _read(request, config.max_bytes)
    except TimeoutError:
        message = f"the body did not arrive within {config.timeout_s:g} s"
        raise ApiError("body_timeout", message) from None
    except ClientDisconnect:
        raise ApiError("client_closed", "the client left before the body was complete") from None
    return _decode(raw)


async def _read(request: Request, max_bytes: int) -> bytes:
    raw = bytearray()
    async for piece in request.stream():
        raw += piece
        if len(raw) > max_bytes:
            raise ApiError("body_too_large", f"the body has over {max_bytes:,} bytes: send less")
    return bytes(raw)


def _decode(raw: bytes) -> object:
    if not raw:
        raise ApiError("invalid_json", "the body is empty: send a JSON object")
    try:
        return json.loads(raw.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        message = f"the body is not UTF-8 (at byte {error.start}): send JSON in UTF-8"
        raise ApiError("invalid_json", message) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ApiError("invalid_json", f"the body is not JSON ({error.msg}, {where})") from None
    except RecursionError:
        raise ApiError("invalid_json", "the body is nested too deeply: send plain fields") from None
    except ValueError as error:
        raise ApiError("invalid_json", f"the body is not JSON ({error})") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def validate(model: type[M], data: object, limits: Limits) -> M:
    """`data` as a `model`. Raises `ApiError` that names the field and what it should be."""
    if not isinstance(data, dict):
        raise ApiError("invalid_request", "the body is not a JSON object: send {...}")
    try:
        return model.model_validate(data, context={"limits": limits})
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        said = "; ".join(_sentence(fault, model) for fault in faults[:_TOLD])
        raise ApiError("invalid_request", said, field=_name(faults[0]) or None) from None


def _sentence(fault: ErrorDetails, model: type[BaseModel]) -> str:
    name = _name(fault)
    if fault["type"] == "missing":
        return f"{name}: is required"
    if fault["type"] == "extra_forbidden":
        fields = list(model.model_fields)
        near = get_close_matches(name, fields, n=1)
        hint = f"did you mean {near[0]}?" if near else f"the fields are {', '.join(fields)}"
        return f"{name}: is not a field of this request; {hint}"
    if fault["type"] == "string_unicode":
        return f"{name or 'a field name'}: contains half of a surrogate pair: send whole characters"
    message = _SUBJECT.sub("should", fault["msg"].removeprefix("Value error, "))
    return f"{name}: {message}" if name else message


def _name(fault: ErrorDetails) -> str:
    """The path of the field, printable and short, whatever the client called it."""
    path = ".".join(str(part) for part in fault["loc"])
    printable = path.encode("unicode_escape").decode()
    return printable if len(printable) <= 80 else f"{printable[:77]}..."
