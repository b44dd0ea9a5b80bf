"""How a request is put to a server: OpenAI's own fields, and what some servers take beyond them."""

from dataclasses import dataclass
from typing import Any

from pipeline.engine import GenerationRequest
from serving.engines.stream import Decode


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server understands. `vllm`: stop tokens, a first token that is none of
    them, cache salts and counts in every event."""

    ids: bool = True
    vllm: bool = False
    priority: bool = False

    def payload(
        self, request: GenerationRequest, model: str, decode: Decode | None
    ) -> dict[str, Any]:
        """The body of `POST /v1/completions`. A dialect of text needs `decode`."""
        body: dict[str, Any] = {
            "model": model,
            "prompt": self._prompt(request, decode),
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.stop:
            body["stop"] = list(request.stop)
        if self.vllm:
            body["request_id"] = request.request_id
            body["min_tokens"] = 1
            body["stream_options"]["continuous_usage_stats"] = True
            if request.stop_token_ids:
                body["stop_token_ids"] = list(request.stop_token_ids)
            if request.cache_salt is not None:
                body["cache_salt"] = request.cache_salt
        if self.priority and request.priority:
            body["priority"] = request.priority
        return body

    def _prompt(self, request: GenerationRequest, decode: Decode | None) -> list[int] | str:
        if self.ids:
            return list(request.token_ids)
        if decode is None:
            raise ValueError("a server that takes no token ids needs a way to decode them")
        return decode(request.token_ids)


VLLM = (Dialect(vllm=True, priority=True), Dialect(vllm=True))
"""vLLM refuses a priority unless it schedules by priority."""
ANY = (*VLLM, Dialect(), Dialect(ids=False))
"""What to try, in this order, with a server that does not say what it is."""
