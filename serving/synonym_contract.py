"""A shop's synonyms: what is sent, and what comes."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field
from typing_extensions import TypedDict

from catalog.synonyms import MAX_CHARACTERS, MAX_WORDS, Synonyms
from serving.catalog_schemas import Body
from serving.text import clean_text


class SynonymsBody(Body):
    """All of a shop's synonyms."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "# seats\nsofa, couch, settee\n羽绒服，羽绒衣"}]}
    )

    text: Annotated[
        str,
        Field(
            description=f"One group a line, 2 to {MAX_WORDS} words or phrases with commas between; "
            f"at most {MAX_CHARACTERS:,} characters."
        ),
        AfterValidator(clean_text),
    ]


class SynonymsJson(TypedDict):
    """A shop's synonyms."""

    text: Annotated[str, Field(description="as it was written")]
    groups: Annotated[int, Field(description="lines of words that mean the same")]
    actor: Annotated[str | None, Field(description="who wrote it: the name of a token")]
    since: str | None


def synonyms_to_json(synonyms: Synonyms) -> SynonymsJson:
    """As they are told; null where nothing was ever written."""
    written = synonyms.since > 0
    since = datetime.fromtimestamp(synonyms.since, UTC).isoformat(timespec="milliseconds")
    return {
        "text": synonyms.text,
        "groups": len(synonyms.groups),
        "actor": synonyms.actor if written else None,
        "since": since if written else None,
    }
