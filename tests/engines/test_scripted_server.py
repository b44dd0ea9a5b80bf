"""The scripted engine's server, asked by OpenAI's own client."""

from collections.abc import AsyncGenerator

import openai
import pytest

from serving.engines.scripted import ScriptedConfig, ScriptedEngine
from serving.engines.scripted_server import create_app
from tests.contract.subjects import serving


@pytest.fixture
async def client() -> AsyncGenerator[openai.AsyncOpenAI, None]:
    engine = ScriptedEngine(ScriptedConfig("one two three"))
    async with (
        serving(create_app(engine)) as url,
        openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client,
    ):
        yield client


async def test_a_whole_answer_and_a_streamed_one_are_the_same(client: openai.AsyncOpenAI) -> None:
    whole = await client.completions.create(model="scripted", prompt=[1, 2, 3], max_tokens=9)
    stream = await client.completions.create(
        model="scripted", prompt=[1, 2, 3], max_tokens=9, stream=True
    )
    pieces = [event.choices[0].text async for event in stream]
    assert pieces == ["one", " two", " three"]
    assert whole.choices[0].text == "one two three"
    assert whole.choices[0].finish_reason == "stop"
    assert whole.usage is not None
    assert (whole.usage.prompt_tokens, whole.usage.completion_tokens) == (3, 3)


async def test_text_is_a_prompt_too_and_the_stop_is_not_said(client: openai.AsyncOpenAI) -> None:
    answer = await client.completions.create(model="scripted", prompt="你好", stop=" three")
    assert answer.choices[0].text == "one two"


@pytest.mark.parametrize(
    "wrong", [{"max_tokens": 0}, {"extra_body": {"unheard_of": 1}}, {"temperature": -1}]
)
async def test_what_it_does_not_understand_is_refused(
    client: openai.AsyncOpenAI, wrong: dict[str, object]
) -> None:
    with pytest.raises(openai.BadRequestError):
        await client.completions.create(model="scripted", prompt="hi", **wrong)  # type: ignore[call-overload]


async def test_an_engine_that_fails_is_a_server_error() -> None:
    engine = ScriptedEngine(ScriptedConfig(fail_at=0))
    async with (
        serving(create_app(engine)) as url,
        openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client,
    ):
        with pytest.raises(openai.InternalServerError, match="fails at token 0"):
            await client.completions.create(model="scripted", prompt="hi")
