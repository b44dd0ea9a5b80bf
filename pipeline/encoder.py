"""Questions and product texts to vectors, off the event loop.

`EmbeddingModel` is the part of sentence-transformers' interface that is used here; models are in
`pipeline/searching/embedding_models.py`. `Encoder` puts a cache and a shared batch in front of one:
a repeated question costs nothing, and questions that arrive together are encoded together.
"""

import asyncio
import os
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

Vectors = NDArray[np.float32]
P = ParamSpec("P")
T = TypeVar("T")

_NICE = 10
"""Priority of what is encoded behind: a tenth of the processor where others want it all."""


class EmbeddingModel(Protocol):
    """Texts to unit vectors, float32 of shape [len(texts), dimension]. Blocking.

    Questions and documents may be asked for at the same time, from two threads.
    """

    name: str
    dimension: int

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions."""
        ...

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        """Vectors of product texts."""
        ...


@dataclass(frozen=True, slots=True)
class EncoderConfig:
    """`cache_size` questions are remembered; at most `max_batch` are encoded in one call."""

    cache_size: int = 4096
    max_batch: int = 16
    document_batch: int = 32


def normalise(text: str) -> str:
    """The cache's key: width, case and blanks do not make another question."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


class Encoder:
    """One model, one cache, a thread for questions and one for what may wait behind them.

    All methods belong to one event loop.
    """

    def __init__(self, model: EmbeddingModel, config: EncoderConfig | None = None) -> None:
        self.model = model
        self._config = config or EncoderConfig()
        self._thread = ThreadPoolExecutor(1, "encoder", initializer=on_one_thread)
        self._behind = ThreadPoolExecutor(1, "encoder-behind", initializer=_step_back)
        self._cache: OrderedDict[str, Vectors] = OrderedDict()
        self._waiting: dict[str, asyncio.Future[Vectors]] = {}
        self._batcher: asyncio.Task[None] | None = None

    @property
    def document_batch(self) -> int:
        """Texts that are encoded in one call."""
        return self._config.document_batch

    async def query(self, text: str, *, behind: bool = False) -> Vectors:
        """The question's vector, float32 of shape [dimension].

        With `behind`, nobody waits for the answer: shoppers' questions are encoded before it.
        """
        key = normalise(text)
        if (known := self._cache.get(key)) is not None:
            self._cache.move_to_end(key)
            return known
        if behind:
            vector: Vectors = (await self.behind(self.model.encode_query, [key]))[0]
            self._remember(key, vector)
            return vector
        waiting = self._waiting.get(key)
        if waiting is None:
            waiting = self._waiting[key] = asyncio.get_running_loop().create_future()
            if self._batcher is None:
                self._batcher = asyncio.create_task(self._drain())
        return await asyncio.shield(waiting)

    async def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of product texts, float32 of shape [len(texts), dimension].

        Questions that come meanwhile do not wait for them, and take what they need of the
        processor first.
        """
        size = self._config.document_batch
        parts = [
            await self.behind(self.model.encode_document, texts[at : at + size])
            for at in range(0, len(texts), size)
        ]
        if not parts:
            return np.empty((0, self.model.dimension), dtype=np.float32)
        return np.concatenate(parts)

    async def behind(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Blocking work that may wait, off the event loop and at a low priority; one at a time."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._behind, partial(work, *args, **kwargs))

    async def close(self) -> None:
        """Stop the threads; questions still waiting are cancelled."""
        if self._batcher is not None:
            self._batcher.cancel()
        for thread in (self._thread, self._behind):
            thread.shutdown(wait=False, cancel_futures=True)

    async def _drain(self) -> None:
        """Encode what waits, batch by batch, until nothing does."""
        try:
            while self._waiting:
                keys = list(self._waiting)[: self._config.max_batch]
                await self._encode(keys)
        finally:
            self._batcher = None

    async def _encode(self, keys: list[str]) -> None:
        loop = asyncio.get_running_loop()
        try:
            vectors = await loop.run_in_executor(self._thread, self.model.encode_query, keys)
        except BaseException as error:
            for key in keys:
                future = self._waiting.pop(key)
                if isinstance(error, Exception):
                    future.set_exception(error)
                    future.exception()  # told to whoever waits; nobody may, and that is fine
                else:
                    future.cancel()
            if not isinstance(error, Exception):
                raise
            return
        for key, vector in zip(keys, vectors, strict=True):
            self._remember(key, vector)
            self._waiting.pop(key).set_result(vector)

    def _remember(self, key: str, vector: Vectors) -> None:
        self._cache[key] = vector
        if len(self._cache) > self._config.cache_size:
            self._cache.popitem(last=False)


def on_one_thread() -> None:
    """Have this thread compute alone, and start no others.

    A question is too small to share: two threads wait for each other at every layer, the longer
    the busier the processor is. Seen on two cores (medians): at once after an answer 24 ms alone,
    38 with two threads; after a pause 20 and 36; without any pause, which no shop has, 23 and 14.
    Two threads bound to a core each took 13 to 620 ms.
    """
    threadpool_limits(1, "openmp")


def _step_back() -> None:
    """Lower the priority of this thread, and of those that it will start; Linux counts each."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
