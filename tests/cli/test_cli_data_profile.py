"""`textgym data profile`: its output, the file that it writes, and its errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from in_process import output_of, run_command
from stored_episodes import MCQA, episode, stored

import textgym

GUESS = "textgym/GuessNumber-v0"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with a run of four tasks with the rates 0, 1/2, 1 and none."""
    stored(
        tmp_path / "a",
        *(episode(0, 0.0, repeat=repeat) for repeat in range(4)),
        *(episode(1, float(repeat % 2), repeat=repeat) for repeat in range(4)),
        *(episode(2, 1.0, repeat=repeat) for repeat in range(4)),
        episode(3, None),
    )
    return tmp_path


def test_the_summary_and_the_tasks_by_rate_are_printed(runs: Path) -> None:
    lines = output_of(run_command(runs, "data", "profile", "a")).splitlines()
    assert lines[0] == "4 tasks, 12 episodes, 1 failed"
    assert [line.split() for line in lines[2:8]] == [
        ["never", "solved", "1", "33.3%"],
        ["below", "0.1", "0", "0.0%"],
        ["0.1", "to", "0.5", "0", "0.0%"],
        ["0.5", "to", "0.9", "1", "33.3%"],
        ["above", "0.9", "0", "0.0%"],
        ["always", "solved", "1", "33.3%"],
    ]
    assert "1 tasks have no graded episode" in lines
    assert "33.3% of the tasks are informative: solved, but not always" in lines
    table = [line.split() for line in lines if line.startswith("test-1-")]
    assert [cells[0] for cells in table] == ["test-1-0", "test-1-1", "test-1-2", "test-1-3"]
    assert " ".join(table[1]) == "test-1-1 1 50.0% 15.0% to 85.0% 2 of 4 0.500 0"
    assert " ".join(table[3]) == "test-1-3 1 - - 0 of 0 - 1"


def test_a_band_and_a_limit_choose_what_is_printed(runs: Path) -> None:
    out = output_of(run_command(runs, "data", "profile", "a", "--keep", "0..0.5", "--limit", "1"))
    assert "test-1-0" in out
    assert "test-1-1" not in out
    assert out.endswith("1 more; --limit 0 prints all\n")


def test_everything_is_one_json_object(runs: Path) -> None:
    stored(runs / "b", episode(0, 1.0, env_id="textgym/Math-v0"))
    arguments = ("data", "profile", "a", "b", "--json", "--sort", "task", "--env", MCQA)
    report = json.loads(output_of(run_command(runs, *arguments)))
    assert report["runs"] == ["a", "b"]
    assert (report["tasks"], report["failures"], report["ungraded"]) == (4, 1, 1)
    assert [task["pass_rate"] for task in report["kept"]] == [0.0, 0.5, 1.0, None]
    assert report["kept"][1]["interval"] == pytest.approx([0.15, 0.85], abs=1e-3)
    assert report["kept"][3]["failures"] == 1


def test_the_rows_of_a_band_are_written_in_the_order_of_their_tasks(tmp_path: Path) -> None:
    textgym.rollout(GUESS, "random", episodes=12, repeats=4, out=tmp_path / "a")
    arguments = ("--keep", "0.1..0.9", "--out", "rows.jsonl", "--sort", "rate")
    out = output_of(run_command(tmp_path, "data", "profile", "a", *arguments))
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert out.endswith(f"rows.jsonl: {len(rows)} rows\n")
    numbers = [int(row["id"].rsplit("-", 1)[1]) for row in rows]
    assert numbers == sorted(numbers)
    assert all(0.1 <= row["textgym_profile"]["pass_rate"] <= 0.9 for row in rows)
    played = run_command(
        tmp_path, "eval", GUESS, "--policy", "oracle", "--dataset", "rows.jsonl", "--out", "b"
    )
    assert played.returncode == 0, played.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["x"], "'x' holds no run: No such file or directory"),
        (["a", "a"], "'a' is named twice: its episodes would count twice"),
        (["a", "--env", "textgym/Math-v0"], "the runs have no episode of 'textgym/Math-v0'"),
        (["a", "--keep", "0.9..0.1"], "a band of pass rates is LOW..HIGH"),
        (["a", "--keep", "0.6..0.9"], "none of the 4 tasks has a pass rate in 0.6..0.9"),
        (["a", "--sort", "rat"], "there is no order 'rat'; did you mean 'rate'?"),
        (["a", "--limit", "-1"], "--limit must be 0 (all) or more, not -1"),
        (["a", "--out", "no/rows.jsonl"], "--out: there is no folder"),
        (["a", "--out", "rows.jsonl"], "cannot be read again: the task has changed"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_errors_are_one_line(runs: Path, arguments: list[str], problem: str) -> None:
    done = run_command(runs, "data", "profile", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr
    assert done.stderr.startswith("textgym: ")
    assert done.stderr.count("\n") == 1
    assert not (runs / "rows.jsonl").exists()
