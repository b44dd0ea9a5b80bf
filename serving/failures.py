"""How a command fails: a line on standard error for each reason, an exit status, no traceback.

2 for wrong settings or arguments, 1 for what could not be done.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from serving.settings import SettingsError
from serving.signals import StoppedError
from serving.startup import StartError


@contextmanager
def clear_failures() -> Iterator[None]:
    """Turn what was foreseen into lines and a status. A cause that helps no one stays untold."""
    try:
        yield
    except SettingsError as error:
        raise failed(*error.lines, status=2) from None
    except StartError as error:
        raise failed(str(error)) from None
    except StoppedError as stopped:
        raise failed(str(stopped), status=stopped.code) from None


def failed(*lines: str, status: int = 1) -> typer.Exit:
    """Say `lines`; raise what comes back."""
    for line in lines:
        typer.echo(f"hotshelf: {' '.join(line.split())}", err=True)
    return typer.Exit(status)
