"""What a wrong answer is to the guard's benchmark, by rules of its own."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.answers import Answered
from benchmarks.guard import by_sku, counts, main, read, report
from benchmarks.scoring import labelled
from catalog.demo import demo_products
from catalog.product import Locale, Product
from pipeline.guarding.guard import Guards
from pipeline.types import Question, Source
from tests.pipeline.guarded import kettle, lamp_on_sale
from tests.pipeline.shop import lamp, shirt

SEVERAL = [product for product in demo_products() if len(product.variants) > 1]


@pytest.mark.parametrize(
    ("said", "product"),
    [
        ("The price is $80.00. It is in stock.", lamp()),
        ("It holds 30 litres and is 100% brass.", lamp()),
        ("The price is $60.00 (reduced from $80.00).", lamp_on_sale()),
        ("25% off!", lamp_on_sale()),
        ("Black is in stock in size S, M, out of stock in L.", shirt()),
        ("White is out of stock. In stock: black, navy stripe.", shirt()),
        ("黑色有货，尺码S、M，L缺货。", shirt()),
        ("白色149.00元，红色缺货。", kettle()),
    ],
)
def test_what_the_record_says_is_not_wrong(said: str, product: Product) -> None:
    found = read(said, product)
    assert (found.wrong_amounts, found.false_availabilities) == ((), ())


@pytest.mark.parametrize(
    ("said", "product"),
    [
        ("The price is $79.00.", lamp()),
        ("It costs 79 dollars.", lamp()),
        ("售价99元。", kettle()),
        ("现价：￥１４８", kettle()),
        ("Now 90% off!", lamp()),
        ("打九折。", kettle()),
    ],
)
def test_a_wrong_amount_is_seen(said: str, product: Product) -> None:
    assert len(read(said, product).wrong_amounts) == 1


@pytest.mark.parametrize(
    ("said", "asked", "product"),
    [
        ("It is sold out.", "", lamp()),
        ("Black is in stock in size S, M, L.", "", shirt()),
        ("White is in stock.", "", shirt()),
        ("It is in stock.", "Is white in stock?", shirt()),
        ("黑色缺货。", "", shirt()),
        ("红色有货。", "", kettle()),
        ("白色没有货。", "", kettle()),
    ],
)
def test_a_false_availability_is_seen(said: str, asked: str, product: Product) -> None:
    assert len(read(said, product, asked).false_availabilities) == 1


QUESTIONS = {
    "en": ("How much is it?", "Is it in stock?", "Does it come in {a}?", "What is it made of?"),
    "zh": ("多少钱？", "有货吗？", "有{a}的吗？", "什么材质？"),
}
ANSWERS = {
    "en": (
        *("The price is ${m}.", "It costs {m} dollars.", "It is in stock.", "It is out of stock."),
        *(
            "{a} is in stock.",
            "{a} is sold out.",
            "Yes, {a} is available in {b}.",
            "In stock: {a}.",
        ),
        *("It comes in {a} and {b}.", "Only ${m}, {a} is out of stock.", "We have {a} in stock."),
        *(
            "{a} is available, {b} is sold out.",
            "It is soft. It is {m} USD.",
            "No, no {a} in stock.",
        ),
        *("{p}0% off!", "No, {a} is not available.", "Available in {a}, but not in {b}."),
    ),
    "zh": (
        *(
            "价格是{m}元。",
            "售价{m}。",
            "有货。",
            "缺货。",
            "{a}有货。",
            "{a}缺货。",
            "{a}、{b}都有货。",
        ),
        *(
            "{a}有货，{b}缺货。",
            "没有{a}。",
            "只要{m}块钱，{a}现货。",
            "打{p}折。",
            "{a}没有货，{b}有货。",
        ),
    ),
}


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_nothing_that_the_guard_lets_through_is_wrong_by_these_rules(data: st.DataObject) -> None:
    product = data.draw(st.sampled_from(SEVERAL))
    locale: Locale = data.draw(st.sampled_from(sorted(product.texts)))
    values = [product.label(v, locale) for values in product.options.values() for v in values]
    words = {
        "a": data.draw(st.sampled_from(values)),
        "b": data.draw(st.sampled_from(values)),
        "m": data.draw(st.sampled_from([str(product.variants[0].price.amount), "7.77", "499"])),
        "p": data.draw(st.integers(2, 9)),
    }
    asked = data.draw(st.sampled_from(QUESTIONS[locale])).format(**words)
    said = data.draw(st.sampled_from(ANSWERS[locale])).format(**words)
    question = Question(asked, locale, "a1", product_id=product.id)
    guard = Guards().watch(question, (Source(product, "page"),))
    sent = "".join(map(guard.feed, said)) + guard.end()
    found = read(sent, product, asked)
    assert (found.wrong_amounts, found.false_availabilities) == ((), ()), (said, sent)


def test_the_report_counts_what_got_through_and_what_was_replaced() -> None:
    row = {"question": "How much?", "answers": ["80"], "sku": "LAMP-1", "lang": "en"}
    answers = [
        Answered("It is $80.00."),
        Answered("It is $1 and sold out."),
        Answered("$2", error="x"),
    ]
    counted = Counter({"amount_replaced": 4, "amount_passed": 2})
    found = report([labelled(row)] * 3, answers, by_sku([lamp()]), counted)
    figures = {k: found[k] for k in ("n", "checked", "errors", "wrong_amounts", "replaced")}
    assert figures == {
        "n": 3,
        "checked": 3,
        "errors": 1,
        "wrong_amounts": 2,
        "replaced": {"amount": 4, "availability": 0},
    }
    assert found["false_availabilities"] == 1
    assert found["wrong"][0]["wrong"] == ["$1", "It is $1 and sold out"]


class Server(BaseHTTPRequestHandler):
    """Answers every question with the same sentence, and counts one replacement for each."""

    asked = 0

    def do_POST(self) -> None:
        type(self).asked += 1
        self.rfile.read(int(self.headers["Content-Length"]))
        body = 'event: token\ndata: {"text": "It costs $1."}\n\nevent: done\ndata: {}\n\n'
        self._reply("text/event-stream", body)

    def do_GET(self) -> None:
        self._reply(
            "text/plain",
            f'hotshelf_guard_total{{kind="amount",outcome="replaced"}} {float(self.asked)}\n',
        )

    def _reply(self, kind: str, body: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base's name
        """Say nothing."""


@pytest.fixture
def url() -> Generator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_command_asks_a_server_and_prints_json_last(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = demo_products()[0]
    row = {"question": "How much?", "answers": ["1"], "sku": page.variants[0].sku, "lang": "en"}
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps(row) + "\n" + json.dumps(row) + "\n", encoding="utf-8")
    assert main(["--url", url, "--questions", str(file)]) == 1
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (result["n"], result["wrong_amounts"], result["replaced"]["amount"]) == (2, 2, 2)
    assert asyncio.run(counts(url))["amount_replaced"] >= 2
