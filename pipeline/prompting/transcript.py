"""A conversation as the engine has seen it: the very token ids of its last prompt and answer.

The next prompt begins with them, so the engine computes only what is new, and finds the blocks of
its own answer too. Each turn keeps what it added (`Told`); this puts the pieces together again.

What is kept lies in a store that others can write, and was made under a head, a tokenizer and
templates that may have changed since. So each piece has a digest of all ids before it and of its
answer: where one does not match, the transcript is given up and made anew from the texts. A turn
that the engine did not answer (a reply of the shop, an answer of an older version) stands in it as
its texts, and one that the shopper got no answer to does not.

A transcript keeps the head that it began with, in whatever language its later turns are: "XL?" in
a Chinese conversation reads as English, and changing heads would compute everything again.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from catalog.product import Locale
from pipeline.prompting.frames import Frame, Ids
from pipeline.prompting.rendering import Renderer, flatten
from pipeline.prompting.tokenizer import Tokenizer
from pipeline.types import Known, Told, Turn


@dataclass(frozen=True, slots=True)
class Transcript:
    """`ids` so far, of which the first `head` are the static head of `locale`; and what they tell
    of products."""

    locale: Locale
    head: int
    ids: Ids
    known: Mapping[str, Known]


class Transcripts:
    """Makes transcripts of turns, and what a turn must keep for the next one."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        frames: Mapping[Locale, Frame],
        renderers: Mapping[Locale, Renderer],
        heads: Mapping[Locale, Ids],
    ) -> None:
        self._tokenizer = tokenizer
        self._frames = frames
        self._renderers = renderers
        self._heads = heads
        self._begin = {locale: _hash(head) for locale, head in heads.items()}
        self._closings = {
            locale: (*tokenizer.encode(frame.after_answer), *frame.to_next)
            for locale, frame in frames.items()
        }

    def resume(self, turns: Sequence[Turn]) -> Transcript | None:
        """The transcript of `turns`, oldest first; None if there is none that can be used."""
        for at in reversed(range(len(turns))):
            if (locale := self._begun(turns[at])) is not None:
                return self._follow(turns[at:], locale)
        return None

    def text(self, turn: Turn, locale: Locale) -> Ids:
        """A turn as its texts; empty if it got no answer."""
        if not turn.answer.strip():
            return ()
        frame = self._frames[locale]
        return (
            *self._tokenizer.encode(self._renderers[locale].history(turn.question)),
            *frame.to_assistant,
            *self._answer(turn.answer, locale),
            *self._closings[locale],
        )

    def told(
        self, prompt: Ids, added: int, known: Sequence[Known], locale: Locale, turn: Turn, said: Ids
    ) -> Told:
        """What `turn` keeps, of whose `prompt` the last `added` ids are new.

        `said` are the ids that the engine generated, or empty; they are used if they are the
        answer as it was given out, and nothing else.
        """
        if not self._is_said(said, turn.answer):
            said = self._answer(turn.answer, locale)
        digest = _digest(_hash((*prompt, *said)), turn.answer)
        return Told(prompt[len(prompt) - added :], said, tuple(known), digest)

    def _begun(self, turn: Turn) -> Locale | None:
        """The locale of the head that `turn` follows directly."""
        if turn.told is None:
            return None
        for locale, begin in self._begin.items():
            if self._goes_on(begin.copy(), turn.told, turn.answer):
                return locale
        return None

    def _follow(self, turns: Sequence[Turn], locale: Locale) -> Transcript | None:
        ids, known = list(self._heads[locale]), dict[str, Known]()
        made = self._begin[locale].copy()
        for turn in turns:
            if turn.told is None:
                added = self.text(turn, locale)
            elif self._goes_on(made, turn.told, turn.answer):
                ids += (*turn.told.ids, *turn.told.said)
                known = {known.product_id: known for known in turn.told.known}
                added = self._closings[locale]
            else:
                return None
            ids += added
            made.update(_bytes(added))
        return Transcript(locale, len(self._heads[locale]), tuple(ids), known)

    def _goes_on(self, made: blake2b, told: Told, answer: str) -> bool:
        """Whether `told` follows the ids that are in `made` already, and adds it to them."""
        if not self._is_vocabulary(told):
            return False
        made.update(_bytes((*told.ids, *told.said)))
        return _digest(made, answer) == told.digest

    def _is_vocabulary(self, told: Told) -> bool:
        return all(0 <= token < self._tokenizer.size for token in (*told.ids, *told.said))

    def _is_said(self, said: Ids, answer: str) -> bool:
        if not said or any(map(self._tokenizer.is_control, said)):
            return False
        text = self._tokenizer.decode(said).strip()
        return text == answer.strip() and (self._tokenizer.is_instruct or text == flatten(text))

    def _answer(self, answer: str, locale: Locale) -> Ids:
        return self._tokenizer.encode(self._frames[locale].before_answer + flatten(answer))


def digest_of(text: str) -> str:
    """A short digest of what was told of a product."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _bytes(ids: Sequence[int]) -> bytes:
    return array("q", ids).tobytes()


def _hash(ids: Sequence[int]) -> blake2b:
    return blake2b(_bytes(ids), digest_size=8)


def _digest(made: blake2b, answer: str) -> str:
    """The digest of the ids that are in `made`, and of an answer; clients trim what they repeat."""
    made = made.copy()
    made.update(answer.strip().encode("utf-8", "surrogatepass"))
    return made.hexdigest()
