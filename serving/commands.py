"""What `hotshelf` can do: serve, check, list the settings, and keep the catalogue."""

import asyncio
import socket
import sys
import time
from collections.abc import Callable, Coroutine
from importlib import import_module
from typing import Annotated, Any

import typer
from rich.console import Console

from pipeline.searching.embedding_models import threads_that_sleep
from serving import check_commands, preflight
from serving.catalog_commands import files, records, search, tokens
from serving.console import ConsoleProgress
from serving.examples import examples
from serving.failures import clear_failures
from serving.library_env import prepare
from serving.settings import Settings, load_settings
from serving.settings_text import markdown, summary
from serving.startup import Progress, Silent

Serve = Callable[[Settings, socket.socket, Progress, Callable[[], None]], Coroutine[Any, Any, None]]

app = typer.Typer(
    help="Hotshelf answers shoppers' questions about a shop's products.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(tokens.app, name="token")
app.add_typer(check_commands.app, name="check")
app.command("import")(files.import_file)
OVER_HTTP: tuple[Callable[..., None], ...] = (
    *(files.apply, files.undo, files.export),
    *(records.pin, records.history, records.status),
    search.search,
)
for command in OVER_HTTP:
    app.command()(command)


@app.command()
def serve() -> None:
    """Start everything that is needed, and answer until told to stop."""
    began = time.monotonic()
    with clear_failures():
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

    with clear_failures():
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
    """The libraries of a gateway take seconds, and bring the OpenMP that its encoder shares."""
    with threads_that_sleep():
        import_module("torch")
        from serving.gateway import serve

    return serve


def _fleet() -> Serve:
    from serving.fleet import serve

    return serve


def _run(main: Coroutine[Any, Any, None]) -> None:
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main)
