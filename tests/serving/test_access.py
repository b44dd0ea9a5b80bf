"""Who may ask, and that a key is seen by nobody else."""

import logging
from dataclasses import replace

import httpx
import pytest

from serving.access import Access, AccessConfig, is_loopback
from serving.errors import ApiError
from serving.services import Services
from tests.serving.server import serving

KEY = "sk-secret-42"


def test_without_keys_anyone_may_ask() -> None:
    Access(AccessConfig()).check(None)


@pytest.mark.parametrize("header", [f"Bearer {KEY}", f"bearer  {KEY} "])
def test_a_key_is_accepted(header: str) -> None:
    Access(AccessConfig(("other", KEY))).check(header)


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", f"Basic {KEY}", KEY, f"Bearer {KEY}x", "Bearer \xff"]
)
def test_anything_else_is_refused(header: str | None) -> None:
    with pytest.raises(ApiError) as refused:
        Access(AccessConfig((KEY,))).check(header)
    assert refused.value.status == 401
    assert KEY not in str(refused.value)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("example.com", False),
        ("", False),
    ],
)
def test_loopback_is_known(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


async def test_every_route_that_tells_or_costs_something_asks_for_the_key(
    services: Services, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    access = AccessConfig((KEY,))
    assert KEY not in repr(access)
    async with (
        serving(replace(services, access=Access(access))) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        paths = {"/chat": "POST", "/v1/chat/completions": "POST", "/v1/models": "GET"}
        for path, method in {**paths, "/metrics": "GET"}.items():
            refused = await client.request(method, path)
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"] == "Bearer"
        for path in ("/", "/healthz", "/readyz"):
            assert (await client.get(path)).status_code == 200
        allowed = await client.get("/metrics", headers={"authorization": f"Bearer {KEY}"})
        assert allowed.status_code == 200
        assert KEY not in allowed.text
    assert KEY not in caplog.text
