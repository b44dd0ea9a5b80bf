"""An answer counts as right by what stands in it; a server is asked over a real socket."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Generator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from benchmarks.answers import Answered, ask_all, events, main, report
from benchmarks.scoring import Labelled, amounts, is_right, labelled


def english(*answers: str, wrong: tuple[str, ...] = ()) -> Labelled:
    return Labelled("?", answers, wrong, None, chinese=False, kind="all")


def chinese(*answers: str, wrong: tuple[str, ...] = ()) -> Labelled:
    return Labelled("？", answers, wrong, None, chinese=True, kind="all")


@pytest.mark.parametrize(
    "answer",
    ["It costs 9.99.", "9.99 USD", "It is $9.99, shipped.", "(９.９９)", "The price: 9.99!"],
)
def test_amount_as_a_whole_word_is_right(answer: str) -> None:
    assert is_right(answer, english("9.99"))


@pytest.mark.parametrize(
    "answer", ["19.99", "9.995", "9.99.5", "1,9.99", "29.99 USD", "It costs 999.", "", "9,99"]
)
def test_other_number_is_not_right(answer: str) -> None:
    assert not is_right(answer, english("9.99"))


@pytest.mark.parametrize(
    "answer", ["It was 12.50 and is 9.99.", "9.99, or $8", "9.99, formerly 12 USD", "9.99或88元"]
)
def test_another_amount_beside_the_right_one_is_not_right(answer: str) -> None:
    assert not is_right(answer, english("9.99"))


def test_numbers_that_are_no_money_do_not_compete() -> None:
    assert is_right("It costs 9.99, ships in 3-5 days and weighs 2.5 kg.", english("9.99"))
    assert is_right("It has a 30 days return policy for $9.99.", english("30 days"))


def test_competing_value_is_not_right() -> None:
    asked = english("7 days", "7-day", wrong=("30 days", "no return"))
    assert is_right("You have 7 Days to return it.", asked)
    assert not is_right("You have 7 days, or 30 days in winter.", asked)
    assert not is_right("No return, except within 7 days.", asked)
    assert is_right("There is a 7-day limit, not 130 days.", asked)


def test_whole_words_only() -> None:
    assert not is_right("Yesterday it was.", english("yes"))
    assert not is_right("It is returnable.", english("return"))
    assert is_right("Made by Dell.", english("dell"))
    assert not is_right("It ships in 11 weeks", english("1 week"))


def test_only_the_first_forty_words_count() -> None:
    filler = "well " * 39
    assert is_right(filler + "yes", english("yes"))
    assert not is_right(filler + "well yes", english("yes"))
    assert is_right(filler + "yes no", english("yes", wrong=("no",)))


def test_only_the_first_eighty_characters_count_in_chinese() -> None:
    assert is_right("嗯" * 77 + "纯棉。" + "涤纶", chinese("纯棉", wrong=("涤纶",)))
    assert not is_right("嗯" * 79 + "纯棉", chinese("纯棉"))


@pytest.mark.parametrize("answer", ["材质是100%棉的。", "１００％棉", "100% 棉", "是100%棉,很软"])
def test_chinese_values_need_no_space_around_and_any_width(answer: str) -> None:
    assert is_right(answer, chinese("100%棉"))


def test_numbers_in_chinese_are_whole_too() -> None:
    assert is_right("重量2000g左右", chinese("2000g"))
    assert not is_right("重量12000g", chinese("2000g"))
    assert not is_right("重量2000gm", chinese("2000g"))
    assert is_right("有蓝条纹/粉条纹", chinese("蓝条纹/ 粉条纹"))


def test_amounts_with_symbols_codes_and_two_decimals() -> None:
    text = "$9.99, 12.50, 5 dollars, ¥88, 899.00元, 1,299.00; not 3-5 days, 15.123 or 2.5kg"
    assert sorted(map(str, amounts(text))) == ["12.50", "1299.00", "5", "88", "899.00", "9.99"]


def test_row_of_a_question_file() -> None:
    row = {"question": "多重？", "answers": ["2kg"], "sku": 7, "lang": "zh", "licence": "MIT"}
    asked = labelled(row)
    assert (asked.sku, asked.chinese, asked.kind, asked.wrong) == ("7", True, "all", ())
    assert labelled({"question": "How heavy?", "answers": ["2 kg"]}).chinese is False
    assert labelled({"question": "多重？", "answers": ["2kg"]}).chinese is True
    with pytest.raises(KeyError):
        labelled({"question": "no right values"})


def test_report_counts_shares_kinds_and_errors() -> None:
    asked = [labelled({"question": "a", "answers": ["yes"], "kind": k}) for k in ("x", "x", "y")]
    given = [Answered("yes", 10.0), Answered("no", 30.0), Answered("", error="engine_failed")]
    told = report(asked, given)
    assert (told["n"], told["right"], told["share"], told["errors"]) == (3, 1, 0.3333, 1)
    assert told["kinds"] == {"x": {"n": 2, "share": 0.5}, "y": {"n": 1, "share": 0.0}}
    assert told["ttft_p50_ms"] == 20.0


async def test_events_of_a_stream_with_heartbeats() -> None:
    async def lines() -> AsyncIterator[str]:
        for line in [": beat", "", "event: token", 'data: {"text": "a"}', "", ": beat", "", ""]:
            yield line

    assert [event async for event in events(lines())] == [("token", {"text": "a"})]


async def answering(scope: Any, receive: Any, send: Any) -> None:
    """A shop that always says the same, fails on request, or ends too early."""
    body = json.loads((await receive())["body"])
    status = 422 if body["message"] == "refuse" else 200
    headers = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    said = f"{body['locale']} {body.get('sku')} 9.99"
    stream = f"event: token\ndata: {json.dumps({'text': said})}\n\n"
    if body["message"] == "fail":
        stream += 'event: error\ndata: {"code": "engine_failed", "message": "it broke"}\n\n'
    if body["message"] != "cut":
        stream += 'event: done\ndata: {"finish_reason": "stop"}\n\n'
    await send({"type": "http.response.body", "body": stream.encode()})


class _Server(uvicorn.Server):
    """Leaves the test run's signal handlers alone."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@pytest.fixture
