"""Text to token ids and back, with the tokenizer of the model that answers.

A shopper or a merchandiser may type anything, so `encode` reads the spelling of a control token
("<end_of_turn>", "<|im_end|>") as plain text, and a lone surrogate as U+FFFD: no text can end a
turn, and none can crash it. Only `encode_control`, used for the frame around roles, makes control
tokens.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from jinja2 import TemplateError
from tokenizers import AddedToken
from tokenizers import Tokenizer as Backend

Message = Mapping[str, str]
"""One message of a chat: `role` and `content`."""

Span = tuple[int, int]
"""Where a token lies in its text, in characters: start, end."""

_NEWLINE_PIECES = ("\n", "Ċ", "<0x0A>")
"""How vocabularies spell a newline: itself, byte-level, byte fallback."""


class Tokenizer:
    """A fast Hugging Face tokenizer, safe for text from anywhere. Not for two threads at once."""

    def __init__(
        self,
        backend: Backend,
        *,
        bos_id: int | None,
        eos_ids: tuple[int, ...],
        render_chat: Callable[[Sequence[Message]], str] | None = None,
    ) -> None:
        """`render_chat` is the model's chat template; without one it is a base model."""
        _guard(backend)
        added = backend.get_added_tokens_decoder()
        self._backend = backend
        self._render_chat = render_chat
        self._control = frozenset(i for i, token in added.items() if token.special)
        self._newline_ids: tuple[int, ...] | None = None
        self._size = max(backend.get_vocab(with_added_tokens=True).values()) + 1
        self.bos_id = bos_id
        self.eos_ids = eos_ids

    @classmethod
    def load(cls, model: str | Path) -> "Tokenizer":
        """Read the tokenizer of a folder or a Hugging Face id.

        Raises `OSError` if there is none, `ValueError` if it is not a fast one.
        """
        from transformers import AutoTokenizer

        loaded = AutoTokenizer.from_pretrained(str(model))
        backend = getattr(loaded, "backend_tokenizer", None)
        if not isinstance(backend, Backend):
            raise ValueError(f"the tokenizer of {model} is not a fast one (no tokenizer.json)")

        def render_chat(messages: Sequence[Message]) -> str:
            return str(
                loaded.apply_chat_template(
                    list(messages),
                    tokenize=False,
                    add_generation_prompt=True,
                    enable_thinking=False,
                )
            )

        return cls(
            backend,
            bos_id=loaded.bos_token_id,
            eos_ids=_ends(str(model), loaded.eos_token_id),
            render_chat=render_chat if loaded.chat_template else None,
        )

    @property
    def size(self) -> int:
        """How many tokens there are; every id is less."""
        return self._size

    @property
    def is_instruct(self) -> bool:
        """Whether the model has a chat template."""
        return self._render_chat is not None

    def render_chat(self, messages: Sequence[Message]) -> str:
        """The chat template's text, open for the assistant. Raises `ValueError` if it refuses."""
        if self._render_chat is None:
            raise ValueError("a base model has no chat template")
        try:
            return self._render_chat(messages)
        except TemplateError as error:
            raise ValueError(f"the chat template refused: {error}") from error

    def encode(self, text: str) -> tuple[int, ...]:
        """Ids of `text`: nothing added, control tokens read as plain text."""
        return tuple(self._backend.encode(scrub(text), add_special_tokens=False).ids)

    def encode_with_spans(self, text: str) -> tuple[tuple[int, ...], list[Span]]:
        """Like `encode`, and where each token lies in `text`, which must be scrubbed."""
        encoding = self._backend.encode(text, add_special_tokens=False)
        return tuple(encoding.ids), encoding.offsets

    def encode_control(self, text: str) -> tuple[int, ...]:
        """Ids of trusted text, in which control tokens count. For frames, never for content."""
        self._backend.encode_special_tokens = False
        try:
            return tuple(self._backend.encode(text, add_special_tokens=False).ids)
        finally:
            self._backend.encode_special_tokens = True

    def is_control(self, token_id: int) -> bool:
        """Whether a token is one that only `encode_control` makes."""
        return token_id in self._control

    def decode(self, ids: Sequence[int]) -> str:
        """The text of `ids`, control tokens spelled out."""
        return self._backend.decode(list(ids), skip_special_tokens=False)

    def newline_ids(self) -> tuple[int, ...]:
        """Every token whose text begins with a newline: what ends a line of a transcript."""
        if self._newline_ids is None:
            vocabulary = self._backend.get_vocab(with_added_tokens=True)
            ids = (i for piece, i in vocabulary.items() if piece.startswith(_NEWLINE_PIECES))
            self._newline_ids = tuple(sorted(i for i in ids if self.decode([i]).startswith("\n")))
        return self._newline_ids


def scrub(text: str) -> str:
    """`text` with surrogate pairs joined and lone surrogates replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _ends(model: str, eos_id: int | None) -> tuple[int, ...]:
    """The tokens that end a text, by the tokenizer and by the generation settings, if any."""
    from transformers import GenerationConfig

    try:
        listed = GenerationConfig.from_pretrained(model).eos_token_id
    except OSError:
        listed = None
    also = [listed] if isinstance(listed, int) else list(listed or ())
    return tuple(dict.fromkeys(i for i in (eos_id, *also) if i is not None))


def _guard(backend: Backend) -> None:
    """Make every added token with a visible spelling one that `encode` does not make.

    Tokenizers leave "special" ones out on request, but models also add ones that are not marked
    so and still mean something ("<think>", "<start_of_image>").
    """
    loose = [
        AddedToken(token.content, special=True, normalized=False)
        for token in backend.get_added_tokens_decoder().values()
        if not token.special and token.content.strip()
    ]
    if loose:
        backend.add_special_tokens(loose)
    backend.encode_special_tokens = True
