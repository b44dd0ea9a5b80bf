"""Whether prompts keep what they share: the lint of a shop's templates.

The engine reuses what a prompt has in common with earlier ones from its first token on, so one
clock or number near the head costs nearly all of it. Everything before the question's own part
must come out the same to the last byte, whenever and for whomever it is rendered.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from catalog.demo import demo_products
from catalog.product import LOCALES, Locale, Product
from pipeline.lexicon.words import Words
from pipeline.prompt import Prompt, PromptBuilder
from pipeline.prompting.sizes import PromptConfig
from pipeline.prompting.template_lint import ASKED, MOVING, TIMES, Finding, TemplateLint
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.types import Question, Source, Turn

LONG_HEAD = 300
"""Tokens from which on a head is long: slow while it is cold, and much for a small model."""
_FILES = {"head": "policy.j2", "product": "product.j2", "live": "live.j2"}


@dataclass(frozen=True, slots=True)
class Report:
    """What was found, and the tokens of the heads if all could be rendered."""

    findings: tuple[Finding, ...]
    heads: Mapping[Locale, int]

    @property
    def is_clean(self) -> bool:
        """Whether nothing would lose reuse; there may be warnings."""
        return not any(finding.is_error for finding in self.findings)


def check(tokenizer: Tokenizer, config: PromptConfig) -> Report:
    """Check the templates that `config` names for the model of `tokenizer`.

    Raises `ValueError` if no prompt fits into the limits, or the model's chat template fails.
    """
    garments, others = demo_products()[:12], demo_products()[12:]
    products = (*garments, *others[::24])
    words, found = _words(config)
    for locale in words if not found else ():
        found += TemplateLint(tokenizer, config, words, locale, products).check()
    if found:
        return Report(tuple(found), {})
    builders = [PromptBuilder(tokenizer, _at(config, time)) for time in TIMES]
    heads = {locale: len(ids) for locale, ids in builders[0].heads().items()}
    for locale, size in heads.items():
        found += _whole(builders, locale, products[:2])
        found += _head(locale, size, config.block_tokens)
    return Report(tuple(found), heads)


def _at(config: PromptConfig, time: datetime) -> PromptConfig:
    return replace(config, clock=lambda: time)


def _words(config: PromptConfig) -> tuple[dict[Locale, Words], list[Finding]]:
    words: dict[Locale, Words] = {}
    found = []
    for locale in LOCALES:
        try:
            words[locale] = Words.load(config.templates, locale)
        except (OSError, KeyError, ValueError) as error:
            found.append(Finding(f"{locale}/words.json", 1, f"cannot be read: {error!r}"))
    return words, found


def _whole(
    builders: Sequence[PromptBuilder], locale: Locale, products: Sequence[Product]
) -> Iterator[Finding]:
    """Whether the prompts of two sessions differ before the question's own part."""
    earlier = (), (Turn(ASKED[locale][1], ASKED[locale][0]),)
    for product in products:
        for turns in earlier:
            one, other = (
                _prompt(builder, locale, product, turns, at) for at, builder in enumerate(builders)
            )
            for left, right in zip(one.parts[:-1], other.parts[:-1], strict=True):
                if left != right:
                    text = f"the {left.kind} of a whole prompt changes with the time or the session"
                    yield Finding(f"{locale}/{_FILES.get(left.kind, '')}", 1, text)
                    return


def _prompt(
    builder: PromptBuilder, locale: Locale, product: Product, turns: Sequence[Turn], at: int
) -> Prompt:
    answer_id, session_id = (str(MOVING[at][name]) for name in ("answer_id", "session_id"))
    question = Question(ASKED[locale][0], locale, answer_id, session_id, product.id)
    return builder.build(question, [Source(product, "page")], turns)


def _head(locale: Locale, size: int, block_tokens: int) -> Iterator[Finding]:
    file = f"{locale}/policy.j2"
    if size < block_tokens:
        text = (
            f"the head has {size} tokens, less than one block of the cache ({block_tokens}): "
            "products share nothing"
        )
        yield Finding(file, 1, text, is_error=False)
    if size > LONG_HEAD:
        yield Finding(file, 1, f"the head has {size} tokens, over {LONG_HEAD}", is_error=False)
