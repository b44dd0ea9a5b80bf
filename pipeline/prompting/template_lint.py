"""One locale's templates, each rendered twice, a minute and a session apart.

What moves is offered to the templates on trial (`MOVING`), so that the lint can say what it would
cost; a server gives the time to `question.j2` alone, and the others to none. Chance is loaded: a
random choice falls on the first, then on the last.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any

from jinja2 import TemplateError, TemplateNotFound, pass_context
from jinja2.runtime import Context

from catalog.product import Locale, Product
from pipeline.facts.fitting import FactFinder
from pipeline.facts.offers import live_facts, row
from pipeline.lexicon.words import Words
from pipeline.prompting.sizes import PromptConfig
from pipeline.prompting.tokenizer import Tokenizer, scrub
from pipeline.prompting.tracing import Trace, TracingRenderer, place

TIMES = (
    datetime(2030, 12, 31, 23, 59, 30, tzinfo=UTC),
    datetime(2031, 1, 1, 0, 0, 31, tzinfo=UTC),
)
"""A minute apart, and apart in every field."""
MOVING: tuple[Mapping[str, object], ...] = (
    {"now": TIMES[0], "session_id": "4f7a" * 8, "answer_id": "90de" * 8},
    {"now": TIMES[1], "session_id": "b0c3" * 8, "answer_id": "e51b" * 8},
)
ASKED: Mapping[Locale, tuple[str, ...]] = {
    "en": ("How much is it?", "Which colours are there?", "Does it come in black?", "Warranty?"),
    "zh": ("多少钱？有货吗？", "有哪些颜色？", "有黑色吗？", "什么材质？"),
}
_SHARED = ("policy", "product", "history", "live")
"""The templates before the question's own part, in this order."""
_LEADS = ("", "cheapest", "dearest", "near")
_EXCERPT = 24
"""Characters that are shown of what differs."""

Call = tuple[str, tuple[Any, ...]]
"""A method of a renderer and what it is given."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong at a line of a file in the templates' folder; an error loses reuse, or is a
    template that cannot be rendered."""

    file: str
    line: int
    text: str
    is_error: bool = True


