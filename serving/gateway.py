"""One gateway process: everything built, uvicorn in front, until it is told to stop."""

import contextlib
import socket
from collections.abc import Callable, Generator

import uvicorn
from fastapi import FastAPI

from serving.app import create_app
from serving.bootstrap import build
from serving.services import Services
from serving.settings import Settings
from serving.signals import Stoppable
from serving.startup import Progress

BACKLOG = 2048
"""Connections that wait to be accepted."""


class _Server(uvicorn.Server):
    """uvicorn with our signal handlers: they are in force before it runs and after it, too."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


async def serve(
    settings: Settings, held: socket.socket, progress: Progress, on_ready: Callable[[], None]
) -> None:
    """Build, listen on `held`, tell `on_ready`, answer until SIGINT or SIGTERM, take all down.

    Raises `StartError`, or `StoppedError` if the signal comes before it is ready.
    """
    with Stoppable() as stoppable:
        async with build(settings, progress=progress) as services:
            server = _Server(_config(settings, create_app(services)))
            stoppable.instead(lambda number: _end(services, server, number))
            held.listen(BACKLOG)
            on_ready()
            await server.serve(sockets=[held])


def _end(services: Services, server: uvicorn.Server, number: int) -> None:
    """Answers that run get their time; warming ends at once."""
    services.shelf.stop()
    server.handle_exit(number, None)


def _config(settings: Settings, app: FastAPI) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=max(1, round(settings.shutdown_s)),
    )
