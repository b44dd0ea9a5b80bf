"""Routes of /admin: whatever goes wrong in them becomes a page for people."""

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from redis.exceptions import RedisError

from serving.admin.visit import SignedOutError, page, to
from serving.admin.words import language_of, say, words
from serving.errors import ApiError, error_response

log = logging.getLogger(__name__)


class AdminRoute(APIRoute):
    """Answers refusals as pages, and whoever is not signed in with the way to sign in."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route's handler, with pages for what it raises."""
        handle = super().get_route_handler()

        async def handle_with_pages(request: Request) -> Response:
            try:
                return await handle(request)
            except SignedOutError:
                if _by_script(request):
                    return error_response(_signed_out(request), request.url.path)
                return to("/admin/login")
            except ApiError as error:
                return _refusal(request, error)
            except RequestValidationError as error:
                first = error.errors()[0]
                said = f"{first['loc'][-1]}: {first['msg']}"
                return _refusal(request, ApiError("invalid_request", said))
            except RedisError as error:
                log.error("the store failed", exc_info=error)
                said = say(language_of(request), "store_silent")
                return _refusal(request, ApiError("store_unavailable", said))

        return handle_with_pages


def _refusal(request: Request, error: ApiError) -> Response:
    if _by_script(request):
        return error_response(error, request.url.path)
    key, told = f"error_{error.code}", f"told_{error.code}"
    locale = language_of(request)
    message = say(locale, told) if told in words() else error.message
    heading = say(locale, key if key in words() else "error_other")
    reply = page(request, "error.html", code=error.status, heading=heading, message=message)
    if error.retry_after is not None:
        reply.headers["Retry-After"] = str(error.retry_after)
    return reply


def _by_script(request: Request) -> bool:
    """Whether our own script asks, which wants JSON."""
    return request.url.path == "/admin/ask"


def _signed_out(request: Request) -> ApiError:
    return ApiError("unauthorized", say(language_of(request), "signed_out"))
