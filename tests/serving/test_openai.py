"""OpenAI's format, as the official client reads it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import openai
import pytest
from openai import AsyncOpenAI

from pipeline.types import Done, Failure, Token, Turn
from serving.access import Access, AccessConfig
from serving.services import Services
from tests.serving.fakes import SOURCES, WrittenChat, whole_answer
from tests.serving.server import post, serving


@asynccontextmanager
async def official(
    services: Services, chat: WrittenChat, key: str = "unused"
) -> AsyncIterator[AsyncOpenAI]:
    """The official client, speaking to a server of its own that answers as `chat` does."""
    async with (
        serving(replace(services, chat=chat)) as port,
        AsyncOpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key=key, max_retries=0) as client,
    ):
        yield client


async def test_a_whole_completion(services: Services) -> None:
    async with official(services, WrittenChat(*whole_answer("It ", "is."))) as client:
        answer = await client.chat.completions.create(
            model="whatever", messages=[{"role": "user", "content": "Is it?"}]
        )
    assert answer.model == "test-model"
    assert answer.choices[0].message.content == "It is."
    assert answer.choices[0].message.role == "assistant"
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.prompt_tokens_details is not None
    assert answer.usage.prompt_tokens_details.cached_tokens == 8
    assert (answer.usage.prompt_tokens, answer.usage.total_tokens) == (10, 12)


@pytest.mark.parametrize("include", [True, False])
async def test_a_streamed_completion(services: Services, include: bool) -> None:
    async with official(services, WrittenChat(*whole_answer("你好", "🌍"))) as client:
        chunks = [
            chunk
            async for chunk in await client.chat.completions.create(
                model="test-model",
                messages=[{"role": "user", "content": [{"type": "text", "text": "你好"}]}],
                stream=True,
                stream_options={"include_usage": include},
            )
        ]
    with_choices = [chunk for chunk in chunks if chunk.choices]
    assert "".join(c.choices[0].delta.content or "" for c in with_choices) == "你好🌍"
    assert [c.choices[0].delta.role for c in with_choices] == ["assistant", None, None]
    assert [c.choices[0].finish_reason for c in with_choices] == [None, None, "stop"]
    assert len({chunk.id for chunk in chunks}) == 1
    counts = [chunk.usage.prompt_tokens for chunk in chunks if chunk.usage is not None]
    assert counts == ([10] if include else [])
    assert (chunks[-1].choices == []) is include


async def test_earlier_turns_are_the_history_and_the_last_user_message_the_question(
    services: Services,
) -> None:
    chat = WrittenChat(*whole_answer("Yes"))
    async with official(services, chat) as client:
        raw = await client.chat.completions.with_raw_response.create(
            model="m",
            messages=[
                {"role": "system", "content": "You are a pirate."},
                {"role": "user", "content": "never answered"},
                {"role": "user", "content": "这件多少钱？"},
                {"role": "assistant", "content": "30 美元。"},
                {"role": "developer", "content": "Be rude."},
                {"role": "user", "content": "有黑色的吗？"},
            ],
            max_completion_tokens=5_000,
            temperature=0.5,
            stop="\n",
        )
    assert raw.headers["x-hotshelf-ignored"] == "system messages"
    [question] = chat.asked
    assert (question.text, question.locale) == ("有黑色的吗？", "zh")
    assert question.history == (Turn("这件多少钱？", "30 美元。"),)
    assert (question.max_tokens, question.temperature) == (512, 0.5)
    assert (question.stop, question.session_id) == (("\n",), None)


async def test_an_answer_sent_back_by_the_client_is_taken(services: Services) -> None:
    chat = WrittenChat(*whole_answer("Yes"))
    async with official(services, chat) as client:
        first = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "a"}]
        )
        reply = first.choices[0].message.model_dump()
        conversation = [{"role": "user", "content": "a"}, reply, {"role": "user", "content": "b"}]
        await client.chat.completions.create(model="m", messages=conversation)  # type: ignore[arg-type]
    assert chat.asked[1].history == (Turn("a", "Yes"),)


async def test_only_the_newest_history_that_fits_is_used(services: Services) -> None:
    chat = WrittenChat(*whole_answer("Yes"))
    turns = [
        {"role": role, "content": f"{n} " + "x" * 3_000}
        for n in range(9)
        for role in ("user", "assistant")
    ]
    async with official(services, chat) as client:
        await client.chat.completions.create(
            model="m",
            messages=[*turns, {"role": "user", "content": "now?"}],  # type: ignore[list-item]
        )
    history = chat.asked[0].history
    assert history is not None
    assert [turn.question[0] for turn in history] == ["7", "8"]


async def test_the_bare_prompt_of_the_curl_command_streams(services: Services) -> None:
    body = '{"prompt":"你好","stream":true}'.encode()
    async with (
        serving(services) as port,
        post(port, "/v1/chat/completions", body, accept="*/*") as reply,
    ):
        frames = (await reply.rest()).decode().split("\n\n")
    assert reply.status == 200
    assert frames[-2:] == ["data: [DONE]", ""]
    pieces = [json.loads(frame.removeprefix("data: ")) for frame in frames[:-2]]
    assert "".join(p["choices"][0]["delta"].get("content", "") for p in pieces) == "Yes."


async def test_an_engine_that_fails_before_the_first_token_is_a_plain_error(
    services: Services,
) -> None:
    failed = (SOURCES, Failure("engine_silent", "it said nothing"), Done(None, "error", 7))
    async with official(services, WrittenChat(*failed)) as client:
        for stream in (True, False):
            with pytest.raises(openai.APIStatusError) as caught:
                await client.chat.completions.create(
                    model="m", messages=[{"role": "user", "content": "a"}], stream=stream
                )
            assert (caught.value.status_code, caught.value.code) == (504, "engine_silent")


async def test_an_engine_that_fails_in_mid_answer_raises_in_the_client(services: Services) -> None:
    failed = (
        SOURCES,
        Token("one "),
        Token("two"),
        Failure("engine_failed", "it broke"),
        Done(None, "error", 7),
    )
    async with official(services, WrittenChat(*failed)) as client:
        stream = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "a"}], stream=True
        )
        first, second = await anext(stream), await anext(stream)
        with pytest.raises(openai.APIError, match="it broke"):
            await anext(stream)
    assert (first.choices[0].delta.content, second.choices[0].delta.content) == ("one ", "two")


async def test_the_model_is_listed_and_others_are_not_there(services: Services) -> None:
    services = replace(services, model="org/model")
    async with official(services, WrittenChat()) as client:
        assert [model.id async for model in client.models.list()] == ["org/model"]
        assert (await client.models.retrieve("org/model")).owned_by == "hotshelf"
        with pytest.raises(openai.NotFoundError, match="use 'org/model'"):
            await client.models.retrieve("other")


async def test_keys_are_asked_for_when_there_are_any(services: Services) -> None:
    services = replace(services, access=Access(AccessConfig(("right", "also"))))
    async with official(services, WrittenChat(*whole_answer("Yes")), key="wrong") as client:
        with pytest.raises(openai.AuthenticationError, match="not known here"):
            await client.models.list()
        assert (await client.with_options(api_key="also").models.list()).data
