"""Files that are too large, cut, silent or no file at all; nothing is left behind on the disk."""

import asyncio
from collections.abc import AsyncIterator, Callable
from urllib.parse import urlsplit

import httpx
import pytest

from tests.serving.catalog.conftest import Api
from tests.serving.server import connected

LIMIT = 1024 * 1024
LINE = b"HAT-1,Wool Hat,12.30,USD,4\n"


def left_over(api: Api) -> list[str]:
    folder = api.services.catalog.config.upload.folder
    return [path.name for path in folder.iterdir()]


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while True:
            if true():
                return
            await asyncio.sleep(0.01)


async def refused(api: Api, reply: httpx.Response, status: int, words: str) -> None:
    assert reply.status_code == status, reply.text
    assert words in reply.json()["error"]["message"]
    assert (await api.reader.get("/catalog/imports")).json() == {"imports": []}
    assert left_over(api) == []


async def pieces(count: int) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield LINE * 1000


@pytest.mark.parametrize("size", [LIMIT + 1, 2 * LIMIT])
async def test_a_file_larger_than_the_limit_is_refused_with_the_limit(api: Api, size: int) -> None:
    reply = await api.importer.post("/catalog/imports", content=b"x" * size)
    await refused(api, reply, 413, "over 1,048,576 bytes (1 MiB)")
    assert reply.json()["error"]["max_bytes"] == LIMIT


async def test_a_stream_without_a_length_is_refused_when_it_is_too_long(api: Api) -> None:
    reply = await api.importer.post("/catalog/imports", content=pieces(60))
    await refused(api, reply, 413, "over 1,048,576 bytes")


async def test_a_file_in_a_form_is_refused_when_it_is_too_large(api: Api) -> None:
    reply = await api.importer.post(
        "/catalog/imports", files={"file": ("a.csv", b"x" * (LIMIT + 10))}
    )
    await refused(api, reply, 413, "over 1,048,576 bytes")


async def test_a_file_of_just_the_limit_is_taken(api: Api) -> None:
    head = b"sku,title,price,currency,stock\n"
    file = (head + LINE * (LIMIT // len(LINE)))[: LIMIT - LIMIT % 7]
    reply = await api.importer.post(
        "/catalog/imports", params={"dry_run": "true"}, files={"file": ("a.csv", file)}
    )
    assert (reply.status_code, reply.json()["size"]) == (202, len(file))
    assert left_over(api) == []


@pytest.mark.parametrize(
    ("headers", "content", "words"),
    [
        ({}, b"", "the body is empty"),
        ({"content-type": "multipart/form-data"}, b"x", "has no boundary"),
        ({"content-type": "multipart/form-data; boundary=b"}, b"", "no part of the form has a fil"),
        (
            {"content-type": "multipart/form-data; boundary=b"},
            b"x" * 99,
            "multipart body is broken",
        ),
        (
            {"content-type": "multipart/form-data; boundary=b"},
            b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nx\r\n--b--\r\n',
            "no part of the form has a file",
        ),
    ],
)
async def test_what_holds_no_file_is_refused(
    api: Api, headers: dict[str, str], content: bytes, words: str
) -> None:
    reply = await api.importer.post("/catalog/imports", headers=headers, content=content)
    await refused(api, reply, 422, words)


async def test_a_compressed_transfer_is_refused(api: Api) -> None:
    reply = await api.importer.post(
        "/catalog/imports", headers={"content-encoding": "gzip"}, content=b"x"
    )
    await refused(api, reply, 415, "without Content-Encoding")


def request(api: Api, length: int, sent: bytes) -> bytes:
    token = api.importer.headers["authorization"]
    return (
        f"POST /catalog/imports HTTP/1.1\r\nHost: test\r\nAuthorization: {token}\r\n"
        f"Content-Length: {length}\r\n\r\n"
    ).encode() + sent


async def test_a_file_cut_in_the_middle_leaves_nothing(api: Api) -> None:
    port = urlsplit(api.url).port
    assert port is not None
    async with connected(port) as (_, writer):
        writer.write(request(api, 100_000, LINE * 100))
        await writer.drain()
        await until(lambda: len(left_over(api)) == 1)
    await until(lambda: left_over(api) == [])
    assert (await api.reader.get("/catalog/imports")).json() == {"imports": []}


async def test_a_sender_that_falls_silent_is_told_so(api: Api) -> None:
    port = urlsplit(api.url).port
    assert port is not None
    async with connected(port) as (reader, writer):
        writer.write(request(api, 100_000, LINE))
        async with asyncio.timeout(10):
            assert b" 408 " in await reader.readline()
    assert left_over(api) == []
