"""`textgym data check` as a user runs it: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from html_reader import Reader
from in_process import run_command

ROWS: list[dict[str, Any]] = [
    {"question": "What is 2 + 2?", "expected_answer": "4", "level": 1},
    {"question": "What is 2 + 3?", "expected_answer": 5, "level": 1},
    {"question": "What is 2 + 2?", "expected_answer": "22", "level": 1},
    {"question": "What is \x1b[31m2 + 6?", "expected_answer": "8", "level": "1"},
]
ENV = ("--env", "textgym/Math-v0")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [json.dumps(row) + "\n" for row in ROWS]
    (tmp_path / "rows.jsonl").write_text("".join(lines))
    (tmp_path / "good.jsonl").write_text(lines[0])
    (tmp_path / "warned.jsonl").write_text(lines[0] + lines[3].replace("\\u001b[31m", ""))
    return tmp_path


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    ended = run_command(folder, "data", "check", *arguments)
    return ended.returncode, ended.stdout, ended.stderr


def test_a_table_of_findings(folder: Path) -> None:
    code, text, _ = run(folder, "rows.jsonl", *ENV)
    first, labels, *found = text.splitlines()
    assert code == 1
    assert first.startswith("4 rows of 1 file: 3 faults, 1 warning, in ")
    assert labels.startswith("3 labels verified, ")
    assert labels.endswith(" a second")
    assert [line.split()[:3] for line in found if line[:1].strip()] == [
        ["fault", "encoding_control", "1"],
        ["fault", "schema", "1"],
        ["fault", "conflict", "1"],
        ["warning", "type_mixed", "1"],
    ]
    assert [line.split()[0] for line in found if line.startswith("  ")] == [
        "rows.jsonl:4", "rows.jsonl:2", "rows.jsonl:3", "rows.jsonl:4",
    ]  # fmt: skip
    assert "has the answer '22', and line 1 with the same prompt has '4'" in text
    assert "\x1b" not in text


def test_no_findings(folder: Path) -> None:
    code, text, _ = run(folder, "good.jsonl", *ENV)
    assert code == 0
    assert len(text.splitlines()) == 2


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--strict",), 1)])
def test_warnings_fail_only_if_strict(folder: Path, options: tuple[str, ...], code: int) -> None:
    assert run(folder, "warned.jsonl", *ENV, *options)[0] == code


def test_json(folder: Path) -> None:
    code, text, _ = run(folder, "rows.jsonl", *ENV, "--json", "--labels", "1")
    report = json.loads(text)
    assert code == 1
    assert report["files"] == {"rows.jsonl": 4}
    assert (report["faults"], report["warnings"]) == (3, 1)
    assert report["labels"]["verified"] == 1
    assert report["labels"]["unverified"] == "only the first 1 rows were verified"
    assert [(kind["id"], kind["count"]) for kind in report["kinds"]] == [
        ("encoding_control", 1), ("schema", 1), ("conflict", 1), ("type_mixed", 1),
    ]  # fmt: skip
    (example,) = report["kinds"][1]["examples"]
    assert example == {
        "file": "rows.jsonl",
        "line": 2,
        "row": None,
        "field": "expected_answer",
        "reason": "field 'expected_answer' must be a string such as '32', not 5",
    }


def test_a_limit_of_examples(folder: Path) -> None:
    (folder / "many.jsonl").write_text("no\n" * 30)
    _, text, _ = run(folder, "many.jsonl", *ENV, "--examples", "2")
    assert text.count("  many.jsonl:") == 2


def test_a_page(folder: Path) -> None:
    code, text, _ = run(folder, "rows.jsonl", *ENV, "--html", "page.html")
    page = (folder / "page.html").read_text()
    assert code == 1
    assert text.splitlines()[-1] == "wrote page.html"
    shown = Reader(page)
    assert "rows.jsonl:2" in shown.text
    assert "\x1b" not in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.jsonl", *ENV), "'none.jsonl' is missing; name files of rows"),
        ((".", *ENV), "'.' is a folder; name files of rows"),
        (("rows.jsonl", "--env", "textgym/Mathe-v0"), "did you mean 'textgym/Math-v0'?"),
        (("rows.jsonl", "--env", "CartPole-v1"), "CartPole-v1 is not a TextEnv"),
        (("rows.jsonl", *ENV, "--labels", "-1"), "labels, the number of rows to verify, must be"),
        (("rows.jsonl", *ENV, "--examples", "-1"), "examples must be 0 or more, not -1"),
        (("rows.jsonl", *ENV, "--runs", "."), "'.' holds no run"),
        (("rows.jsonl", *ENV, "--against", "none.jsonl"), "'none.jsonl' is missing"),
        (("rows.jsonl", *ENV, "--against", "gsm8k:dev"), "has no split 'dev'"),
        (("rows.jsonl", *ENV, "--html", "no/page.html"), "--html: there is no folder"),
        (("rows.jsonl", *ENV, "--set", "judge"), "--set takes NAME=VALUE, not 'judge'"),
    ],
)
def test_mistakes_are_one_line(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    code, text, error = run(folder, *arguments)
    assert (code, text) == (2, "")
    assert error.startswith("textgym: ")
    assert error.count("\n") == 1
    assert message in error
