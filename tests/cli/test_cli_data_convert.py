"""`textgym data convert` as a user runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from in_process import output_of, run_command

from textgym.data.converting import FORMATS
from textgym.tasks.files import load_rows

pytest.importorskip("pyarrow")

MATH = "textgym/Math-v0"
ROWS = [
    {"id": "a", "question": "What is 2 + 2?", "expected_answer": "4"},
    {"id": "b", "question": "What is 3 + 3?", "expected_answer": "6", "source": ["mine", 3]},
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give an empty cache folder, in which Parquet files are converted."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with a file of rows."""
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return tmp_path


def convert(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, "data", "convert", *arguments, COLUMNS="160")


def rows_in(path: Path) -> list[dict[str, Any]]:
    return [row for _, row in load_rows(str(path), "train")]


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
@pytest.mark.parametrize("format", FORMATS)
def test_there_and_back(folder: Path, format: str, suffix: str) -> None:
    there = ("in.jsonl", f"out{suffix}", "--as", format, "--env", MATH)
    assert output_of(convert(folder, *there)) == f"out{suffix}: 2 rows\n"
    assert output_of(convert(folder, f"out{suffix}", "back.jsonl", "--as", "rows")) == (
        "back.jsonl: 2 rows\n"
    )
    assert rows_in(folder / "back.jsonl") == ROWS


def test_the_split_is_written_to_prompts(folder: Path) -> None:
    arguments = ("--as", "trl", "--env", MATH, "--split", "test")
    output_of(convert(folder, "in.jsonl", "out.jsonl", *arguments))
    assert [row["split"] for row in rows_in(folder / "out.jsonl")] == ["test", "test"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ("in.jsonl", "out.jsonl", "--as", "nemogym"),
            "there is no format 'nemogym'; did you mean 'nemo-gym'?",
        ),
        (
            ("in.jsonl", "in.jsonl", "--as", "rows"),
            "'in.jsonl' is the data set itself: write to another file",
        ),
        (("in.jsonl", ".", "--as", "rows"), "OUT: '.' is a folder"),
        (("no.jsonl", "out.jsonl", "--as", "rows"), "data set 'no.jsonl' is missing"),
        (
            ("in.jsonl", "out.parquet", "--as", "skyrl"),
            "skyrl needs prompts: name the environment of the rows with --env",
        ),
        (
            ("in.jsonl", "out.parquet", "--as", "verl", "--env", "textgym/MCQA-v0"),
            "line 1 of in.jsonl: field 'expected_answer' must be the letter of an option, not '4'",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    folder: Path, arguments: tuple[str, ...], problem: str
) -> None:
    done = convert(folder, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"textgym: {problem}\n")
    assert [path.name for path in folder.iterdir()] == ["in.jsonl"]
    assert rows_in(folder / "in.jsonl") == ROWS


def test_a_link_to_the_data_set_is_the_data_set(folder: Path) -> None:
    (folder / "link.jsonl").hardlink_to(folder / "in.jsonl")
    done = convert(folder, "in.jsonl", "link.jsonl", "--as", "rows")
    assert done.stderr == ("textgym: 'link.jsonl' is the data set itself: write to another file\n")
