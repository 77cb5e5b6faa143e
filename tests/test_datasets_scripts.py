"""The scripts that turn published data sets into textgym's rows."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import pytest
from repository import SCRIPTS

import textgym

RECORD = {
    "passage": None,
    "question": "Which is a metal?",
    "options": ["(A)neon", "(B) zinc", "(C )argon"],
    "label": "B",
}
QUESTIONS = [
    {"question": "2 + 2?", "subject": "sums", "choices": ["1", "2", "3", "4"], "answer": 3},
    {"question": "A metal?", "subject": "chemistry", "choices": ["O", "Zn", "N", "H"], "answer": 1},
    {"question": "Even?", "subject": "sums", "choices": ["2", "3", "2", "5"], "answer": 0},
    {"question": "A prime?", "subject": "sums", "choices": ["9", "9", "7", "8"], "answer": 2},
    {"question": "Odd?", "subject": "sums", "choices": ["2", "3", "", "4"], "answer": 1},
]


@pytest.fixture
def agieval(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("agieval")


@pytest.fixture
def mmlu(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("mmlu")


def run_script(name: str, home: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a script as a user does, without a hub and with its caches in `home`."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(home / "caches")}
    command = [sys.executable, str(SCRIPTS / name), *map(str, arguments)]
    return subprocess.run(
        command, cwd=home, env=environment, capture_output=True, text=True, timeout=120
    )


def write_lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def assert_solvable(path: Path, count: int) -> None:
    env = gymnasium.make("textgym/MCQA-v0", dataset=str(path))
    task_env: Any = env.unwrapped
    assert task_env.num_tasks == count
    for index in range(count):
        env.reset(options={"index": index})
        assert env.step(task_env.solve())[1] == 1.0
        env.reset(options={"index": index})
        assert env.step("")[1] == 0.0
    env.close()


def one_error_line(captured: str) -> str:
    assert captured.startswith("error: ")
    assert captured.count("\n") == 1
    return captured


def test_agieval_published_files(shared: Path, tmp_path: Path) -> None:
    files = sorted((shared / "data" / "agieval").glob("*.jsonl"))
    out = tmp_path / "rows.jsonl"
    done = run_script("agieval.py", tmp_path, *files, "--out", out)
    assert done.stdout.splitlines() == [
        "aqua-rat: 250 rows written, 4 skipped; the correct option occurs twice: 4",
        "lsat-ar: 230 rows written, 0 skipped",
        "lsat-lr: 510 rows written, 0 skipped",
        "lsat-rc: 269 rows written, 0 skipped",
    ]
    assert (done.returncode, done.stderr) == (0, "")
    rows = {row["id"]: row for row in read_lines(out)}
    assert Counter(row["category"] for row in rows.values()) == {
        "aqua-rat": 250,
        "lsat-ar": 230,
        "lsat-lr": 510,
        "lsat-rc": 269,
    }
    assert {f"aqua-rat-{number}" for number in (118, 125, 127, 194)}.isdisjoint(rows)
    for file in files:
        for number, record in enumerate(read_lines(file), 1):
            row = rows.get(f"{file.stem}-{number}")
            if row is not None:
                parts = [record["passage"], record["question"]]
                assert row["question"] == "\n\n".join(part for part in parts if part)
                assert row["answer"] == record["label"]
                assert [f"({letter})" for letter in row["options"]] == [
                    option[:3] for option in record["options"]
                ]
                assert list(row["options"].values()) == [
                    option[3:].strip() for option in record["options"]
                ]
    assert_solvable(out, 1259)


def test_agieval_prefixes_and_passage(agieval: ModuleType, tmp_path: Path) -> None:
    bare = {**RECORD, "passage": "On zinc.", "options": ["(x + 1)", "zinc", "(I) only"]}
    file = write_lines(tmp_path / "metals.jsonl", RECORD, bare)
    assert agieval.main([str(file), "--out", str(tmp_path / "rows.jsonl")]) == 0
    assert read_lines(tmp_path / "rows.jsonl") == [
        {
            "id": "metals-1",
            "question": "Which is a metal?",
            "options": {"A": "neon", "B": "zinc", "C": "argon"},
            "answer": "B",
            "category": "metals",
        },
        {
            "id": "metals-2",
            "question": "On zinc.\n\nWhich is a metal?",
            "options": {"A": "(x + 1)", "B": "zinc", "C": "(I) only"},
            "answer": "B",
            "category": "metals",
        },
    ]


def test_agieval_skips_unfair_questions(
    agieval: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right_twice = {**RECORD, "options": ["(A)Zinc ", "(B)zinc", "(C)argon"]}
    wrong_twice = {**RECORD, "options": ["(A)neon", "(B)zinc", "(C)neon"]}
    empty = {**RECORD, "options": ["(A)neon", "(B)zinc", "(C)"]}
    file = write_lines(tmp_path / "metals.jsonl", right_twice, wrong_twice, empty)
    assert agieval.main([str(file), "--out", str(tmp_path / "rows.jsonl")]) == 0
    assert [row["id"] for row in read_lines(tmp_path / "rows.jsonl")] == ["metals-2"]
    assert capsys.readouterr().out == (
        "metals: 1 rows written, 2 skipped; the correct option occurs twice: 1; "
        "an option is empty: 1\n"
    )


def test_half_a_surrogate_pair_is_kept(agieval: ModuleType, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "metals.jsonl", {**RECORD, "question": "Is \ud83d\\ a √ metal?"})
    out = tmp_path / "rows.jsonl"
    assert agieval.main([str(file), "--out", str(out)]) == 0
    assert read_lines(out)[0]["question"] == "Is \ud83d\\ a √ metal?"
    assert_solvable(out, 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"question": None}, "field 'question' is missing"),
        ({"question": " "}, "field 'question' must be a non-blank string"),
        ({"options": None}, "field 'options' is missing"),
        ({"options": "(A)yes"}, "field 'options' must be a list"),
        ({"options": ["(A)yes"]}, "field 'options' must be a list of 2 to 26 strings"),
        ({"options": ["x"] * 27}, "field 'options' must be a list of 2 to 26 strings"),
        (
            {"options": ["(B)yes", "(A)no"]},
            "field 'options' must be in the order of their letters, not BA",
        ),
        ({"label": None}, "field 'label' is missing"),
        ({"label": "D"}, "field 'label' is 'D', but the options are A, B, C"),
        ({"label": ["A", "B"]}, "field 'label' must be a non-blank string"),
        ({"passage": 3}, "field 'passage' must be a non-blank string"),
    ],
)
def test_agieval_refuses_rows(
    agieval: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, Any],
    said: str,
) -> None:
    file = write_lines(tmp_path / "metals.jsonl", RECORD, {**RECORD, **change})
    out = tmp_path / "rows.jsonl"
    assert agieval.main([str(file), "--out", str(out)]) == 2
    assert f"line 2 of {file}: {said}" in one_error_line(capsys.readouterr().err)
    assert not out.exists()


def test_agieval_refuses_files(
    agieval: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def error_of(*arguments: object) -> str:
        assert agieval.main([str(argument) for argument in arguments]) == 2
        return one_error_line(capsys.readouterr().err)

    good = write_lines(tmp_path / "good.jsonl", RECORD)
    broken = tmp_path / "broken.jsonl"
    broken.write_text(json.dumps(RECORD) + '\n{"question": ')
    empty = write_lines(tmp_path / "empty.jsonl")
    out = tmp_path / "rows.jsonl"
    assert f"file {str(tmp_path / 'lsat-ar')!r} is missing" in error_of(
        good, tmp_path / "lsat-ar", "--out", out
    )
    assert "is a folder" in error_of(tmp_path, "--out", out)
    assert f"line 2 of {broken} is not valid JSON" in error_of(good, broken, "--out", out)
    assert "is empty" in error_of(empty, "--out", out)
    assert "is one of the files to read" in error_of(good, "--out", good)
    assert "two files are named 'good'" in error_of(good, good, "--out", out)
    assert not out.exists()
    assert "cannot write to" in error_of(good, "--out", tmp_path / "nowhere" / "rows.jsonl")
    assert read_lines(good) == [RECORD]


def parquet(folder: Path, split: str) -> Path:
    """Write the questions as MMLU has them: the answer is a class label."""
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {
            "question": datasets.Value("string"),
            "subject": datasets.Value("string"),
            "choices": [datasets.Value("string")],
            "answer": datasets.ClassLabel(names=["A", "B", "C", "D"]),
        }
    )
    folder.mkdir()
    file = folder / f"{split}.parquet"
    datasets.Dataset.from_list(QUESTIONS, features=features).to_parquet(str(file))
    return file


@pytest.mark.slow
def test_mmlu_folder_and_file(tmp_path: Path) -> None:
    file = parquet(tmp_path / "small", "test")
    out = tmp_path / "rows.jsonl"
    done = run_script("mmlu.py", tmp_path, "--name", file.parent, "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"{file.parent}: 3 rows written, 2 skipped; "
        "the correct option occurs twice: 1; an option is empty: 1\n"
    )
    assert read_lines(out)[1] == {
        "id": "mmlu-test-2",
        "question": "A metal?",
        "options": {"A": "O", "B": "Zn", "C": "N", "D": "H"},
        "answer": "B",
        "category": "chemistry",
    }
    assert_solvable(out, 3)
    limited = ["--name", file, "--split", "validation", "--limit", 2, "--out", out]
    assert run_script("mmlu.py", tmp_path, *limited).returncode == 0
    assert [row["id"] for row in read_lines(out)] == ["mmlu-validation-1", "mmlu-validation-2"]


@pytest.mark.slow
def test_mmlu_jsonl_with_a_bad_row(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    file = write_lines(tmp_path / "small.jsonl", *QUESTIONS, {**QUESTIONS[0], "answer": 4})
    done = run_script("mmlu.py", tmp_path, "--name", file, "--out", tmp_path / "rows.jsonl")
    assert done.returncode == 2
    said = f"row 6 of {file}: field 'answer' must be a number from 0 to 3, not 4"
    assert said in one_error_line(done.stderr)


@pytest.mark.slow
def test_mmlu_hub_out_of_reach(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    done = run_script("mmlu.py", tmp_path, "--out", tmp_path / "rows.jsonl")
    assert done.returncode == 2
    said = "data set 'cais/mmlu' (config 'all', split 'test') cannot be loaded: "
    assert said in one_error_line(done.stderr)


def test_mmlu_without_datasets(
    mmlu: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    assert mmlu.main(["--out", str(tmp_path / "rows.jsonl")]) == 2
    assert "pip install 'textgym[data]'" in one_error_line(capsys.readouterr().err)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--limit", "0"], "--limit must be 1 or more, not 0"),
        (["--name", "nowhere/small.parquet"], "file 'nowhere/small.parquet' is missing"),
    ],
)
def test_mmlu_refuses_arguments(
    mmlu: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    pytest.importorskip("datasets")
    assert mmlu.main([*arguments, "--out", str(tmp_path / "rows.jsonl")]) == 2
    assert said in one_error_line(capsys.readouterr().err)


@pytest.mark.parametrize("field", ["question", "subject", "choices", "answer"])
def test_mmlu_refuses_records(mmlu: ModuleType, field: str) -> None:
    with pytest.raises(textgym.errors.RowError, match=field):
        mmlu.convert({**QUESTIONS[0], field: None}, "mmlu-1")
