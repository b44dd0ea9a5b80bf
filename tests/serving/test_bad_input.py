"""Every wrong body gets a 4xx that says what was wrong and what would be right; never a 500."""

import json
from dataclasses import replace
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from serving.body import BodyConfig
from serving.schemas import Limits
from serving.services import HttpConfig, Services
from tests.serving.fakes import WrittenChat, whole_answer
from tests.serving.server import connected, serving

JSON = {"content-type": "application/json"}
DEEP = b'{"message": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"

WRONG_CHAT = [
    ({"message": ""}, 422, "message: is blank"),
    ({"message": " \t\n"}, 422, "message: is blank"),
    ({"message": "\u200b\ufeff\u3000"}, 422, "message: is blank"),
    ({"message": "x" * 40_000}, 422, "has 40,000 characters: at most 4,000"),
    ({"message": "好" * 40_000}, 422, "has 40,000 characters: at most 4,000"),
    ({"message": "x" * 3_999 + "🌍🌍"}, 422, "has 4,001 characters: at most 4,000"),
    ({"message": "a\x00b"}, 422, "message: contains NUL"),
    ({"message": "\ud83d"}, 422, "U+D83D at character 1"),
    ({"message": "x", "session_id": "\udc00"}, 422, "session_id: contains half of a surrogate"),
    ({"message": "x", "\ud800": 1}, 422, "a field name: contains half of a surrogate"),
    ({"message": 7}, 422, "message: should be a valid string"),
    ({"message": None}, 422, "message: should be a valid string"),
    ({"message": ["x"]}, 422, "message: should be a valid string"),
    ({}, 422, "message: is required"),
    ({"message": "x", "mesage": "y"}, 422, "did you mean message?"),
    ({"message": "x", "debug": True}, 422, "the fields are message, session_id, sku, locale"),
    ({"message": "x", "n" * 500: 1}, 422, "is not a field of this request"),
    ({"message": "x", "locale": "fr"}, 422, "locale: should be 'en' or 'zh'"),
    ({"message": "x", "sku": ""}, 422, "sku: should have at least 1 character"),
    ({"message": "x", "sku": "a" * 129}, 422, "sku: should have at most 128 characters"),
    ({"message": "x", "sku": "a\nb"}, 422, "sku: is blank or holds unprintable"),
    ({"message": "x", "session_id": 7}, 422, "session_id: should be a valid string"),
    ({"message": "x", "sku": "1234568"}, 404, "names no SKU and no product"),
    ([], 422, "not a JSON object"),
    ("text", 422, "not a JSON object"),
    (None, 422, "not a JSON object"),
    (b"", 400, "the body is empty"),
    (b"{", 400, "not JSON"),
    (b"{'message': 'x'}", 400, "not JSON"),
    (b'{"message": "x\xff"}', 400, "not UTF-8 (at byte 14)"),
    (b'{"message": NaN}', 400, "NaN is not a JSON number"),
    (b'{"message": ' + b"1" * 5_000 + b"}", 400, "not JSON"),
    (DEEP, 400, "nested too deeply"),
    (b'{"message": "' + b"x" * 600_000 + b'"}', 413, "over 524,288 bytes"),
]

WRONG_OPENAI = [
    ({}, "messages", "either messages or prompt"),
    ({"prompt": "x", "messages": [{"role": "user", "content": "x"}]}, "messages", "either"),
    ({"prompt": "  "}, "prompt", "is blank"),
    ({"prompt": ["a", "b"]}, "prompt", "should be a valid string"),
    ({"messages": []}, "messages", "at least 1 item"),
    ({"messages": "x"}, "messages", "valid list"),
    ({"messages": [{"role": "assistant", "content": "x"}]}, "messages", "the user's question"),
    ({"messages": [{"role": "system", "content": "x"}]}, "messages", "the user's question"),
    ({"messages": [{"role": "tool", "content": "x"}]}, "messages.0.role", "'user'"),
    ({"messages": [{"role": "user", "content": None}]}, "messages.0.content", "string"),
    ({"messages": [{"role": "user", "content": "x" * 5_000}]}, "messages", "at most 4,000"),
    (
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
        "messages.0.content",
        "a part that is not text",
    ),
    ({"messages": [{"role": "user", "content": "x", "tool_calls": [1]}]}, "messages.0", "tool_ca"),
    ({"prompt": "x", "n": 2}, "n", "is not supported: send 1"),
    ({"prompt": "x", "tools": [{"type": "function"}]}, "tools", "is not supported"),
    ({"prompt": "x", "logprobs": True}, "logprobs", "is not supported"),
    ({"prompt": "x", "response_format": {"type": "json_object"}}, "response_format", '"text"'),
    ({"prompt": "x", "seed": 1}, "seed", "is not supported"),
    ({"prompt": "x", "temperature": 3}, "temperature", "less than or equal to 2"),
    ({"prompt": "x", "max_tokens": 0}, "max_tokens", "greater than or equal to 1"),
    ({"prompt": "x", "max_tokens": "9"}, "max_tokens", "valid integer"),
    ({"prompt": "x", "stop": [""]}, "stop.0", "at least 1 character"),
    ({"prompt": "x", "stop": ["a"] * 5}, "stop", "at most 4 items"),
    ({"prompt": "x", "stream": "yes"}, "stream", "valid boolean"),
    ({"prompt": "x", "strem": True}, "strem", "did you mean stream?"),
]


