"""Who may ask: anyone on this machine while there are no keys, holders of a key otherwise.

A key travels in the Authorization header only. It is never logged, echoed or put into a repr.
"""

import hashlib
import hmac
import ipaddress
from dataclasses import dataclass, field

from serving.errors import ApiError


@dataclass(frozen=True, slots=True)
class AccessConfig:
    """`keys` that are accepted; with none, the server may listen on loopback alone."""

    keys: tuple[str, ...] = field(default=(), repr=False)


def is_loopback(host: str) -> bool:
    """Whether listening on `host` is reachable from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Access:
    """Checks the Authorization header of a request."""

    def __init__(self, config: AccessConfig) -> None:
        self._digests = tuple(_digest(key.encode()) for key in config.keys)

    def check(self, authorization: str | None) -> None:
        """Raise `ApiError` unless `authorization` carries a key, or none is needed."""
        if not self._digests:
            return
        scheme, _, key = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            raise ApiError("unauthorized", "a key is needed: send 'Authorization: Bearer KEY'")
        given = _digest(key.strip().encode("latin-1", "replace"))
        matches = [hmac.compare_digest(given, digest) for digest in self._digests]
        if not any(matches):
            raise ApiError("unauthorized", "this key is not known here")


def _digest(key: bytes) -> bytes:
    """Of equal length for every key, so that comparing tells nothing about one's length."""
    return hashlib.sha256(key).digest()
