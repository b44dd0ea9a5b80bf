"""The whole line from socket to engine: the real chat, a real Redis, a scripted engine."""

import asyncio
import re
import shutil
from dataclasses import replace

import pytest

from serving.admission import Admission, AdmissionConfig
from serving.engines.scripted import ScriptedConfig
from serving.sessions import RedisSessions, SessionConfig
from tests.serving.server import serving
from tests.serving.shop import Shop, ask


async def test_an_answer_streams_and_the_conversation_goes_on(shop: Shop) -> None:
    services = shop.services(ScriptedConfig(text="It is linen."))
    async with serving(services) as port:
        first = await ask(port)
        assert [n for n, _ in first] == ["sources", *["token"] * 3, "timing", "done"]
        assert "".join(data["text"] for name, data in first if name == "token") == "It is linen."
        session_id = first[0][1]["session_id"]
        second = await ask(port, session_id=session_id, message="And in white?")
    assert second[-1][1]["session_id"] == session_id
    stages = dict(second)["timing"]["stages_ms"]
    assert list(stages)[:2] == ["admit", "session"]
    assert sum(stages.values()) == pytest.approx(dict(second)["timing"]["ttft_ms"], abs=0.1)
    assert len(await RedisSessions(services.redis, SessionConfig()).history(session_id)) == 2


async def test_a_page_needs_no_search(shop: Shop) -> None:
    async with serving(shop.services(ScriptedConfig())) as port:
        told = dict(await ask(port, sku="SH-BLK"))
    assert told["sources"]["products"][0]["why"] == "page"
    assert not {"encode", "search"} & told["timing"]["stages_ms"].keys()


@pytest.mark.parametrize("session_id", ["0" * 32, "no such, ever", "héllo", "a" * 128])
async def test_an_unknown_conversation_is_told_and_closed(shop: Shop, session_id: str) -> None:
    services = shop.services(ScriptedConfig())
    async with serving(services) as port:
        told = await ask(port, session_id=session_id)
    assert [name for name, _ in told] == ["error", "done"]
    assert told[0][1]["code"] == "session_unknown"
    assert told[1][1]["finish_reason"] == "error"
    assert services.admission.in_use == 0


async def test_the_curl_command_prints_a_time_to_first_byte(shop: Shop) -> None:
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not installed")
    async with serving(shop.services(ScriptedConfig(text="你好"))) as port:
        printed = await output(
            *(curl, "-sN", "-w", "time_to_first_byte: %{time_starttransfer}s\n", "-o", "/dev/null"),
            *("-X", "POST", f"http://127.0.0.1:{port}/v1/chat/completions"),
            *("-H", "Content-Type: application/json", "-d", '{"prompt":"你好","stream":true}'),
        )
    assert re.fullmatch(r"time_to_first_byte: 0\.\d+s\n", printed)


async def test_the_hey_command_gets_two_hundred_answers(shop: Shop, hey: str) -> None:
    patient = Admission(AdmissionConfig())
    services = replace(shop.services(ScriptedConfig(text="讲个笑话")), admission=patient)
    async with serving(services) as port:
        printed = await output(
            *(hey, "-n", "200", "-c", "20", "-m", "POST", "-T", "application/json"),
            *("-d", '{"prompt":"讲个笑话","stream":true}'),
            f"http://127.0.0.1:{port}/v1/chat/completions",
        )
    assert re.search(r"\[200\]\s+200 responses", printed)
    assert "Error distribution" not in printed


async def output(*command: str) -> str:
    """What `command` prints."""
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    printed, _ = await process.communicate()
    assert process.returncode == 0
    return printed.decode()
