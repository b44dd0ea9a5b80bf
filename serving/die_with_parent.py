"""Runs a command that ends when its parent does, even a parent that was killed with -9.

Started as `python -I die_with_parent.py PARENT_PID SIGNAL COMMAND...`: the kernel's wish (Linux,
PR_SET_PDEATHSIG) outlives the exec. It is a script of its own, not a `preexec_fn`, since Python
code between fork and exec can deadlock where there are threads. The kernel watches the *thread*
that started the child, so start it from one that lives as long as the process: the main thread.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1


def command(argv: Sequence[str], on_death: signal.Signals) -> list[str]:
    """`argv`, to be sent `on_death` when the process that calls this is gone."""
    return [sys.executable, "-I", __file__, str(os.getpid()), str(int(on_death)), *argv]


def main(parent_pid: int, on_death: int, argv: list[str]) -> None:
    """Ask the kernel, see that the parent is still there, become `argv`."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, on_death, 0, 0, 0) != 0:
        sys.exit(f"prctl: {os.strerror(ctypes.get_errno())}")
    if os.getppid() != parent_pid:
        sys.exit("the parent is gone already")
    os.execv(argv[0], argv)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