class TemplateLint:
    """Checks one locale for one tokenizer, on `products`."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        config: PromptConfig,
        words: Mapping[Locale, Words],
        locale: Locale,
        products: Sequence[Product],
    ) -> None:
        self._tokenizer, self._config, self._locale = tokenizer, config, locale
        self._words, self._products = words, products
        self._finder = FactFinder(words)
        self._sizes = dict.fromkeys(_SHARED, 0)
        """Tokens of each part in the prompt looked at."""

    def check(self) -> list[Finding]:
        """A finding for each template that is broken or changes."""
        try:
            renderers = [self._renderer(moving, at) for at, moving in enumerate((*MOVING, {}))]
        except TemplateError as error:
            return [self._broken(error)]
        self._size(renderers[0])
        found: dict[str, Finding] = {}
        for call in self._calls():
            try:
                one, other, _ = (_trace(renderer, call) for renderer in renderers)
                finding = self._difference(one, other)
            except Exception as error:  # a template may do anything
                finding = self._difference_or(error, renderers, call)
            if finding is not None:
                found.setdefault(finding.file, finding)
        return list(found.values())

    def _renderer(self, moving: Mapping[str, object], at: int) -> TracingRenderer:
        """One of the two on trial, or the one that a server has, which is given nothing."""
        folder, transcript = self._config.templates, not self._tokenizer.is_instruct
        made = TracingRenderer(
            self._locale,
            self._words[self._locale],
            self._finder.options,
            folder,
            transcript,
            clock=lambda: TIMES[at % 2],
        )
        made.extend({**moving, "lipsum": lambda *_, **__: f"{at} lipsum"}, _loaded(-(at % 2)))
        return made

    def _calls(self) -> Iterator[Call]:
        """Everything that is rendered: what stands before a question, then what does not."""
        locale = self._locale
        yield "policy", ()
        for question in ASKED[locale]:
            yield "history", (question,)
        for product in self._products:
            live = live_facts(product, product.variants, locale, self._finder.options)
            yield "product", (product,)
            yield "live", (product, live, False)
            yield "live", (product, live, True)
            rows = [row(product.text(locale).title, (), product.variants)]
            for question, lead in zip(ASKED[locale], _LEADS, strict=True):
                yield "facts", (self._finder.beside(question, product, locale, searched=True),)
                yield "listing", (rows, lead)
        for known, facts in ((True, "X: Y."), (True, ""), (False, "")):
            yield "question", (ASKED[locale][0], facts, known)
        some = self._products[0].variants[0].price
        for low, high in ((some, some), (some, None), (None, some)):
            yield "bounds", (low, high)

    def _size(self, renderer: TracingRenderer) -> None:
        """Take the sizes of a prompt about the first product, in a conversation that has begun."""
        limits = {"product": self._config.max_block_tokens, "live": self._config.max_live_tokens}
        for call in self._calls():
            if all(self._sizes.values()):
                break
            if (name := call[0]) in self._sizes and not self._sizes[name]:
                with suppress(Exception):  # it is told when it is checked
                    text = _trace(renderer, call).text
                    size = len(self._tokenizer.encode(text))
                    self._sizes[name] = min(size, limits.get(name, size))

    def _difference_or(
        self, error: Exception, renderers: Sequence[TracingRenderer], call: Call
    ) -> Finding:
        """What a template that cannot be rendered by a server would cost if it could."""
        try:
            one, other = (_trace(renderer, call) for renderer in renderers[:2])
        except Exception as broken:  # it cannot be rendered anyhow
            return self._broken(broken)
        return self._difference(one, other) or self._broken(error)

    def _difference(self, one: Trace, other: Trace) -> Finding | None:
        """Where both renderings begin to differ, if it matters, and what that costs."""
        if one.name not in _SHARED or one.text == other.text:
            return None
        pairs = zip_longest(one.text, other.text)
        at = next(at for at, (left, right) in enumerate(pairs) if left != right)
        offset = len(one.text[:at].encode(errors="replace"))
        (line, left), (_, right) = (_excerpt(trace, at) for trace in (one, other))
        lost, whole = self._lost(one.name, one.text, at)
        text = (
            f"byte {offset} changes with the time, the session or by chance "
            f"({left!r}, then {right!r}): {lost} of {whole} tokens of reuse lost"
        )
        return Finding(f"{self._locale}/{one.name}.j2", line, text)

    def _lost(self, name: str, text: str, at: int) -> tuple[int, int]:
        """Tokens before the question that cannot be reused, and how many there are."""
        behind = _SHARED[_SHARED.index(name) :]
        _, spans = self._tokenizer.encode_with_spans(scrub(text))
        kept = sum(end <= at for _, end in spans)
        whole = sum(self._sizes.values())
        lost = sum(self._sizes[part] for part in behind) - kept
        return max(lost, 0), whole

    def _broken(self, error: Exception) -> Finding:
        file, line = place(error, self._config.templates)
        if isinstance(error, TemplateNotFound):
            return Finding(f"{self._locale}/{file}", line, "there is no such template")
        return Finding(file or self._locale, line, f"cannot be rendered: {error}")


def _loaded(place: int) -> dict[str, Any]:
    """Jinja's filters of chance, falling always on the same."""

    @pass_context  # as the filter that it stands for
    def random(_: Context, values: Iterable[object]) -> object:
        return list(values)[place]

    return {"random": random}


def _trace(renderer: TracingRenderer, call: Call) -> Trace:
    name, given = call
    getattr(renderer, name)(*given)
    return renderer.trace


def _excerpt(trace: Trace, at: int) -> tuple[int, str]:
    """The line that printed the character `at`, and some of what it printed there."""
    line, begin, text = trace.at(at)
    start = max(at - begin - _EXCERPT // 2, 0)
    return line, text[start : start + _EXCERPT]
