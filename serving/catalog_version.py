"""Every answer under /catalog says which catalogue it is true of, refusals too."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving.services import Records

HEADER = "X-Catalog-Version"


class CatalogVersionHeader:
    """Adds the version that this process answers from, unless the route knows a newer one."""

    def __init__(self, app: ASGIApp, records: Records) -> None:
        self._app = app
        self._records = records

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI scope."""
        if scope["type"] != "http" or not scope["path"].startswith("/catalog"):
            await self._app(scope, receive, send)
            return

        async def send_with_version(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).setdefault(HEADER, str(self._records.version))
            await send(message)

        await self._app(scope, receive, send_with_version)
