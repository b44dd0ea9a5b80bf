"""How large a prompt and its parts may be, in tokens."""

from dataclasses import dataclass
from pathlib import Path

from pipeline.prompting.rendering import TEMPLATES, Clock, local_time

LEAST_ROOM = 128
"""Tokens that must be left beside the head: fewer hold no question with its facts."""
LABELS = 32
"""Tokens that speakers and labels take at most."""


@dataclass(frozen=True, slots=True)
class PromptConfig:
    """Sizes in tokens. `context_tokens` is the engine's, of which `answer_tokens` stay free.

    A product's stable block has at most `max_block_tokens`, always: a length that depended on the
    request would change the bytes that later requests could reuse. One that is longer is cut where
    a block of the engine's cache ends (`block_tokens`).
    `usual_ending_tokens` are kept free for a question and its facts, so that how long a question is
    decides nothing about what stands before it. A conversation that does not fit any more is cut
    down to the part `low_water` of the room that its turns have.
    """

    max_prompt_tokens: int = 1536
    context_tokens: int | None = None
    answer_tokens: int = 48
    max_question_tokens: int = 256
    max_block_tokens: int = 256
    max_live_tokens: int = 128
    max_fact_tokens: int = 96
    usual_ending_tokens: int = 128
    low_water: float = 0.6
    block_tokens: int = 32
    max_products: int = 3
    cached_blocks: int = 4096
    templates: Path = TEMPLATES
    clock: Clock = local_time

    def budget(self, head: int, answer_tokens: int | None = None) -> int:
        """Tokens of a whole prompt with a head of so many."""
        return max(self.most(answer_tokens), head + LEAST_ROOM)

    def most(self, answer_tokens: int | None = None) -> int:
        """Tokens of the longest prompt beside the answer."""
        if self.context_tokens is None:
            return self.max_prompt_tokens
        return min(
            self.max_prompt_tokens, self.context_tokens - (answer_tokens or self.answer_tokens)
        )