def raw(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


@pytest.mark.parametrize(("body", "status", "said"), WRONG_CHAT, ids=lambda v: repr(v)[:40])
async def test_chat_refuses_it_and_says_why(
    client: httpx.AsyncClient, body: Any, status: int, said: str
) -> None:
    reply = await client.post("/chat", content=raw(body), headers=JSON)
    error = reply.json()["error"]
    assert (reply.status_code, set(error) - {"field"}) == (status, {"code", "message"})
    assert said in error["message"]
    assert len(error["message"]) < 500


@pytest.mark.parametrize(("body", "param", "said"), WRONG_OPENAI, ids=lambda v: repr(v)[:40])
async def test_openai_refuses_it_by_name(
    client: httpx.AsyncClient, body: Any, param: str, said: str
) -> None:
    reply = await client.post("/v1/chat/completions", content=raw(body), headers=JSON)
    error = reply.json()["error"]
    assert (reply.status_code, error["type"]) == (400, "invalid_request_error")
    assert error["param"] == param
    assert said in error["message"]


async def test_a_body_that_is_not_declared_as_json_is_refused(client: httpx.AsyncClient) -> None:
    for headers in ({}, {"content-type": "text/plain"}, {**JSON, "content-encoding": "gzip"}):
        reply = await client.post("/chat", content=b'{"message": "x"}', headers=headers)
        assert (reply.status_code, reply.json()["error"]["code"]) == (415, "unsupported_media_type")


async def test_a_body_that_never_ends_is_given_up(services: Services) -> None:
    http = HttpConfig(body=BodyConfig(timeout_s=0.01))
    async with serving(replace(services, http=http)) as port, connected(port) as (reader, writer):
        writer.write(
            b"POST /chat HTTP/1.1\r\nhost: t\r\ncontent-type: application/json\r\n"
            b"content-length: 100\r\n\r\n{"
        )
        assert b" 408 " in await reader.readline()


async def test_other_paths_and_methods_get_json_too(client: httpx.AsyncClient) -> None:
    gone = await client.get("/nothing")
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "not_found")
    wrong = await client.get("/chat")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "method_not_allowed")
    assert "use POST" in wrong.json()["error"]["message"]
    openai = await client.get("/v1/nothing")
    assert (openai.status_code, openai.json()["error"]["type"]) == (404, "invalid_request_error")


async def test_text_that_only_looks_wrong_is_taken(services: Services) -> None:
    chat = WrittenChat(*whole_answer("Yes"))
    longest = "x" * (Limits().message_chars - 1) + "🌍"
    async with (
        serving(replace(services, chat=chat)) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        for message in (longest, "a\x0cb", " {{ 7*7 }} ", "\\ud83d", "👩‍👩‍👧"):
            reply = await client.post("/chat", json={"message": message})
            assert reply.status_code == 200
        body = b'\xef\xbb\xbf{"message": "\\ud83c\\udf0d", "session_id": null}'
        assert (await client.post("/chat", content=body, headers=JSON)).status_code == 200
    texts = [question.text for question in chat.asked]
    assert texts == [longest, "a b", "{{ 7*7 }}", "\\ud83d", "👩‍👩‍👧", "🌍"]


ANY_TEXT = st.text(st.characters(), max_size=20)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
CHAT_LIKE = st.dictionaries(
    st.sampled_from(["message", "session_id", "sku", "locale"]) | ANY_TEXT, ANY_JSON | ANY_TEXT
)
OPENAI_LIKE = st.dictionaries(
    st.sampled_from(["messages", "prompt", "stream", "stop", "n", "tools", "max_tokens"])
    | ANY_TEXT,
    ANY_JSON
    | st.lists(
        st.fixed_dictionaries(
            {"role": st.sampled_from(["user", "assistant"]), "content": ANY_TEXT | ANY_JSON}
        ),
        max_size=3,
    ),
)
BODIES = (CHAT_LIKE | OPENAI_LIKE | ANY_JSON).map(json.dumps).map(str.encode) | st.binary()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(path=st.sampled_from(["/chat", "/v1/chat/completions"]), body=BODIES)
async def test_no_body_whatsoever_breaks_the_server(
    client: httpx.AsyncClient, path: str, body: bytes
) -> None:
    reply = await client.post(path, content=body, headers=JSON)
    assert reply.status_code in (200, 400, 404, 413, 422)
    if reply.status_code != 200:
        assert reply.json()["error"]["message"]
