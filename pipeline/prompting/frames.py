"""What stands around the parts of a prompt to show who speaks, as token ids made once.

A base model continues a transcript whose lines begin with the speaker, as the examples in the
static head do. An instruct model gets its own chat template: it is rendered once around marks in
place of the texts, and split at the marks, so that the parts between are tokenised once too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from catalog.product import Locale
from pipeline.lexicon.words import Words
from pipeline.prompting.tokenizer import Tokenizer

Ids = tuple[int, ...]

_MARKS = tuple(f"Hotshelf{word}Mark" for word in ("System", "First", "Answer", "Next"))
"""Plain letters: no template trims, escapes or splits them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Ids between the texts of a conversation, in this order:

    `opening` policy and products `to_user` question `to_assistant` answer `to_next` question
    `to_assistant` answer ... An answer is written as `before_answer + text + after_answer`.
    """

    opening: Ids
    to_user: Ids
    to_assistant: Ids
    to_next: Ids
    before_answer: str
    after_answer: str
    stop: tuple[str, ...]
    stop_ids: Ids


def transcript_frame(tokenizer: Tokenizer, speakers: Mapping[str, str]) -> Frame:
    """The frame of a base model: one line a speech, ended by any token that begins a new line.

    A blank line parts the turns, as it parts the examples in the head.

    The tokenizer of a converted model often adds no `<bos>`, without which the model rambles.
    """
    return Frame(
        opening=() if tokenizer.bos_id is None else (tokenizer.bos_id,),
        to_user=(),
        to_assistant=tokenizer.encode(speakers["assistant"]),
        to_next=(),
        before_answer=speakers["gap"],
        after_answer="\n\n",
        stop=("\n",),
        stop_ids=(*tokenizer.eos_ids, *tokenizer.newline_ids()),
    )


def chat_frame(tokenizer: Tokenizer) -> Frame:
    """The frame of an instruct model, from its chat template.

    What opens an answer is the same for old answers and the new one, so that a conversation only
    appends; what ends an answer is what the template puts after one.
    A template without a system role gets the policy at the top of the first message. Raises
    `ValueError` if the template shows the texts in no order that a prompt could be put into.
    """
    system, first, answer, following = _MARKS
    user = {"role": "user", "content": first}
    rest = [{"role": "assistant", "content": answer}, {"role": "user", "content": following}]
    spoken = [{"role": "system", "content": system}, user]
    merged = [{"role": "user", "content": system + first}]
    pieces = _pieces(tokenizer, spoken, rest) or _pieces(tokenizer, merged, rest)
    if pieces is None:
        raise ValueError("the model's chat template drops or moves the texts of a conversation")
    opening, to_user, _, to_next, to_assistant = map(tokenizer.encode_control, pieces)
    ended = bool(to_next) and tokenizer.is_control(to_next[0])
    return Frame(
        opening=opening,
        to_user=to_user,
        to_assistant=to_assistant,
        to_next=to_next,
        before_answer="",
        after_answer="",
        stop=() if ended else tuple(pieces[3].strip().splitlines()[:1]),
        stop_ids=tuple(dict.fromkeys((*tokenizer.eos_ids, *(to_next[:1] if ended else ())))),
    )


def _pieces(
    tokenizer: Tokenizer, opening: Sequence[Mapping[str, str]], rest: Sequence[Mapping[str, str]]
) -> list[str] | None:
    """The five texts around the four marks, or None if the template refuses or reorders them."""
    try:
        text = tokenizer.render_chat([*opening, *rest])
    except ValueError:
        return None
    pieces = []
    for mark in _MARKS:
        before, found, text = text.partition(mark)
        if not found or any(other in before for other in _MARKS):
            return None
        pieces.append(before)
    return None if any(mark in text for mark in _MARKS) else [*pieces, text]


def frames_for(tokenizer: Tokenizer, lexicons: Mapping[Locale, Words]) -> dict[Locale, Frame]:
    """The frame that the tokenizer's model needs, in each locale."""
    if tokenizer.is_instruct:
        return dict.fromkeys(lexicons, chat_frame(tokenizer))
    return {
        locale: transcript_frame(tokenizer, words.speakers) for locale, words in lexicons.items()
    }
