"""When bytes leave, and what happens when the client does: over real sockets."""

import asyncio
from dataclasses import replace

import pytest

from pipeline.types import Token
from serving.admission import Admission, AdmissionConfig
from serving.services import HttpConfig, Services
from serving.sse import KEEP_ALIVE, StreamConfig
from tests.serving.fakes import DONE, SOURCES, WrittenChat, whole_answer
from tests.serving.server import connected, events, post, request_bytes, serving, until

CHAT = {"message": "Is it black?"}
OPENAI = {"prompt": "Is it black?", "stream": True}
Bodies = pytest.mark.parametrize(
    ("path", "body"), [("/chat", CHAT), ("/v1/chat/completions", OPENAI)]
)


def restless(services: Services, **stream: float) -> Services:
    """`services` with other times for heartbeats or for holding headers back."""
    config = StreamConfig(**{"heartbeat_s": 0.01, "hold_s": 30.0, **stream})
    return replace(services, http=HttpConfig(stream=config))


async def test_headers_leave_while_the_engine_has_not_said_anything(services: Services) -> None:
    gate = asyncio.Event()
    chat = WrittenChat(gate, *whole_answer("Yes"))
    async with (
        serving(replace(services, chat=chat)) as port,
        post(port, "/chat", CHAT, accept_encoding="gzip, br") as reply,
    ):
        assert reply.status == 200
        assert reply.headers["content-type"].startswith("text/event-stream")
        assert reply.headers["cache-control"] == "no-cache, no-transform"
        assert reply.headers["x-accel-buffering"] == "no"
        assert "content-encoding" not in reply.headers
        assert reply.headers["server-timing"].startswith("admit;dur=")
        gate.set()
        assert [name for name, _ in events(await reply.rest())][-1] == "done"


async def test_every_event_arrives_when_it_was_made_and_not_later(services: Services) -> None:
    gates = [asyncio.Event() for _ in range(5)]
    steps = [step for n, gate in enumerate(gates) for step in (Token(f"t{n} "), gate)]
    chat = WrittenChat(SOURCES, *steps, DONE)
    async with (
        serving(replace(services, chat=chat)) as port,
        post(port, "/chat", CHAT, accept_encoding="gzip") as reply,
    ):
        assert events(await reply.chunk())[0][0] == "sources"
        for n, gate in enumerate(gates):
            assert events(await reply.chunk()) == [("token", {"text": f"t{n} "})]
            gate.set()


async def test_silence_is_filled_with_comments(services: Services) -> None:
    gate = asyncio.Event()
    chat = WrittenChat(SOURCES, gate, Token("Yes"), DONE)
    async with (
        serving(replace(restless(services), chat=chat)) as port,
        post(port, "/chat", CHAT) as reply,
    ):
        await reply.chunk()
        assert [await reply.chunk() for _ in range(3)] == [KEEP_ALIVE] * 3
        gate.set()
        names = [name for name, _ in events(await reply.rest())]
        assert names == ["token", "done"]


@Bodies
async def test_a_client_that_leaves_a_silent_stream_frees_everything(
    services: Services, path: str, body: object
) -> None:
    chat = WrittenChat(SOURCES, asyncio.Event())
    services = replace(restless(services, hold_s=0.01), chat=chat)
    async with serving(services) as port, post(port, path, body) as reply:
        assert await reply.chunk() != b""
        assert services.admission.in_use == 1
        reply.reset()
        await until(lambda: services.admission.in_use == 0)
    assert chat.ended == 1


@Bodies
async def test_a_client_that_leaves_mid_answer_frees_everything(
    services: Services, path: str, body: object
) -> None:
    chat = WrittenChat(SOURCES, Token("one"), Token("two"), asyncio.Event())
    services = replace(services, chat=chat)
    async with serving(services) as port, post(port, path, body) as reply:
        await reply.chunk()
        reply.reset()
        await until(lambda: services.admission.in_use == 0)
    assert chat.ended == 1


