"""A turn, and what it told the engine, as they are read back from a store that others can write.

What is not of the right form, or longer than any prompt, is as if it had not been kept: the
transcript is then made anew from the texts. Whether ids are of the tokenizer's vocabulary, and what
they were, is checked where they are used (`pipeline/prompting/transcript.py`).
"""

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError

from pipeline.types import Finish, Known, Told, Turn

MOST_IDS = 32768
"""Ids of one turn's prompt, at most."""
_MOST_PRODUCTS = 256


class _Known(BaseModel):
    model_config = ConfigDict(strict=True)

    product_id: str = Field(max_length=1024)
    block: str = Field(max_length=64)
    live: str = Field(max_length=64)


class _Told(BaseModel):
    model_config = ConfigDict(strict=True)

    ids: list[NonNegativeInt] = Field(max_length=MOST_IDS)
    said: list[NonNegativeInt] = Field(max_length=MOST_IDS)
    known: list[_Known] = Field(max_length=_MOST_PRODUCTS)
    digest: str = Field(max_length=64)


class _Turn(BaseModel):
    model_config = ConfigDict(strict=True)

    question: str
    answer: str
    product_ids: list[str]
    finish: Finish
    told: object = None


def read_turn(kept: object) -> Turn:
    """A turn as JSON gave it. Raises `ValueError` if its texts or products are not of the form."""
    turn = _Turn.model_validate(kept)
    told = read_told(turn.told)
    return Turn(turn.question, turn.answer, tuple(turn.product_ids), turn.finish, told)


def read_told(kept: object) -> Told | None:
    """`kept` as JSON gave it; None if it is not what was written."""
    try:
        told = _Told.model_validate(kept)
    except ValidationError:
        return None
    known = tuple(Known(row.product_id, row.block, row.live) for row in told.known)
    return Told(tuple(told.ids), tuple(told.said), known, told.digest)
