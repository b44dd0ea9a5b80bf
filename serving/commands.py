"""What `hotshelf` can do: serve, and list the settings.

Whatever can be foreseen to go wrong is one line on standard error and an exit status: 2 for wrong
settings, 1 for a start that failed.
"""

import asyncio
import socket
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console

from serving import preflight
from serving.console import ConsoleProgress
from serving.examples import examples
from serving.library_env import prepare
from serving.settings import Settings, SettingsError, load_settings
from serving.settings_text import markdown, summary
from serving.signals import StoppedError
from serving.startup import Progress, Silent, StartError

Serve = Callable[[Settings, socket.socket, Progress, Callable[[], None]], Coroutine[Any, Any, None]]

app = typer.Typer(
    help="Hotshelf answers shoppers' questions about a shop's products.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.command()
def serve() -> None:
    """Start everything that is needed, and answer until told to stop."""
    began = time.monotonic()
    with _clear_failures():
        settings = load_settings()
        prepare(settings)
        held = preflight.bind(settings.host, settings.port)
        preflight.check_data_dir(settings.data_dir)
        preflight.check_model(settings.model)
        preflight.check_packages(settings)
        console = Console()
        with ConsoleProgress(console) as progress:
            with progress.step("Libraries"):
                run = _fleet() if settings.workers > 1 else _gateway()
                preflight.check_device(settings)

            def on_ready() -> None:
                progress.close()
                port = held.getsockname()[1]
                seconds = time.monotonic() - began
                console.out(examples(settings, port, seconds), highlight=False)

            _run(run(settings, held, progress, on_ready))


@app.command(hidden=True)
def worker(fd: int) -> None:
    """One of several gateway processes, on a socket that the parent holds."""
    from serving.fleet import READY

    def on_ready() -> None:
        sys.stdout.buffer.write(READY)
        sys.stdout.flush()

    with _clear_failures():
        settings = load_settings()
        prepare(settings)
        _run(_gateway()(settings, socket.socket(fileno=fd), Silent(), on_ready))


@app.command(name="settings")
def show_settings(
    as_markdown: Annotated[bool, typer.Option("--markdown", help="As the page in docs/.")] = False,
) -> None:
    """List every setting: its variable, what it may be, its default, and what it is."""
    if as_markdown:
        typer.echo(markdown(Settings.model_fields), nl=False)
        return
    for name, field in Settings.model_fields.items():
        typer.echo(summary(name, field))


def _gateway() -> Serve:
    from serving.gateway import serve

    return serve


def _fleet() -> Serve:
    from serving.fleet import serve

    return serve


def _run(main: Coroutine[Any, Any, None]) -> None:
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main)


@contextmanager
def _clear_failures() -> Iterator[None]:
    """Turn what was foreseen into lines and a status. A cause that helps no one stays untold."""
    try:
        yield
    except SettingsError as error:
        raise _failed(*error.lines, status=2) from None
    except StartError as error:
        raise _failed(str(error)) from None
    except StoppedError as stopped:
        raise _failed(str(stopped), status=stopped.code) from None


def _failed(*lines: str, status: int = 1) -> typer.Exit:
    for line in lines:
        typer.echo(f"hotshelf: {' '.join(line.split())}", err=True)
    return typer.Exit(status)
