"""Every way a request can fail, in one table, and the JSON that tells it.

`/chat` and the operators' routes answer `{"error": {"code", "message", ...}}`; everything under
`/v1` answers in OpenAI's shape. A message says what was wrong and what would be right.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from redis.exceptions import RedisError
from starlette.exceptions import HTTPException

from serving.contract import ErrorJson
from serving.metrics import Outcome
from serving.observe import record_of
from serving.wire import JsonResponse

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Code:
    """`status` is used while the headers have not left, afterwards the code travels in an event."""

    status: int
    meaning: str


ANSWER_CODES: Mapping[str, Code] = {
    "invalid_json": Code(400, "the body is not JSON in UTF-8"),
    "invalid_request": Code(422, "a field is missing, unknown, of the wrong type or out of bounds"),
    "unsupported_parameter": Code(422, "OpenAI has this field, but it cannot be honoured here"),
    "unauthorized": Code(401, "no key, or a wrong one, in the Authorization header"),
    "not_found": Code(404, "nothing is at this path"),
    "policy_unknown": Code(404, "no text has this name"),
    "sku_unknown": Code(404, "`sku` names neither a SKU nor a product of this catalogue"),
    "model_not_found": Code(404, "no model has this id"),
    "method_not_allowed": Code(405, "the path exists, but not for this method"),
    "body_timeout": Code(408, "the body did not arrive in time"),
    "body_too_large": Code(413, "the body has more bytes than are read"),
    "unsupported_media_type": Code(415, "the body is of a kind that is not read here"),
    "wait_expired": Code(429, "it waited for a free place as long as requests may"),
    "client_closed": Code(400, "the client left before its request was complete"),
    "queue_full": Code(503, "as many requests as may wait are waiting already"),
    "session_unknown": Code(404, "no conversation has this id, or it has expired"),
    "store_unavailable": Code(503, "the store of conversations and products does not answer"),
    "engine_failed": Code(502, "the engine broke off"),
    "engine_silent": Code(504, "the engine said nothing for too long"),
    "engine_busy": Code(503, "the engine takes no more work at present"),
    "shutting_down": Code(503, "this server is being stopped"),
    "internal_error": Code(500, "a fault of this server; its log has the details"),
}
"""What a request for an answer may meet; every other route may meet some of it too."""

CATALOG_CODES: Mapping[str, Code] = {
    "version_conflict": Code(412, "the product is at another version than `If-Match` says"),
    "sku_taken": Code(409, "another product has this SKU, however it is written"),
    "store_busy": Code(503, "others changed the product at the same moment, again and again"),
    "forbidden": Code(403, "the token's role does not include this"),
    "product_unknown": Code(404, "no product, or no variant, has this id or SKU"),
    "pin_unknown": Code(404, "the product is not pinned"),
    "question_unknown": Code(404, "no saved question has this id"),
    "questions_full": Code(409, "as many questions are saved as may be"),
    "import_unknown": Code(404, "no import has this id, or it is too old"),
    "import_busy": Code(409, "the import is in a state in which this cannot be done"),
}
"""What else a request about the catalogue may meet."""

WARM_CODES: Mapping[str, Code] = {
    "too_many_requests": Code(429, "one conversation or one address asks too often"),
}
"""What else a request to warm a page may meet."""

CODES: Mapping[str, Code] = {**ANSWER_CODES, **CATALOG_CODES, **WARM_CODES}


class ApiError(Exception):
    """A request that cannot be served. `field` is the one at fault; `retry_after` is in seconds.

    `more` has further fields of the error's JSON, for clients that can act on them.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: str | None = None,
        retry_after: int | None = None,
        more: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.retry_after = retry_after
        self.more = more or {}

    @property
    def status(self) -> int:
        """The HTTP status, where it can still be told."""
        return CODES.get(self.code, CODES["internal_error"]).status


def error_json(error: ApiError) -> ErrorJson:
    """The body of an error without its envelope; absent things are left out."""
    detail: ErrorJson = {"code": error.code, "message": error.message}
    if error.field is not None:
        detail["field"] = error.field
    if error.retry_after is not None:
        detail["retry_after"] = error.retry_after
    return detail


def openai_error(error: ApiError) -> dict[str, dict[str, str | None]]:
    """The same in OpenAI's shape, as the official clients read it."""
    return {
        "error": {
            "message": error.message,
            "type": _openai_type(error.status),
            "param": error.field,
            "code": error.code,
        }
    }


def _openai_type(status: int) -> str:
    if status == 401:
        return "authentication_error"
    if status == 429:
        return "rate_limit_error"
    return "invalid_request_error" if status < 500 else "server_error"


def error_response(
    error: ApiError, path: str, headers: Mapping[str, str] | None = None
) -> Response:
    """`error` as a whole response, in the shape that clients of `path` expect."""
    sent = dict(headers or {})
    if error.retry_after is not None:
        sent["Retry-After"] = str(error.retry_after)
    if error.status == 401:
        sent["WWW-Authenticate"] = "Bearer"
    if path.startswith("/v1/"):
        status = 400 if error.status == 422 else error.status
        return JsonResponse(openai_error(error), status, sent)
    return JsonResponse({"error": {**error_json(error), **error.more}}, error.status, sent)


def _outcome(error: ApiError) -> Outcome:
    if error.code in ("queue_full", "wait_expired"):
        return "refused"
    if error.code == "client_closed":
        return "aborted"
    return "error" if error.status >= 500 else "invalid"


async def _on_api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)  # registered for this class alone
    record_of(request.scope).conclude(_outcome(error))
    return error_response(error, request.scope["path"])


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # registered for this class alone
    record_of(request.scope).conclude("invalid")
    allowed = (error.headers or {}).get("Allow")
    if error.status_code == 405:
        said = ApiError(
            "method_not_allowed", f"{request.method} is not allowed here: use {allowed}"
        )
    else:
        said = ApiError("not_found", "nothing is at this path: GET / lists what is")
    return error_response(said, request.scope["path"], error.headers)


async def _on_wrong_parameter(request: Request, error: Exception) -> Response:
    """A part of the path, of the query or of a header that FastAPI has refused."""
    assert isinstance(error, RequestValidationError)  # registered for this class alone
    record_of(request.scope).conclude("invalid")
    first = error.errors()[0]
    name = str(first["loc"][-1])
    said = ApiError("invalid_request", f"{name}: {first['msg']}", field=name)
    return error_response(said, request.scope["path"])


async def _on_store_error(request: Request, error: Exception) -> Response:
    record_of(request.scope).conclude("error")
    log.error("the store failed", exc_info=error)
    message = "the store does not answer; if this was a change, read whether it was made"
    said = ApiError("store_unavailable", message, retry_after=1)
    return error_response(said, request.scope["path"])


async def _on_fault(request: Request, error: Exception) -> Response:
    said = ApiError("internal_error", "a fault of this server; the request may be tried again")
    return error_response(said, request.scope["path"])


def install_handlers(app: FastAPI) -> None:
    """Give every error of `app` its JSON, those of routing too."""
    app.add_exception_handler(ApiError, _on_api_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_wrong_parameter)
    app.add_exception_handler(RedisError, _on_store_error)
    app.add_exception_handler(Exception, _on_fault)
