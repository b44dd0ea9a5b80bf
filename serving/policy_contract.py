"""A shop's texts for what no record answers: what is sent, and what comes."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field
from typing_extensions import TypedDict

from catalog.policies import MAX_CHARACTERS, PolicyText
from catalog.product import Locale
from serving.catalog_schemas import Body
from serving.text import clean_text


class PolicyBody(Body):
    """One text."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "You may return anything within 30 days."}]}
    )

    text: Annotated[
        str,
        Field(description=f"Said word for word; at most {MAX_CHARACTERS:,} characters."),
        AfterValidator(clean_text),
    ]


class PolicyJson(TypedDict):
    """What is answered to one kind of question, in one language."""

    name: Annotated[str, Field(description="the kind: `returns`, `shipping`, `human`...")]
    locale: Locale
    text: Annotated[str, Field(description="what is answered now")]
    shipped: Annotated[str, Field(description="what is answered where the shop wrote nothing")]
    actor: Annotated[
        str | None, Field(description="who wrote it: a token's name; null for the shipped text")
    ]
    since: str | None


class PoliciesJson(TypedDict):
    """Every text, by language and name."""

    policies: list[PolicyJson]


def policy_to_json(name: str, locale: Locale, shipped: str, own: PolicyText | None) -> PolicyJson:
    """One text as it is told."""
    since = None if own is None else datetime.fromtimestamp(own.since, UTC)
    return {
        "name": name,
        "locale": locale,
        "text": shipped if own is None else own.text,
        "shipped": shipped,
        "actor": None if own is None else own.actor,
        "since": None if since is None else since.isoformat(timespec="milliseconds"),
    }
