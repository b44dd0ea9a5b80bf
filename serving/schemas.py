"""The body of `POST /chat`, and the limits on it."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo

from catalog.product import Locale
from serving.text import clean_text, is_blank


@dataclass(frozen=True, slots=True)
class Limits:
    """The longest texts that are taken: a question, and all the history that a client sends.

    `message_chars` and `history_chars` are in characters, `answer_tokens` in tokens.
    """

    message_chars: int = 4_000
    history_chars: int = 16_000
    answer_tokens: int = 512


def check_message(text: str, limits: Limits) -> str:
    """A question, cleaned. Raises `ValueError`; nothing is ever cut off silently."""
    if len(text) > limits.message_chars:
        raise ValueError(
            f"has {len(text):,} characters: at most {limits.message_chars:,} are accepted"
        )
    cleaned = clean_text(text)
    if is_blank(cleaned):
        raise ValueError("is blank: send a question")
    return cleaned


def limits_of(info: ValidationInfo) -> Limits:
    """The limits that a body is being validated with."""
    return (info.context or {}).get("limits") or Limits()


def _message(text: str, info: ValidationInfo) -> str:
    return check_message(text, limits_of(info))


def _identifier(text: str) -> str:
    stripped = text.strip()
    if not stripped or not stripped.isprintable():
        raise ValueError("is blank or holds unprintable characters: send it as it was given")
    return stripped


Identifier = Annotated[str, Field(min_length=1, max_length=128), AfterValidator(_identifier)]


class ChatRequest(BaseModel):
    """A shopper's message."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    message: Annotated[str, Field(description="The question."), AfterValidator(_message)]
    session_id: Identifier | None = Field(
        None, description="The conversation that it continues; without it a new one begins."
    )
    sku: Identifier | None = Field(
        None, description="A SKU or a product id: the page that the shopper is on."
    )
    locale: Locale | None = Field(
        None, description="The language to answer in; without it, the question's own."
    )


class WarmRequest(BaseModel):
    """A page that a shopper has opened."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    sku: Identifier = Field(description="A SKU or a product id: the page.")
    session_id: Identifier | None = Field(
        None, description="The conversation that a question would continue, if there is one."
    )
    locale: Locale | None = Field(
        None,
        description="The language of the question to come; without it, that of the conversation's "
        "last question, or the product's own.",
    )
