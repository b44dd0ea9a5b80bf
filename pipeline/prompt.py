"""The prompt, built as token ids: what is the same for everyone first, what is new last.

    head (policy, static) + stable blocks + live facts + [fitting facts + question + tail]

and in a conversation that goes on

    all of the last prompt + its answer + what joined or changed + [fitting facts + question + tail]

Everything before the question's own part is the same bytes for the same products or conversation,
so the engine's prefix cache reuses it. Each part is tokenised once and ends with a line break,
where a tokenizer would part it anyway; stable blocks are kept tokenised until a product changes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from catalog.product import LOCALES, Locale, Product
from pipeline.facts.fitting import FactFinder
from pipeline.lexicon.words import Words
from pipeline.prompting.endings import Asking, Endings
from pipeline.prompting.frames import Ids, frames_for
from pipeline.prompting.layout import Layout
from pipeline.prompting.parts import Part
from pipeline.prompting.rendering import Renderer
from pipeline.prompting.sizes import LEAST_ROOM, PromptConfig
from pipeline.prompting.spare import Spare, shortened, uncached
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.types import Known, Question, Source, Told, Turn

__all__ = ["Prompt", "PromptBuilder", "PromptConfig", "Spare"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What an engine needs. `trimmed` counts the tokens that did not fit.

    The first `old` ids are those of the conversation before, or the static head; `known` is what
    has been told of products with it.
    """

    parts: tuple[Part, ...]
    trimmed: int
    stop: tuple[str, ...]
    stop_token_ids: Ids
    old: int = 0
    known: tuple[Known, ...] = ()

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
        self._config = config = config or PromptConfig()
        folder = config.templates
        lexicons = {locale: Words.load(folder, locale) for locale in LOCALES}
        self._facts = FactFinder(lexicons)
        options = self._facts.options
        self._frames = frames_for(tokenizer, lexicons)
        self._renderers = {
            locale: Renderer(locale, lexicons[locale], options, folder, not tokenizer.is_instruct)
            for locale in LOCALES
        }
        self._heads = {
            locale: (*self._frames[locale].opening, *tokenizer.encode(renderer.policy()))
            for locale, renderer in self._renderers.items()
        }
        around = tokenizer, self._frames, self._renderers
        self._layout = Layout(*around, self._heads, options, config)
        self._endings = Endings(*around, self._facts, config)
        least = max(map(len, self._heads.values())) + LEAST_ROOM
        if config.most() < least:
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

    def build(
        self,
        question: Question,
        sources: Sequence[Source],
        turns: Sequence[Turn],
        spare: Spare | None = None,
    ) -> Prompt:
        """The prompt for `question` about `sources`, the most relevant first, after `turns`; with
        no more uncached tokens than `spare` has time for, as far as that can be had."""
        drafts = self._drafts(self._asking(question, sources), turns, spare)
        whole = prompt = next(drafts)
        while spare is not None and spare.over(prompt.token_ids):
            if (shorter := next(drafts, None)) is None:
                break
            prompt = shorter
        went = len(whole.token_ids) - len(prompt.token_ids)
        return replace(prompt, trimmed=whole.trimmed + went)

    def prefix(self, product: Product, locale: Locale, turns: Sequence[Turn] = ()) -> Ids:
        """What the next prompt about `product` alone begins with, up to the question's own part:
        what is computed for it before anyone asks.

        A question whose own part is longer than usual may cut a conversation earlier than this.
        """
        return self._layout.opening((product,), locale, turns).ids

    def told(
        self, prompt: Prompt, question: Question, answer: str, said: Ids | None = None
    ) -> Told | None:
        """What the turn keeps so that the next prompt can begin with this one; None if there was no
        answer. `said` are the ids that the engine generated for `answer`, where they are known."""
        if not answer.strip():
            return None
        ids = prompt.token_ids
        turn = Turn(question.text, answer)
        added = len(ids) - prompt.old
        transcripts = self._layout.transcripts
        return transcripts.told(ids, added, prompt.known, question.locale, turn, said or ())

    def lines(self, question: Question, sources: Sequence[Source]) -> tuple[str, ...]:
        """What the prompt says beside `question`, where it fits: the fitting facts, then prices and
        stock of each product. No blocks of texts are made or kept for it."""
        asking = self._asking(question, sources)
        told = [self._endings.facts_line(asking)]
        for product in asking.products:
            several = len(asking.products) > 1
            ids = self._layout.live(product, question.locale, several, asking.room)
            told += self._tokenizer.decode(ids).splitlines()
        return tuple(line.strip() for line in told if line.strip())

    def _asking(self, question: Question, sources: Sequence[Source]) -> Asking:
        products = _ranked(question, sources)[: self._config.max_products]
        room = self._layout.room(question.locale, question.max_tokens)
        searched = bool(sources) and sources[0].why == "search"
        return Asking(question, tuple(products), room, searched)

    def _drafts(
        self, asking: Asking, turns: Sequence[Turn], spare: Spare | None
    ) -> Iterator[Prompt]:
        """The whole prompt, then shorter ones, each without something that the last one has."""
        yield (prompt := self._prompt(asking, turns))
        if spare is None:
            return
        block_tokens = self._config.block_tokens
        for extra in reversed(asking.products[1:]):
            if extra.id in uncached(prompt.parts, spare, block_tokens):
                left = tuple(product for product in asking.products if product is not extra)
                asking = replace(asking, products=left)
                yield (prompt := self._prompt(asking, turns))
        asking = replace(asking, most_facts=1)
        yield (prompt := self._prompt(asking, turns))
        get, locale = self._layout.blocks.get, asking.question.locale
        blocks = {product.id: get(product, locale) for product in asking.products}
        yield replace(prompt, parts=shortened(prompt.parts, blocks, spare, block_tokens))

    def _prompt(self, asking: Asking, turns: Sequence[Turn]) -> Prompt:
        question = asking.question
        ending, cut = self._endings.ending(asking)
        opening = self._layout.opening(
            asking.products, question.locale, turns, len(ending), question.max_tokens
        )
        frame = self._frames[question.locale]
        return Prompt(
            (*opening.parts, Part("question", ending)),
            opening.trimmed + cut,
            frame.stop,
            frame.stop_ids,
            opening.old,
            opening.known,
        )


def _ranked(question: Question, sources: Sequence[Source]) -> list[Product]:
    """Each product once, the page's first."""
    products = {source.product.id: source.product for source in sources}
    return sorted(products.values(), key=lambda product: product.id != question.product_id)
