"""`textgym grade`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from textgym.cli.main import main

ROW: dict[str, Any] = {"q": "Which is a metal?", "options": ["neon", "zinc"], "gold": "zinc"}
LINES = [
    {**ROW, "said": "\\boxed{B}", "ok": 1},
    {**ROW, "said": "\\boxed{A}", "ok": 1},
    {**ROW, "said": "\x1b[31m\\boxed{}", "ok": 0},
    {**ROW, "said": None, "ok": 0},
]
COLUMNS = "question=q,answer=gold,output=said,recorded=ok"


@pytest.fixture
def answers(tmp_path: Path) -> str:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return str(path)


def grade(capsys: Any, monkeypatch: Any, *arguments: str) -> tuple[int, str, str]:
    """Run the command in this process."""
    monkeypatch.setattr("sys.argv", ["textgym", "grade", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    return int(ended.value.code or 0), printed.out, printed.err


def test_report(answers: str, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    out = str(tmp_path / "out")
    code, text, _ = grade(
        capsys, monkeypatch, answers, "--env", "textgym/MCQA-v0", "--columns", COLUMNS, "--out", out
    )
    assert code == 0
    first, reasons, failed, _, agreement, *table = text.splitlines()
    assert first.startswith("3 answers: 1 right, 33.33% (")
    assert reasons == "not right or not in full: 1 wrong, 1 unreadable"
    assert failed == "not graded: 1, because it holds no text of a model"
    assert agreement.startswith("2 of 3 verdicts agree, 66.67% (")
    assert agreement.endswith("Cohen's kappa 0.400")
    assert [row.split() for row in table[1:3]] == [["right", "1", "0"], ["wrong", "1", "1"]]
    assert "line 2 of answers.jsonl" in text
    assert "\x1b" not in text
    assert sorted(path.name for path in Path(out).iterdir()) == [
        "differences.txt", "graded.jsonl", "summary.json",
    ]  # fmt: skip


def test_json(answers: str, capsys: Any, monkeypatch: Any) -> None:
    _, text, _ = grade(
        capsys, monkeypatch, answers, "--env", "textgym/MCQA-v0", "--columns", COLUMNS, "--json",
        "--set", "grading_mode=lenient_boxed",
    )  # fmt: skip
    figures = json.loads(text)
    assert (figures["graded"], figures["right"]) == (3, 1)
    assert figures["verdict_reasons"] == {"wrong": 1, "unreadable": 1}
    assert figures["agreement"]["kappa"] == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (["--columns", "output"], "--columns takes NAME=PATH"),
        (["--columns", "output="], "--columns takes NAME=PATH"),
        (["--columns", "output=answer_text"], "no 'answer_text'"),
        (["--set", "mode=x"], "mode"),
        ([], "no answer can be graded"),
    ],
)
def test_mistakes_are_one_line(
    answers: str, more: list[str], problem: str, capsys: Any, monkeypatch: Any
) -> None:
    code, _, error = grade(capsys, monkeypatch, answers, "--env", "textgym/MCQA-v0", *more)
    assert code == 2
    assert error.count("\n") == 1
    assert problem in error
