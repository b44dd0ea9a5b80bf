"""The engines that the contract is tested on; the real one is started once and used twice."""

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from pipeline.engine import Engine
from serving.engines.openai import OpenAIConfig, OpenAIEngine
from serving.engines.scripted import FIRST_ID, ScriptedConfig, ScriptedEngine
from serving.engines.scripted_server import create_app
from serving.engines.vllm import VllmEngine
from tests.contract.subjects import Subject, serving
from tests.contract.vllm_server import vllm_app

SCRIPT = ScriptedConfig("有黑色的🌍吗? " * 100, token_bytes=5, token_s=0.001)
"""Tokens of five bytes: most of them cut a character."""


@pytest.fixture(
    params=[
        "scripted",
        "openai_over_scripted",
        pytest.param("vllm", marks=pytest.mark.engine),
        pytest.param("openai_over_vllm", marks=pytest.mark.engine),
    ]
)
def subject(request: pytest.FixtureRequest) -> Subject:
    """Each engine in turn."""
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Subject)
    return found


@pytest.fixture(
    params=[
        pytest.param("vllm", marks=pytest.mark.engine),
        pytest.param("openai_over_vllm", marks=pytest.mark.engine),
    ]
)
def real_subject(request: pytest.FixtureRequest) -> Subject:
    """The real model, in this process and over HTTP."""
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Subject)
    return found


@pytest.fixture(scope="session")
def scripted() -> Subject:
    """The scripted engine itself."""
    engine = ScriptedEngine(SCRIPT)
    prompts = (tuple(range(100)), tuple(range(200, 290)))
    return Subject(engine, *prompts, FIRST_ID, FIRST_ID + 4, engine.stats)


@pytest.fixture(scope="session")
async def openai_over_scripted(scripted: Subject) -> AsyncGenerator[Subject, None]:
    """The client of OpenAI servers, over HTTP to a server that follows a script."""
    assert isinstance(scripted.engine, ScriptedEngine)
    async with serving(create_app(scripted.engine)) as url:
        client = OpenAIEngine(OpenAIConfig(url))
        await client.start()
        yield replace(scripted, engine=client)
        await client.close()


@pytest.fixture(scope="session")
async def vllm(vllm_engine: Engine) -> Subject:
    """vLLM in this process with the real model."""
    assert isinstance(vllm_engine, VllmEngine)
    tokenizer = vllm_engine.llm.get_tokenizer()
    counting = tokenizer.encode(" ".join(map(str, range(1, 40))))
    letters = tokenizer.encode(" ".join("abcdefghijklmno" * 6))
    subject = Subject(vllm_engine, tuple(counting), tuple(letters), -1, -1, vllm_engine.stats)
    ids = tokenizer.encode(await subject.text(), add_special_tokens=False)
    return replace(subject, first_token_id=ids[0], stop_token_id=ids[5])


@pytest.fixture(scope="session")
async def openai_over_vllm(vllm: Subject) -> AsyncGenerator[Subject, None]:
    """The client of OpenAI servers, over HTTP to vLLM's own server around the same engine."""
    assert isinstance(vllm.engine, VllmEngine)
    llm = vllm.engine.llm
    async with serving(await vllm_app(llm)) as url:
        client = OpenAIEngine(OpenAIConfig(url, decode=llm.get_tokenizer().decode))
        await client.start()
        yield replace(vllm, engine=client)
        await client.close()
