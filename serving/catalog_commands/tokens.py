"""`hotshelf token`: who may read, edit and import the catalogue.

It works on Redis itself, so whoever can run it on the server's machine needs no token to begin.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.table import Table

from serving.failures import clear_failures, failed
from serving.settings import load_settings
from serving.tokens import Role, TokenNameError, Tokens

T = TypeVar("T")
app = typer.Typer(help="Who may read, edit and import the catalogue.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Stands in the history beside every change.")]


@app.command()
def create(
    name: Name,
    role: Annotated[
        Role, typer.Option(help="Each may do what the ones before it may.", show_default=True)
    ] = "edit",
) -> None:
    """Make a token and print it: the only time that it can be seen."""
    token = _with_tokens(lambda tokens: tokens.create(name, role))
    typer.echo(token)
    typer.echo(f"Keep it now: it is not shown again. {name} may {role}.", err=True)


@app.command(name="list")
def list_tokens() -> None:
    """List the tokens that are valid, by name, never themselves."""
    grants = _with_tokens(lambda tokens: tokens.grants())
    table = Table("name", "role", "created (UTC)", box=None)
    for grant in grants:
        made = datetime.fromtimestamp(grant.created_at, UTC).strftime("%Y-%m-%d %H:%M")
        table.add_row(grant.name, grant.role, made)
    Console().print(table)


@app.command()
def revoke(name: Name) -> None:
    """Refuse a token from now on."""
    if not _with_tokens(lambda tokens: tokens.revoke(name)):
        raise failed(f"there is no token named {name!r}: `hotshelf token list`")
    typer.echo(f"{name} is refused from now on", err=True)


def _with_tokens(work: Callable[[Tokens], Awaitable[T]]) -> T:
    async def run() -> T:
        async with _tokens() as tokens:
            return await work(tokens)

    with clear_failures():
        try:
            return asyncio.run(run())
        except TokenNameError as error:
            raise failed(str(error)) from None


@asynccontextmanager
async def _tokens() -> AsyncGenerator[Tokens, None]:
    """The tokens in the Redis that the settings name, or in our own, running or not."""
    from serving.embedded_redis import running_url
    from serving.parts import connect, redis_address
    from serving.startup import Silent

    settings = load_settings()
    running = None
    if settings.redis_url is None:
        running = running_url(settings.data_dir / "redis")
    if running is not None:
        async with connect(running) as redis:
            yield Tokens(redis)
        return
    async with redis_address(settings, Silent()) as url, connect(url) as redis:
        yield Tokens(redis)
