"""The servers under test, each a process of its own, ended when the measurement ends."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from serving.engines.profile import VllmConfig, engine_arguments, environment


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def running(
    command: list[str], env: Mapping[str, str], ready: str, log: Path, wait_s: float = 240.0
) -> AsyncIterator[None]:
    """`command` as a process group of its own, until `ready` (a URL) answers 200.

    Raises RuntimeError with the end of its log when it ends or does not get ready.
    """
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *command,
            env={**os.environ, **env},
            stdout=output,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        async with asyncio.timeout(wait_s), httpx.AsyncClient() as client:
            while not await _answers(client, ready):
                if process.returncode is not None:
                    raise RuntimeError(f"{command[:4]} ended:\n{_end_of(log)}")
                await asyncio.sleep(0.5)
        yield
    except TimeoutError:
        raise RuntimeError(f"{command[:4]} is not ready:\n{_end_of(log)}") from None
    finally:
        await _end(process)


@asynccontextmanager
async def vllm_server(model: Path, log: Path) -> AsyncIterator[str]:
    """vLLM's own OpenAI server, sized as Hotshelf's own engine is; yields its URL.

    Its prefix cache can be reset.
    """
    port = free_port()
    config = VllmConfig(model=str(model))
    sizes = engine_arguments(config)
    command = [
        *(sys.executable, "-m", "vllm.entrypoints.openai.api_server"),
        *("--model", str(model), "--served-model-name", "model"),
        *("--host", "127.0.0.1", "--port", str(port)),
        *("--dtype", sizes["dtype"], "--block-size", str(sizes["block_size"])),
        *("--max-model-len", str(sizes["max_model_len"]), "--enforce-eager"),
        *("--max-num-seqs", str(sizes["max_num_seqs"])),
        *("--max-num-batched-tokens", str(sizes["max_num_batched_tokens"])),
        *("--kv-cache-memory-bytes", str(sizes["kv_cache_memory_bytes"])),
        *("--enable-prompt-tokens-details", "--enable-per-request-metrics"),
        "--disable-uvicorn-access-log",
    ]
    env = environment(config) | {"VLLM_SERVER_DEV_MODE": "1"}
    url = f"http://127.0.0.1:{port}"
    async with running(command, env, f"{url}/health", log):
        yield url


@asynccontextmanager
async def hotshelf_server(
    log: Path, redis_url: str | None = None, **settings: str
) -> AsyncIterator[str]:
    """`hotshelf serve` with these HOTSHELF_ settings (lower-case names); yields its URL."""
    port = free_port()
    env = {f"HOTSHELF_{name.upper()}": value for name, value in settings.items()}
    if redis_url is not None:
        env["REDIS_URL"] = redis_url
    env["HOTSHELF_PORT"] = str(port)
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "serving.cli", "serve"]
    async with running(command, env, f"{url}/readyz", log):
        yield url


@asynccontextmanager
async def scripted_server(log: Path, *arguments: str) -> AsyncIterator[str]:
    """An engine that answers at once what it is told to; yields its URL."""
    port = free_port()
    command = [sys.executable, "-m", "serving.engines.scripted_server", "--port", str(port)]
    url = f"http://127.0.0.1:{port}"
    async with running([*command, *arguments], {}, f"{url}/v1/models", log):
        yield url


async def _answers(client: httpx.AsyncClient, url: str) -> bool:
    try:
        return (await client.get(url, timeout=5.0)).status_code == 200
    except httpx.TransportError:
        return False


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the whole group: kindly first, for certain after 20 s."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, kind)
        except ProcessLookupError:
            break
        try:
            await asyncio.wait_for(process.wait(), 20.0)
        except TimeoutError:
            continue
        break


def _end_of(log: Path, lines: int = 30) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
