"""The shop's texts beside the shipped ones, for the routes and pages that change them."""

from catalog.policies import PolicyStore, PolicyText
from catalog.product import LOCALES, Locale
from pipeline.prompting.rendering import TEMPLATES
from pipeline.replying.policies import Policies
from serving.errors import ApiError
from serving.policy_contract import PolicyJson, policy_to_json

SHIPPED = Policies.load(TEMPLATES)
"""As in the templates."""


async def every(store: PolicyStore) -> list[PolicyJson]:
    """Each text of each language, and whose it is."""
    own = {(text.locale, text.name): text for text in await store.all()}
    return [
        told(name, locale, own.get((locale, name)))
        for locale in LOCALES
        for name in SHIPPED.names()
    ]


def told(name: str, locale: Locale, own: PolicyText | None) -> PolicyJson:
    """One of them."""
    return policy_to_json(name, locale, SHIPPED.shipped(name, locale), own)


def check_name(name: str) -> None:
    """Raises `ApiError` unless there is a text of that name."""
    if name not in SHIPPED.names():
        message = f"no text is called {name!r}: GET /catalog/policies lists them"
        raise ApiError("policy_unknown", message)
