"""`textgym data generate` as a user runs it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from in_process import output_of, run_command
from pseudo_terminal import Terminal

from textgym.registry import make
from textgym.tasks.files import load_rows

MCQA = "textgym/MCQA-v0"
COMMAND = [str(Path(sys.executable).parent / "textgym"), "data", "generate"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give an empty cache folder, in which Parquet files are converted."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def generate(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, "data", "generate", *arguments, COLUMNS="160")


def rows_in(path: Path) -> list[dict[str, Any]]:
    return [row for _, row in load_rows(str(path), "train")]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_it_writes_train_rows_of_all_levels(tmp_path: Path, name: str) -> None:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    printed = output_of(generate(tmp_path, MCQA, "--rows", "30", "--out", name))
    assert printed == f"{name}: 30 rows\n"
    rows = rows_in(tmp_path / name)
    assert rows[0]["id"] == "train-mixed-0"
    assert {row["level"] for row in rows} == {1, 2, 3, 4, 5}
    env: Any = make(MCQA, dataset=str(tmp_path / name)).unwrapped
    assert [env.get_task(index).row for index in range(30)] == rows


def test_split_level_and_arguments_of_the_environment_are_passed(tmp_path: Path) -> None:
    arguments = ("--split", "test", "--level", "2", "--set", "highest=9", "--out", "rows.jsonl")
    output_of(generate(tmp_path, "textgym/GuessNumber-v0", "--rows", "1", *arguments))
    (row,) = rows_in(tmp_path / "rows.jsonl")
    assert (row["id"], row["level"], row["highest"]) == ("test-2-0", 2, 9)


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_the_bytes_are_the_same_with_any_number_of_workers(tmp_path: Path, suffix: str) -> None:
    if suffix.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    for workers in ("1", "2"):
        arguments = ("--rows", "500", "--workers", workers, "--out", f"{workers}{suffix}")
        output_of(generate(tmp_path, MCQA, *arguments))
    assert (tmp_path / f"1{suffix}").read_bytes() == (tmp_path / f"2{suffix}").read_bytes()


def test_too_few_rows_are_one_line_and_leave_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("old")
    done = generate(
        tmp_path, "textgym/GuessNumber-v0", "--level", "1", "--rows", "9", "--out", "rows.jsonl"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "textgym: textgym/GuessNumber-v0 has only 3 different train rows at level 1 (1,042 were "
        "drawn): ask for at most 3\n"
    )
    assert (tmp_path / "rows.jsonl").read_text() == "old"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((MCQA, "--rows", "0", "--out", "a.jsonl"), "rows must be 1 or more, not 0"),
        (
            (MCQA, "--rows", "1", "--workers", "0", "--out", "a.jsonl"),
            "workers must be 1 or more, not 0",
        ),
        ((MCQA, "--rows", "1", "--out", "."), "--out: '.' is a folder"),
        (
            (MCQA, "--rows", "1", "--out", "a.csv"),
            "rows are written to a .jsonl or .parquet file, not to 'a.csv'",
        ),
        (
            (MCQA, "--rows", "1", "--out", "a.jsonl", "--set", "dataset=b.jsonl"),
            "rows come from the generator, so there is no dataset= here",
        ),
        (
            (MCQA, "--rows", "1", "--out", "a.jsonl", "--level", "9"),
            "textgym/MCQA-v0 has no level 9; its levels are 0, 1, 2, 3, 4, 5",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    done = generate(tmp_path, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"textgym: {problem}\n")
    assert list(tmp_path.iterdir()) == []


def begun(folder: Path) -> subprocess.Popen[str]:
    """Start a command that would run for long over an old file, and wait until it writes."""
    (folder / "rows.jsonl").write_text('{"id": "old"}\n')
    process = subprocess.Popen(
        [*COMMAND, MCQA, "--rows", "1000000000", "--workers", "2", "--out", "rows.jsonl"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not any(
        path.stat().st_size > 100_000 for path in folder.glob(".rows.jsonl-*")
    ):
        time.sleep(0.01)
    return process


def test_the_old_file_is_whole_after_a_kill(tmp_path: Path) -> None:
    process = begun(tmp_path)
    process.kill()
    process.communicate()
    assert rows_in(tmp_path / "rows.jsonl") == [{"id": "old"}]


def test_ctrl_c_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    process = begun(tmp_path)
    process.send_signal(signal.SIGINT)
    assert process.communicate() == ("", "")
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]
    assert json.loads((tmp_path / "rows.jsonl").read_text()) == {"id": "old"}


def test_a_terminal_shows_the_progress(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, *COMMAND[1:], MCQA, "--rows", "900", "--out", "rows.jsonl")
    terminal.wait_for("/900")
    terminal.wait_for("rows.jsonl: 900 rows")
    assert terminal.process.wait() == 0
