"""The command `hotshelf` as a person runs it: a process of its own, with a clean environment."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
HOTSHELF = (sys.executable, "-m", "serving.cli")


def environment(**settings: str) -> dict[str, str]:
    """Ours without any setting, and then `settings`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith("HOTSHELF_") and name != "REDIS_URL"
    }
    return {**kept, "PYTHONPATH": str(ROOT), **settings}


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
