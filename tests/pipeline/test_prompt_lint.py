"""The lint names what would cost reuse: the template, its line, the byte, the tokens."""

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipeline.prompt import Prompt, PromptBuilder, PromptConfig
from pipeline.prompting.lint import Report, check
from pipeline.prompting.rendering import TEMPLATES
from pipeline.prompting.template_lint import Finding
from pipeline.prompting.tokenizer import Tokenizer
from tests.pipeline.chat_templates import CHATML, Instruct
from tests.pipeline.shop import lamp, question, sources

CLOCK, LUCK = "{{ now }}", "{{ range(9) | random }}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A shop's own templates."""
    return Path(shutil.copytree(TEMPLATES, tmp_path / "templates"))


def insert(folder: Path, file: str, line: int, text: str) -> None:
    """Put `text` in front of a template's line."""
    lines = (folder / file).read_text(encoding="utf-8").splitlines(keepends=True)
    lines.insert(line - 1, f"{text}\n")
    (folder / file).write_text("".join(lines), encoding="utf-8")


def lint(tokenizer: Tokenizer, folder: Path) -> Report:
    return check(tokenizer, PromptConfig(templates=folder))


def the_error(report: Report) -> Finding:
    (finding,) = report.findings
    assert finding.is_error
    assert not report.is_clean
    return finding


def byte_of(finding: Finding) -> int:
    return int(re.findall(r"byte (\d+) ", finding.text)[0])


def lost(finding: Finding) -> tuple[int, int]:
    found, whole = re.findall(r"(\d+) of (\d+) tokens", finding.text)[0]
    return int(found), int(whole)


def test_the_templates_that_come_with_it_are_clean(tokenizer: Tokenizer) -> None:
    report = lint(tokenizer, TEMPLATES)
    assert report.findings == ()
    heads = PromptBuilder(tokenizer).heads()
    assert report.heads == {locale: len(ids) for locale, ids in heads.items()}


def test_a_clock_at_the_head_costs_everything(tokenizer: Tokenizer, folder: Path) -> None:
    insert(folder, "en/policy.j2", 1, CLOCK)
    finding = the_error(lint(tokenizer, folder))
    assert (finding.file, finding.line) == ("en/policy.j2", 1)
    assert "2030-12-31" in finding.text
    assert "2031-01-01" in finding.text
    gone, whole = lost(finding)
    assert byte_of(finding) == 3  # 2030, then 2031
    assert whole - 4 <= gone <= whole


@pytest.mark.parametrize("name", ["session_id", "answer_id", "now.minute"])
def test_what_moves_within_the_head(tokenizer: Tokenizer, folder: Path, name: str) -> None:
    head = PromptBuilder(tokenizer).renderers["zh"].policy()
    insert(folder, "zh/policy.j2", 4, f"编号 {{{{ {name} }}}}。")
    finding = the_error(lint(tokenizer, folder))
    assert (finding.file, finding.line) == ("zh/policy.j2", 4)
    first_line = head.split("\n")[0]
    assert byte_of(finding) == len(f"{first_line}\n\n编号 ".encode())
    gone, whole = lost(finding)
    assert whole - gone == len(tokenizer.encode(f"{first_line}\n\n编号 "))


@pytest.mark.parametrize(
    ("file", "line"), [("product.j2", 2), ("history.j2", 1), ("live.j2", 2), ("policy.j2", 12)]
)
def test_chance_before_the_question(
    tokenizer: Tokenizer, folder: Path, file: str, line: int
) -> None:
    insert(folder, f"en/{file}", line, LUCK)
    finding = the_error(lint(tokenizer, folder))
    assert (finding.file, finding.line) == (f"en/{file}", line)
    assert "'0" in finding.text
    assert "'8" in finding.text


def test_the_nearer_to_the_head_the_more_is_lost(tokenizer: Tokenizer, folder: Path) -> None:
    gone = []
    for file in ("policy.j2", "product.j2", "live.j2"):
        insert(folder, f"en/{file}", 3, LUCK)
        gone.append(lost(the_error(lint(tokenizer, folder)))[0])
        shutil.copy(TEMPLATES / "en" / file, folder / "en" / file)
    assert gone[0] > gone[1] > gone[2] > 0


def test_a_macro_that_moves_is_found_where_it_is_called(tokenizer: Tokenizer, folder: Path) -> None:
    insert(folder, "en/parts.j2", 1, "{% macro luck() %}{{ range(9) | random }}{% endmacro %}")
    insert(folder, "en/live.j2", 5, "{{ parts.luck() }}")
    finding = the_error(lint(tokenizer, folder))
    assert (finding.file, finding.line) == ("en/live.j2", 5)


def test_a_branch_that_only_some_products_reach(tokenizer: Tokenizer, folder: Path) -> None:
    insert(folder, "zh/product.j2", 3, "{% if options | length > 1 %}{{ lipsum(n=1) }}{% endif %}")
    finding = the_error(lint(tokenizer, folder))
    assert (finding.file, finding.line) == ("zh/product.j2", 3)