async def test_a_client_that_leaves_before_a_whole_answer_frees_everything(
    services: Services,
) -> None:
    chat = WrittenChat(SOURCES, Token("one"), asyncio.Event())
    services = replace(services, chat=chat)
    async with serving(services) as port, connected(port) as (_, writer):
        writer.write(request_bytes("/v1/chat/completions", {"prompt": "hi"}))
        await until(lambda: bool(chat.asked))
        writer.transport.abort()
        await until(lambda: services.admission.in_use == 0)
    assert chat.ended == 1


async def test_a_client_that_leaves_the_queue_frees_its_place(services: Services) -> None:
    admission = Admission(AdmissionConfig(permits=1, queue=1))
    chat = WrittenChat(asyncio.Event())
    services = replace(services, admission=admission, chat=chat)
    async with serving(services) as port, post(port, "/chat", CHAT):
        async with connected(port) as (_, writer):
            writer.write(request_bytes("/chat", CHAT))
            await until(lambda: admission.waiting == 1)
        await until(lambda: admission.waiting == 0)
        assert len(chat.asked) == 1
        assert admission.in_use == 1


async def test_a_fault_in_mid_answer_is_told_and_the_next_request_works(
    services: Services,
) -> None:
    chat = WrittenChat(SOURCES, Token("one"), RuntimeError("a bug"))
    services = replace(services, chat=chat)
    async with serving(services) as port:
        async with post(port, "/chat", CHAT) as reply:
            told = events(await reply.rest())
        assert [name for name, _ in told] == ["sources", "token", "error", "done"]
        assert told[2][1]["code"] == "internal_error"
        assert told[3][1] == {"session_id": "s1", "finish_reason": "error", "catalog_version": 7}
        chat.steps = whole_answer("Yes")
        async with post(port, "/chat", CHAT) as reply:
            assert events(await reply.rest())[-1][1]["finish_reason"] == "stop"


async def test_an_answer_that_outlasts_the_server_is_told_so(services: Services) -> None:
    chat = WrittenChat(SOURCES, Token("one"), asyncio.Event())
    server = serving(replace(services, chat=chat), graceful_s=1)
    port = await server.__aenter__()
    async with post(port, "/chat", CHAT) as reply:
        await reply.chunk()
        stopping = asyncio.create_task(server.__aexit__(None, None, None))
        told = events(await reply.rest())
        await stopping
    assert [name for name, _ in told] == ["token", "error", "done"]
    assert told[1][1]["code"] == "shutting_down"
    assert chat.ended == 1


async def test_headers_of_an_openai_stream_leave_with_the_first_content(
    services: Services,
) -> None:
    gate = asyncio.Event()
    chat = WrittenChat(SOURCES, Token("one"), gate, DONE)
    async with (
        serving(replace(services, chat=chat)) as port,
        post(port, "/v1/chat/completions", OPENAI, accept_encoding="gzip") as reply,
    ):
        assert "content-encoding" not in reply.headers
        assert b'"content":"one"' in await reply.chunk()
        gate.set()
        assert (await reply.rest()).endswith(b"data: [DONE]\n\n")


async def test_headers_of_a_silent_openai_stream_leave_after_the_hold(services: Services) -> None:
    chat = WrittenChat(SOURCES, asyncio.Event())
    async with (
        serving(replace(restless(services, hold_s=0.01), chat=chat)) as port,
        post(port, "/v1/chat/completions", OPENAI) as reply,
    ):
        assert reply.status == 200
        assert await reply.chunk() == KEEP_ALIVE


async def test_no_place_is_told_with_the_seconds_to_wait(services: Services) -> None:
    admission = Admission(AdmissionConfig(permits=1, queue=0))
    services = replace(services, admission=admission, chat=WrittenChat(asyncio.Event()))
    async with serving(services) as port, post(port, "/chat", CHAT):
        for path, body in (("/chat", CHAT), ("/v1/chat/completions", OPENAI)):
            async with post(port, path, body) as refused:
                assert refused.status == 503
                assert int(refused.headers["retry-after"]) >= 1
                assert (await refused.json())["error"]["code"] == "queue_full"