async def shop() -> AsyncIterator[str]:
    """The shop's URL: a real server on a loopback port."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(answering, ws="none", lifespan="off", log_level="critical")
    server = _Server(config)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    await running


async def test_questions_are_asked_with_their_page_and_language(shop: str) -> None:
    rows = [
        {"question": "price?", "answers": ["9.99"], "sku": "A1"},
        {"question": "多少钱", "answers": ["9.99"]},
    ]
    given = await ask_all(shop, [labelled(row) for row in rows], concurrency=2)
    assert [answer.text for answer in given] == ["en A1 9.99", "zh None 9.99"]
    assert all(answer.ttft_ms is not None and answer.error is None for answer in given)


@pytest.mark.parametrize(
    ("message", "error"),
    [("refuse", "status 422"), ("fail", "engine_failed"), ("cut", "the stream had no end")],
)
async def test_failures_are_told(shop: str, message: str, error: str) -> None:
    (answer,) = await ask_all(shop, [labelled({"question": message, "answers": ["x"]})], 1)
    assert answer.error == error


async def test_unreachable_server_is_an_error(unused_tcp_port: int) -> None:
    asked = [labelled({"question": "price?", "answers": ["9.99"]})]
    (answer,) = await ask_all(f"http://127.0.0.1:{unused_tcp_port}", asked, 1)
    assert answer.error is not None


async def test_command_prints_json_last_and_keeps_the_answers(
    shop: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, output = tmp_path / "questions.jsonl", tmp_path / "answers.jsonl"
    rows = [{"question": f"price {i}?", "answers": ["9.99"], "kind": "price"} for i in range(3)]
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = ["--url", shop, "--compare", shop, "--questions", str(questions), "--limit", "2"]
    status = await asyncio.to_thread(main, [*command, "--output", str(output)])
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert status == 0
    assert (told["n"], told["share"], told["difference"]) == (2, 1.0, 0.0)
    assert told["kinds"] == {"price": {"n": 2, "share": 1.0}}
    kept = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [row["right"] for row in kept] == [[True, True]] * 2
