"""How the catalogue's commands speak to a running server, and how they say what went wrong.

The token comes from HOTSHELF_TOKEN or from a file, never from an argument: those lie open in the
shell's history and in the list of processes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from serving.failures import clear_failures, failed
from serving.settings import Settings, load_settings

_TIMEOUT = httpx.Timeout(10.0, read=120.0, write=120.0)

Url = Annotated[
    str | None,
    typer.Option(help="The server; without it, the one that the settings say.", show_default=False),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(help="A file with the token; without it, HOTSHELF_TOKEN.", show_default=False),
]


@contextmanager
def server(url: str | None, token_file: Path | None) -> Iterator[httpx.Client]:
    """A client of the server; what goes wrong inside is told in a line, with exit status 1."""
    with clear_failures():
        settings = load_settings()
        address = (url or _own_url(settings)).rstrip("/")
        token = _token(settings, token_file)
    headers = {"Authorization": f"Bearer {token}"}
    try:
        with httpx.Client(base_url=address, headers=headers, timeout=_TIMEOUT) as client:
            yield client
    except httpx.TimeoutException:
        raise failed(f"{address} does not answer in time: the work may go on there") from None
    except (httpx.TransportError, httpx.InvalidURL) as error:
        said = str(error) or type(error).__name__
        told = f"no Hotshelf answers at {address} ({said}): start it, or give --url"
        raise failed(told) from None


def checked(reply: httpx.Response) -> httpx.Response:
    """`reply` if it went well; otherwise the server's own words, and exit status 1."""
    if reply.is_success:
        return reply
    raise failed(_said(reply))


def answer(reply: httpx.Response) -> Any:
    """The JSON of a reply that went well."""
    return checked(reply).json()


def _said(reply: httpx.Response) -> str:
    reply.read()
    try:
        return str(reply.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"the server answered {reply.status_code} without saying why; is it Hotshelf?"


def _own_url(settings: Settings) -> str:
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def _token(settings: Settings, token_file: Path | None) -> str:
    if token_file is not None:
        try:
            token = token_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise failed(f"--token-file {token_file} cannot be read: {error}", status=2) from None
    else:
        token = settings.token.get_secret_value().strip() if settings.token else ""
    if not token:
        raise failed("a token is needed: set HOTSHELF_TOKEN, or give --token-file", status=2)
    if not token.isascii() or not token.isprintable() or " " in token:
        raise failed("that is no token: one is printed by `hotshelf token create`", status=2)
    return token
