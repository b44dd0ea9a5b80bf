"""The Lua scripts that are the catalogue's single steps in Redis."""

from collections.abc import Awaitable, Callable, Sequence
from importlib.resources import files
from typing import Any, cast

from redis.asyncio import Redis

Argument = str | bytes | int | float
Run = Callable[[Sequence[str], Sequence[Argument]], Awaitable[Any]]
"""Runs a script on keys and arguments; its reply."""

SHARED = "cells"
"""What every script on the catalogue's own keys begins with."""


def script(redis: Redis, name: str, *, shared: bool = True) -> Run:
    """A script of the folder `lua`, loaded when it is first run and whenever Redis forgot it."""
    folder = files("catalog").joinpath("lua")
    names = [SHARED, name] if shared else [name]
    text = "\n".join(folder.joinpath(f"{part}.lua").read_text() for part in names)
    return cast(Run, redis.register_script(text))
