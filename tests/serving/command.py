"""The command `hotshelf` as a person runs it: a process of its own, with a clean environment."""

import asyncio
import os
import signal
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parent.parent.parent
HOTSHELF = (sys.executable, "-m", "serving.cli")
OUTSIDE = {
    name: value
    for name, value in os.environ.items()
    if not name.upper().startswith("HOTSHELF_") and name != "REDIS_URL"
}
"""As the tests were started: vLLM adds to this process's own, `LD_PRELOAD` for one."""


def environment(**settings: str) -> dict[str, str]:
    """Ours without any setting, and then `settings`."""
    return {**OUTSIDE, "PYTHONPATH": str(ROOT), **settings}


def hotshelf(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run it in `folder` to its end, which must come soon."""
    return subprocess.run(
        [*HOTSHELF, *arguments],
        cwd=folder,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@dataclass
class Running:
    """A `hotshelf serve` that answers at `url`, and every process that it started."""

    process: Process
    url: str
    said: list[str]
    children: list[psutil.Process]

    async def end(self, number: signal.Signals) -> int:
        """Send it `number`; its exit status, when it and its children are gone."""
        self.process.send_signal(number)
        return await self.ended()

    async def ended(self) -> int:
        """Its exit status, when it and its children are gone; fails if one stays."""
        status = await asyncio.wait_for(self.process.wait(), 120)
        _, alive = await asyncio.to_thread(psutil.wait_procs, self.children, 30)
        assert not alive
        return status


@asynccontextmanager
async def started(folder: Path, **settings: str) -> AsyncGenerator[Process, None]:
    """`hotshelf serve` in `folder`, on a free port; killed at the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        *HOTSHELF,
        "serve",
        cwd=folder,
        env=environment(HOTSHELF_PORT="0", **settings),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@asynccontextmanager
async def running(folder: Path, **settings: str) -> AsyncGenerator[Running, None]:
    """`hotshelf serve`, when it answers."""
    async with started(folder, **settings) as process:
        said = await until_said(process, "Hotshelf answers on ")
        url = said[-1].split("answers on ")[1].split()[0]
        children = psutil.Process(process.pid).children(recursive=True)
        yield Running(process, url, said, children)


async def until_said(process: Process, words: str) -> list[str]:
    """The lines of its standard output up to the one with `words`; fails if it ends before."""
    assert process.stdout is not None
    assert process.stderr is not None
    said: list[str] = []
    async for line in process.stdout:
        said.append(line.decode().rstrip())
        if words in said[-1]:
            return said
    pytest.fail(f"it ended: {said}, {(await process.stderr.read()).decode()}")