def test_the_date_beside_the_question_costs_nothing(tokenizer: Tokenizer, folder: Path) -> None:
    insert(folder, "en/question.j2", 1, f'{{{{ now.strftime("%d %B %Y") }}}} {LUCK}')
    insert(folder, "zh/facts.j2", 2, LUCK)
    assert lint(tokenizer, folder).findings == ()


def prompt_on(tokenizer: Tokenizer, folder: Path, day: int) -> Prompt:
    noon = datetime(2031, 3, day, 12, tzinfo=UTC)
    builder = PromptBuilder(tokenizer, PromptConfig(templates=folder, clock=lambda: noon))
    return builder.build(question("How much is it?", lamp()), sources(lamp()), ())


def test_the_date_changes_the_question_only(tokenizer: Tokenizer, folder: Path) -> None:
    insert(folder, "en/question.j2", 1, '{{ now.strftime("%A") }}')
    one, other = (prompt_on(tokenizer, folder, day) for day in (3, 4))
    assert one.parts[:-1] == other.parts[:-1]
    assert "Monday" in tokenizer.decode(one.parts[-1].ids)
    assert "Tuesday" in tokenizer.decode(other.parts[-1].ids)


@pytest.mark.parametrize("name", ["question", "facts", "list", "bounds"])
def test_a_name_that_no_server_gives(tokenizer: Tokenizer, folder: Path, name: str) -> None:
    insert(folder, f"en/{name}.j2", 2, "{{ session_id }}")
    finding = the_error(lint(tokenizer, folder))
    assert (finding.file, finding.line) == (f"en/{name}.j2", 2)
    assert "'session_id' is undefined" in finding.text


def test_a_moving_name_that_prints_the_same(tokenizer: Tokenizer, folder: Path) -> None:
    insert(folder, "en/product.j2", 2, "{{ session_id | length }}")
    finding = the_error(lint(tokenizer, folder))
    assert (finding.file, finding.line) == ("en/product.j2", 2)
    assert "'session_id' is undefined" in finding.text


def test_a_head_shorter_than_a_block(tokenizer: Tokenizer, folder: Path) -> None:
    (folder / "en" / "policy.j2").write_text("A shop.\n")
    report = lint(tokenizer, folder)
    (finding,) = report.findings
    assert report.is_clean
    assert "less than one block of the cache (32)" in finding.text
    assert check(tokenizer, PromptConfig(templates=folder, block_tokens=4)).findings == ()


def test_a_head_of_more_than_300_tokens(tokenizer: Tokenizer, folder: Path) -> None:
    insert(folder, "zh/policy.j2", 2, "店" + "员念资料。" * 60)
    report = lint(tokenizer, folder)
    (finding,) = report.findings
    assert report.is_clean
    assert (finding.file, report.heads["zh"] > 300) == ("zh/policy.j2", True)
    assert f"the head has {report.heads['zh']} tokens, over 300" in finding.text


def test_a_missing_template(tokenizer: Tokenizer, folder: Path) -> None:
    (folder / "zh" / "live.j2").unlink()
    finding = the_error(lint(tokenizer, folder))
    assert (finding.file, finding.text) == ("zh/live.j2", "there is no such template")


@pytest.mark.parametrize("file", ["en/policy.j2", "en/parts.j2", "zh/question.j2"])
def test_broken_syntax(tokenizer: Tokenizer, folder: Path, file: str) -> None:
    insert(folder, file, 3, "{% if %}")
    findings = lint(tokenizer, folder).findings
    assert {(finding.file, finding.line) for finding in findings} == {(file, 3)}


def test_broken_words(tokenizer: Tokenizer, folder: Path) -> None:
    (folder / "zh" / "words.json").write_text("{}")
    assert the_error(lint(tokenizer, folder)).file == "zh/words.json"


def test_the_texts_of_an_instruct_model_are_checked_for_one(
    tokenizer: Tokenizer, instruct: Instruct, folder: Path
) -> None:
    policy = (folder / "en" / "policy.j2").read_text().splitlines()
    line = next(at for at, text in enumerate(policy, 1) if text.startswith("You are"))
    insert(folder, "en/policy.j2", line, CLOCK)
    assert lint(tokenizer, folder).findings == ()
    finding = the_error(lint(instruct(CHATML), folder))
    assert (finding.file, finding.line) == ("en/policy.j2", line)


def test_every_template_is_told_of_once(tokenizer: Tokenizer, folder: Path) -> None:
    insert(folder, "en/policy.j2", 5, CLOCK)
    insert(folder, "en/policy.j2", 7, LUCK)
    insert(folder, "zh/live.j2", 2, CLOCK)
    findings = lint(tokenizer, folder).findings
    assert [(f.file, f.line) for f in findings] == [("en/policy.j2", 5), ("zh/live.j2", 2)]
