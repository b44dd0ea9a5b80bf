"""How servers are spoken to: as vLLM, by ids alone, by text; and over which connections."""

from dataclasses import replace
from typing import Any

import httpx2 as httpx
import pytest

from pipeline.engine import EngineError, GenerationRequest
from serving.engines.openai import OpenAIConfig, OpenAIEngine
from serving.engines.scripted import ScriptedConfig, ScriptedEngine
from serving.engines.scripted_server import create_app
from tests.contract.subjects import serving
from tests.engines.answers import REQUEST, STREAM, Pieces, Server, engine_at, said, sse, streaming

ANSWER = sse(said("a"), said("", "stop"))
OTHERS = {"data": [{"id": "a-model", "owned_by": "someone"}]}


def accepting(*allowed: str, ids: bool = True, models: Any = OTHERS) -> Server:
    """A server that refuses every field but OpenAI's own and `allowed`, as strict ones do."""
    known = {"model", "prompt", "max_tokens", "temperature", "stream", "stream_options", *allowed}

    def answer(body: dict[str, Any]) -> httpx.Response:
        if set(body) - known or (isinstance(body["prompt"], list) and not ids):
            return httpx.Response(400, json={"error": {"message": "not known here"}})
        return httpx.Response(200, headers=STREAM, stream=Pieces([ANSWER]))

    return Server(answer, models)


async def test_vllm_gets_ids_stop_tokens_salt_and_priority() -> None:
    server = streaming(ANSWER)
    engine = await engine_at(server)
    request = GenerationRequest("r", (5, 6), 9, 0.5, ("\n",), (7,), 3, "salt")
    assert [chunk.text async for chunk in engine.generate(request)] == ["a", ""]
    [body] = server.asked
    assert (body["model"], body["prompt"], body["max_tokens"]) == ("a-model", [5, 6], 9)
    assert (body["stop"], body["stop_token_ids"]) == (["\n"], [7])
    assert (body["priority"], body["cache_salt"], body["temperature"]) == (3, "salt", 0.5)
    assert body["stream_options"]["include_usage"] is True


async def test_vllm_without_priorities_is_asked_without_them() -> None:
    models = {"data": [{"id": "m", "owned_by": "vllm"}]}
    server = accepting("request_id", "min_tokens", "stop_token_ids", models=models)
    engine = await engine_at(server)
    urgent = replace(REQUEST, priority=1)
    for _ in range(2):
        assert [chunk.text async for chunk in engine.generate(urgent)] == ["a", ""]
    assert [body.get("priority") for body in server.asked] == [1, None, None]


async def test_a_server_without_vllms_fields_still_gets_ids() -> None:
    server = accepting()
    engine = await engine_at(server)
    assert [chunk.text async for chunk in engine.generate(REQUEST)] == ["a", ""]
    assert server.asked[-1]["prompt"] == [1, 2, 3]


async def test_a_server_without_ids_gets_text_and_the_next_request_at_once() -> None:
    server = accepting(ids=False)
    engine = await engine_at(server, decode=lambda ids: "".join(map(str, ids)))
    for _ in range(2):
        assert [chunk.text async for chunk in engine.generate(REQUEST)] == ["a", ""]
    assert [body["prompt"] for body in server.asked][-2:] == ["123", "123"]


async def test_a_server_without_ids_is_an_error_where_nothing_decodes_them() -> None:
    engine = await engine_at(accepting(ids=False))
    with pytest.raises(EngineError, match="not known here"):
        await anext(engine.generate(REQUEST))


async def test_one_refused_request_changes_nothing_for_the_next() -> None:
    refusing = True

    def answer(_: dict[str, Any]) -> httpx.Response:
        if refusing:
            return httpx.Response(400, json={"error": {"message": "too long"}})
        return httpx.Response(200, headers=STREAM, stream=Pieces([ANSWER]))

    server = Server(answer, OTHERS)
    engine = await engine_at(server)
    with pytest.raises(EngineError, match="too long"):
        await anext(engine.generate(REQUEST))
    refusing = False
    assert (await anext(engine.generate(REQUEST))).text == "a"
    assert server.asked[-1]["request_id"] == "r"


async def test_a_named_model_and_a_key_are_sent() -> None:
    server = streaming(ANSWER)
    engine = await engine_at(server, model="theirs", api_key="secret")
    await anext(engine.generate(REQUEST))
    assert server.asked[0]["model"] == "theirs"
    assert {r.headers["authorization"] for r in server.requests} == {"Bearer secret"}


@pytest.mark.parametrize(
    "url", ["http://test", "http://test/", "http://test/v1", "http://test/v1/"]
)
async def test_the_url_may_have_its_version_or_not(url: str) -> None:
    server = streaming(ANSWER)
    engine = OpenAIEngine(OpenAIConfig(url), server)
    await engine.start()
    await anext(engine.generate(REQUEST))
    assert [r.url.path for r in server.requests] == ["/v1/models", "/v1/completions"]


async def test_a_prompt_cut_inside_a_character_is_sent_without_it() -> None:
    """Failure case 14, for servers that would repeat the prompt."""
    server = streaming(ANSWER)
    engine = await engine_at(server, decode=lambda ids: bytes(ids).decode("utf-8", "replace"))
    await anext(engine.generate(replace(REQUEST, token_ids=tuple("好🌍".encode()[:-1]))))
    assert bytes(server.asked[0]["prompt"]).decode() == "好"


@pytest.mark.parametrize("models", [{"data": []}, {}, [], {"data": None}])
async def test_a_server_without_models_does_not_start(models: Any) -> None:
    with pytest.raises(EngineError):
        await engine_at(Server(lambda _: httpx.Response(404), models))


async def test_nobody_at_the_address_is_an_engine_error() -> None:
    engine = OpenAIEngine(OpenAIConfig("http://127.0.0.1:9"))
    with pytest.raises(EngineError) as caught:
        await engine.start()
    assert caught.value.code == "engine_failed"
    await engine.close()


async def test_an_engine_that_is_not_started_says_so() -> None:
    with pytest.raises(EngineError, match="not started"):
        await anext(OpenAIEngine(OpenAIConfig("http://127.0.0.1:9")).generate(REQUEST))


async def test_whole_answers_share_one_connection() -> None:
    ports: list[int] = []
    app = create_app(ScriptedEngine(ScriptedConfig("one two three")))

    async def counting(scope: Any, receive: Any, send: Any) -> None:
        ports.append(scope["client"][1])
        await app(scope, receive, send)

    async with serving(counting) as url:
        engine = OpenAIEngine(OpenAIConfig(url))
        await engine.start()
        for _ in range(5):
            assert [c.text async for c in engine.generate(REQUEST)] == ["one", " two", " three", ""]
        await engine.close()
    assert len(ports) == 6
    assert len(set(ports)) == 1
