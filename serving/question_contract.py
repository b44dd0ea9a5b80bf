"""Saved questions, and the answers that an import would change: what is sent, and what comes."""

from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field
from typing_extensions import TypedDict

from catalog.product import Locale
from catalog.questions import MAX_CHARACTERS, MAX_QUESTIONS, cleaned
from serving.catalog_schemas import Body
from serving.schemas import Identifier
from serving.text import clean_text


def _question(said: str) -> str:
    return cleaned(clean_text(said))


class QuestionBody(Body):
    """A question that the shop wants answered well."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"question": "Does the linen shirt come in black?"},
                {"question": "多少钱？有货吗？", "sku": "LS-BLK-M", "locale": "zh"},
            ]
        }
    )

    question: Annotated[
        str,
        Field(description=f"At most {MAX_CHARACTERS} characters, some of them visible."),
        AfterValidator(_question),
    ]
    sku: Identifier | None = Field(
        None, description="A SKU or a product id: the page that it is asked on."
    )
    locale: Locale | None = Field(
        None, description="The language to answer in; without it, the question's own."
    )


class QuestionJson(TypedDict):
    """A saved question."""

    id: str
    question: str
    sku: Annotated[str | None, Field(description="the page that it is asked on")]
    locale: Annotated[
        Locale | None, Field(description="the language to answer in; null for the question's own")
    ]
    actor: Annotated[str, Field(description="who saved it: the name of a token")]
    since: str


class QuestionsJson(TypedDict):
    """Saved questions, in the order in which they were saved."""

    questions: Annotated[list[QuestionJson], Field(description=f"at most {MAX_QUESTIONS}")]


class FoundJson(TypedDict):
    """A product that an answer stands on."""

    id: str
    title: Annotated[str, Field(description="in the language of the answer")]


class GroundsJson(TypedDict):
    """What an answer stands on; nothing is generated to find out."""

    products: Annotated[list[FoundJson], Field(description="that are found, the nearest first")]
    facts: Annotated[
        list[str],
        Field(description="lines beside the question in the prompt: fitting facts, price, stock"),
    ]


class AnswerChangeJson(TypedDict):
    """A saved question that would be answered from something else than now."""

    question: str
    sku: str | None
    locale: Annotated[Locale, Field(description="the language of the answer")]
    before: GroundsJson
    after: GroundsJson


class AnswersJson(TypedDict):
    """Which of the saved questions an import would have answered from something else."""

    questions: Annotated[int, Field(description="saved, and compared")]
    changed: list[AnswerChangeJson]
    not_searched: Annotated[
        int,
        Field(description="products looked for by their old text, if any: the new was not encoded"),
    ]
    left_out: Annotated[
        int,
        Field(
            description="changed products not taken into account: beyond the first 1,000, or "
            "changed by somebody else since the preview"
        ),
    ]
