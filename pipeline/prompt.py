"""The prompt, built as token ids: what is the same for everyone first, what is new last.

    head (policy, static) + stable blocks + history + live facts + fitting facts + question + tail

Everything before the live facts is the same bytes for the same products and conversation, so the
engine's prefix cache reuses it. Each part is tokenised once and ends with a line break, where a
tokenizer would part it anyway; stable blocks are kept tokenised until their product changes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from catalog.product import LOCALES, Locale, Product
from pipeline.facts.fitting import FactFinder
from pipeline.facts.offers import live_facts
from pipeline.lexicon.words import Words
from pipeline.prompting.block_cache import BlockCache
from pipeline.prompting.frames import Ids, frames_for
from pipeline.prompting.parts import Part
from pipeline.prompting.rendering import TEMPLATES, Renderer, flatten
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.prompting.trim import block_of, clip, clip_middle, fit
from pipeline.types import Question, Source, Turn

_LEAST_ROOM = 128
"""Tokens that must be left beside the head: fewer hold no question with its facts."""
_LABELS = 32
"""Tokens that speakers and labels take at most."""


@dataclass(frozen=True, slots=True)
class PromptConfig:
    """Sizes in tokens. `context_tokens` is the engine's, of which `answer_tokens` stay free.

    A product's stable block has at most `max_block_tokens`, always: a length that depended on the
    request would change the bytes that later requests could reuse.
    """

    max_prompt_tokens: int = 1024
    context_tokens: int | None = None
    answer_tokens: int = 48
    max_question_tokens: int = 256
    max_block_tokens: int = 256
    max_live_tokens: int = 128
    max_fact_tokens: int = 96
    max_products: int = 3
    cached_blocks: int = 4096
    templates: Path = TEMPLATES


@dataclass(frozen=True, slots=True)
class Prompt:
    """What an engine needs. `trimmed` counts the tokens that did not fit."""

    parts: tuple[Part, ...]
    trimmed: int
    stop: tuple[str, ...]
    stop_token_ids: Ids

    @property
    def token_ids(self) -> Ids:
        """All of it, in order."""
        return tuple(token for part in self.parts for token in part.ids)


class PromptBuilder:
    """Builds prompts for one tokenizer. Not for two threads at once.

    Raises `ValueError` if the model's chat template or the sizes cannot work.
    """

    def __init__(self, tokenizer: Tokenizer, config: PromptConfig | None = None) -> None:
        self._tokenizer = tokenizer
        self._config = config or PromptConfig()
        folder = self._config.templates
        lexicons = {locale: Words.load(folder, locale) for locale in LOCALES}
        self._facts = FactFinder(lexicons)
        self._frames = frames_for(tokenizer, lexicons)
        self._renderers = {
            locale: Renderer(
                locale, lexicons[locale], self._facts.options, folder, not tokenizer.is_instruct
            )
            for locale in LOCALES
        }
        self._heads = {
            locale: (*self._frames[locale].opening, *tokenizer.encode(renderer.policy()))
            for locale, renderer in self._renderers.items()
        }
        self._blocks = BlockCache(
            tokenizer, self._renderers, self._config.max_block_tokens, self._config.cached_blocks
        )
        least = max(map(len, self._heads.values())) + _LEAST_ROOM
        if self._budget(self._config.answer_tokens) < least:
            raise ValueError(f"a prompt needs {least} tokens beside the answer; raise the limits")

    @property
    def facts(self) -> FactFinder:
        """What chooses the facts that stand beside a question."""
        return self._facts

    @property
    def renderers(self) -> Mapping[Locale, Renderer]:
        """What renders the texts of each locale."""
        return self._renderers

    @property
    def templates(self) -> Path:
        """The folder of every text around a question."""
        return self._config.templates

    @property
    def is_transcript(self) -> bool:
        """Whether the model continues a transcript: a base model, which knows no instructions."""
        return not self._tokenizer.is_instruct

    def heads(self) -> dict[Locale, Ids]:
        """The static head of each locale: the first ids of every prompt of that locale."""
        return dict(self._heads)

    def build(self, question: Question, sources: Sequence[Source], turns: Sequence[Turn]) -> Prompt:
        """The prompt for `question` about `sources`, the most relevant first, after `turns`."""
        locale = question.locale
        frame, head = self._frames[locale], self._heads[locale]
        products = _ranked(question, sources)[: self._config.max_products]
        budget = self._room(question)
        ending, cut = self._ending(question, products, budget, _is_searched(sources))
        live = [self._live(product, locale, len(products) > 1, budget) for product in products]
        history = [self._turn(turn, locale) for turn in turns if turn.answer.strip()]
        blocks = [self._blocks.get(product, locale) for product in products]
        fitted = fit(
            budget - len(ending) - len(live[0] if live else ()),
            [len(ids) for ids in history],
            blocks,
            [0, *map(len, live[1:])],
        )
        kept = sorted(zip(products, fitted.blocks, live, strict=False), key=lambda row: row[0].id)
        parts = (
            Part("head", head),
            *(Part("product", block, product.id) for product, block, _ in kept),
            Part("frame", frame.to_user),
            *(Part("history", turn) for turn in history[fitted.first_turn :]),
            *(Part("live", facts, product.id) for product, _, facts in kept),
            Part("question", ending),
        )
        return Prompt(parts, fitted.trimmed + cut, frame.stop, frame.stop_ids)

    def prefix(self, product: Product, locale: Locale, turns: Sequence[Turn] = ()) -> Ids:
        """What every prompt about `product` alone begins with, before the question's own part:
        what is computed for it before anyone asks."""
        return (*self._heads[locale], *self._blocks.get(product, locale).ids)

    def lines(self, question: Question, sources: Sequence[Source]) -> tuple[str, ...]:
        """What the prompt says beside `question`, where it fits: the fitting facts, then prices and
        stock of each product. No blocks of texts are made or kept for it."""
        products = _ranked(question, sources)[: self._config.max_products]
        budget = self._room(question)
        room, searched = budget - _LABELS, _is_searched(sources)
        told = [self._facts_line(question, products, room, searched)]
        for product in products:
            ids = self._live(product, question.locale, len(products) > 1, budget)
            told += self._tokenizer.decode(ids).splitlines()
        return tuple(line.strip() for line in told if line.strip())

    def _room(self, question: Question) -> int:
        """Tokens beside the head and what stands around the question."""
        head, to_user = self._heads[question.locale], self._frames[question.locale].to_user
        budget = self._budget(question.max_tokens or self._config.answer_tokens)
        return max(budget, len(head) + _LEAST_ROOM) - len(head) - len(to_user)

    def _budget(self, answer_tokens: int) -> int:
        config = self._config
        if config.context_tokens is None:
            return config.max_prompt_tokens
        return min(config.max_prompt_tokens, config.context_tokens - answer_tokens)

    def _ending(
        self, question: Question, products: Sequence[Product], budget: int, searched: bool
    ) -> tuple[Ids, int]:
        """Facts, question and tail, and how many tokens of the question were cut."""
        room = budget - _LABELS
        text, cut = clip_middle(
            self._tokenizer,
            flatten(question.text),
            min(self._config.max_question_tokens, room // 2),
        )
        facts = self._facts_line(question, products, room, searched)
        renderer = self._renderers[question.locale]
        ids = self._tokenizer.encode(renderer.question(text, facts, bool(products)))
        return (*ids, *self._frames[question.locale].to_assistant), cut

    def _facts_line(
        self, question: Question, products: Sequence[Product], room: int, searched: bool
    ) -> str:
        """The facts of the first product beside `question`; `room` is in tokens."""
        if not products:
            return ""
        first, locale = products[0], question.locale
        found = self._facts.beside(question.text, first, locale, question.sku, searched=searched)
        limit = min(self._config.max_fact_tokens, room // 4)
        return clip(self._tokenizer, self._renderers[question.locale].facts(found), limit)

    def _live(self, product: Product, locale: Locale, several: bool, budget: int) -> Ids:
        """Price and stock as of this record; never kept."""
        live = live_facts(product, product.variants, locale, self._facts.options)
        text = self._renderers[locale].live(product, live, several)
        limit = min(self._config.max_live_tokens, (budget - _LABELS) // 4)
        return block_of(self._tokenizer, text).cut(limit)

    def _turn(self, turn: Turn, locale: Locale) -> Ids:
        frame = self._frames[locale]
        answer = frame.before_answer + flatten(turn.answer) + frame.after_answer
        return (
            *self._tokenizer.encode(self._renderers[locale].history(turn.question)),
            *frame.to_assistant,
            *self._tokenizer.encode(answer),
            *frame.to_next,
        )


def _is_searched(sources: Sequence[Source]) -> bool:
    return bool(sources) and sources[0].why == "search"


def _ranked(question: Question, sources: Sequence[Source]) -> list[Product]:
    """Each product once, the page's first."""
    products = {source.product.id: source.product for source in sources}
    return sorted(products.values(), key=lambda product: product.id != question.product_id)
