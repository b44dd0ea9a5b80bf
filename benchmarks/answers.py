"""How many of a file's questions a running server answers rightly.

    python -m benchmarks.answers --url http://127.0.0.1:8000 --questions questions.jsonl

Each line of the file is a question with its right values; `sku` is sent as the page that the
shopper is on. With `--compare` a second server answers the same questions, and the difference is
told too. The last line printed is JSON; `--output` keeps every answer for reading.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from benchmarks.scoring import Labelled, is_right, labelled


@dataclass(frozen=True, slots=True)
class Answered:
    """A server's answer. `ttft_ms` ends with the first non-empty text; `error` tells why none."""

    text: str
    ttft_ms: float | None = None
    error: str | None = None


async def events(lines: AsyncIterator[str]) -> AsyncIterator[tuple[str, Any]]:
    """(event, data) of a server-sent stream; comments are heartbeats and are left out."""
    name, data = "message", list[str]()
    async for line in lines:
        if line.startswith("event:"):
            name = line.removeprefix("event:").strip()
        elif line.startswith("data:"):
            data.append(line.removeprefix("data:").removeprefix(" "))
        elif not line and data:
            yield name, json.loads("\n".join(data))
            name, data = "message", []


async def ask(client: httpx.AsyncClient, question: Labelled) -> Answered:
    """Send one question to /chat and read its answer to the end."""
    body = {"message": question.question, "locale": "zh" if question.chinese else "en"}
    if question.sku is not None:
        body["sku"] = question.sku
    started = time.perf_counter()
    ttft_ms, text, error, ended = None, "", None, False
    try:
        async with client.stream("POST", "/chat", json=body) as response:
            if response.status_code != 200:
                return Answered("", error=f"status {response.status_code}")
            async for name, data in events(response.aiter_lines()):
                if name == "token":
                    text += data["text"]
                    if ttft_ms is None and text.strip():
                        ttft_ms = (time.perf_counter() - started) * 1e3
                elif name == "error":
                    error = str(data.get("code", "error"))
                elif name == "done":
                    ended = True
    except (httpx.HTTPError, ValueError, KeyError) as failure:
        return Answered(text, ttft_ms, repr(failure))
    return Answered(text, ttft_ms, error or (None if ended else "the stream had no end"))


async def ask_all(url: str, questions: Sequence[Labelled], concurrency: int) -> list[Answered]:
    """Every answer, in the questions' order, at most `concurrency` at a time."""
    slots = asyncio.Semaphore(concurrency)
    async with httpx.AsyncClient(base_url=url, timeout=httpx.Timeout(120.0)) as client:

        async def one(question: Labelled) -> Answered:
            async with slots:
                return await ask(client, question)

        return await asyncio.gather(*map(one, questions))


def report(questions: Sequence[Labelled], answers: Sequence[Answered]) -> dict[str, Any]:
    """Shares of right answers, errors, and the time to the first token in milliseconds."""
    right = [is_right(a.text, q) for q, a in zip(questions, answers, strict=True)]
    kinds: dict[str, list[bool]] = {}
    for question, good in zip(questions, right, strict=True):
        kinds.setdefault(question.kind, []).append(good)
    ttft = sorted(a.ttft_ms for a in answers if a.ttft_ms is not None)
    return {
        "n": len(right),
        "right": sum(right),
        "share": _share(right),
        "kinds": {
            kind: {"n": len(good), "share": _share(good)} for kind, good in sorted(kinds.items())
        },
        "errors": sum(a.error is not None for a in answers),
        "ttft_p50_ms": round(statistics.median(ttft), 1) if ttft else None,
        "ttft_p95_ms": round(ttft[int(len(ttft) * 0.95)], 1) if ttft else None,
    }


def _share(good: Sequence[bool]) -> float:
    return round(sum(good) / len(good), 4) if good else 0.0


async def run(options: argparse.Namespace) -> dict[str, Any]:
    """Ask one server, or two, and compare."""
    with options.questions.open(encoding="utf-8") as file:
        questions = [labelled(json.loads(line)) for line in file if line.strip()]
    questions = questions[: options.limit]
    answers = await ask_all(options.url, questions, options.concurrency)
    result = {"questions": options.questions.name, "url": options.url} | report(questions, answers)
    given = [answers]
    if options.compare is not None:
        given.append(await ask_all(options.compare, questions, options.concurrency))
        other = report(questions, given[1])
        result["compare"] = {"url": options.compare} | other
        result["difference"] = round(result["share"] - other["share"], 4)
    if options.output is not None:
        rows = list(_rows(questions, given))
        options.output.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return result


def _rows(questions: Sequence[Labelled], given: Sequence[Sequence[Answered]]) -> list[str]:
    """One JSON object a question: what was asked, what came back, whether it was right."""
    return [
        json.dumps(
            {
                "question": question.question,
                "kind": question.kind,
                "answers": question.answers,
                "given": [answers[at].text for answers in given],
                "right": [is_right(answers[at].text, question) for answers in given],
                "errors": [answers[at].error for answers in given],
            },
            ensure_ascii=False,
        )
        for at, question in enumerate(questions)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns 1 if a server failed to answer a question, else 0."""
    parser = argparse.ArgumentParser(prog="benchmarks.answers", description=__doc__)
    parser.add_argument(
        "--url", required=True, help="the server, for example http://127.0.0.1:8000"
    )
    parser.add_argument("--questions", required=True, type=Path, help="a JSONL file")
    parser.add_argument("--compare", metavar="URL2", help="a second server to compare with")
    parser.add_argument("--limit", type=int, help="ask only the first N")
    parser.add_argument("--concurrency", type=int, default=4, help="questions at a time (4)")
    parser.add_argument("--output", type=Path, help="write every answer to this file, as JSONL")
    options = parser.parse_args(arguments)
    result = asyncio.run(run(options))
    print(json.dumps(result, ensure_ascii=False))
    return 1 if result["errors"] or result.get("compare", {}).get("errors") else 0


if __name__ == "__main__":
    sys.exit(main())
